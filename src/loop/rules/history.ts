import type { IterationRecord, LoopLimits } from "../../protocol/loop-entries.ts";
import type { Verdict } from "../../protocol/verdicts.ts";

/** All the stop rules know. Nothing else decides whether a run goes on. */
export interface LoopHistory {
  /** The iterations of this run, oldest first. */
  records: readonly IterationRecord[];
  limits: LoopLimits;
  runners: readonly string[];
  /** How often a runner may fail in a row before the next one takes over. */
  failoverThreshold: number;
  stories: StoryCounts;
  /** When the run went on after it was cut off; wall clock, milliseconds. */
  resumedAt?: number;
  /** What a person asked for. */
  request?: "stop" | "checkpoint";
  /** Wall clock, milliseconds. */
  now: number;
}

export interface StoryCounts {
  total: number;
  /** Ids of those that do not pass. */
  open: readonly string[];
  /** Pass, and a receipt proves it. */
  verified: number;
}

export type NextStep =
  | { type: "go-on"; runner: string }
  | { type: "wait"; until: number; why: "quota" | "breaker"; reason: string }
  | { type: "stop"; verdict: Verdict };
