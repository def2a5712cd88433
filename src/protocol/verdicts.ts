import * as z from "zod";

// How a run of the loop ends. The harness decides it, from its own measurements; nothing an agent prints is one of these.

export const VERDICTS = [
  /** Every story passes. */
  "done",
  /** Somebody has to answer or do something; the reason says what. */
  "blocked-on-human",
  /** Iterations went by and nothing the harness measures changed. */
  "stalled",
  /** Things change, but in circles: the same checks keep failing. */
  "flailing",
  /** The provider's quota is used up for longer than the loop may wait. */
  "quota-wait",
  /** A limit on iterations, minutes, tokens or cost was reached. */
  "budget",
  /** The agent or the checks cannot run here at all. */
  "environment-broken",
  /** A person ended it. */
  "stopped",
  /** A person asked for a pause; the next run goes on from here. */
  "checkpointed",
  /** Every runner failed again and again, or a guard was broken. */
  "failed",
] as const;

export const verdictName = z.enum(VERDICTS);

export type VerdictName = (typeof VERDICTS)[number];

export interface Verdict {
  verdict: VerdictName;
  /** One or two sentences for a person: what happened and what would help. */
  reason: string;
  /** When a quota is free again; ISO 8601. */
  until?: string;
}
