import type { LoopLimits } from "../../protocol/loop-entries.ts";
import type { Story, Task } from "../../protocol/loop-tasks.ts";
import type { Clock } from "../../system/clock.ts";
import type { TellNews } from "../loop-news.ts";
import type { RunnerOrder } from "../runners/choose-runner.ts";
import type { Runners } from "../runners/runners.ts";
import type { JsonDocument } from "../tasks/json-document.ts";
import type { AdapterName, AdapterOptions } from "../transcripts/adapter.ts";
import type { TokenPrices } from "../transcripts/usage-cost.ts";

// What a run is asked for, and what it is given to do it with.

export interface RunRequest {
  kind: "run" | "understand";
  task: Task;
  /** What the task was read from; undefined where there is no file: `understand` has one story of its own. */
  document: JsonDocument | undefined;
  root: string;
  template: string;
  /** Undefined stays on the branch. */
  branch: string | undefined;
  baseBranch?: string;
  worktree: boolean;
  /** Exact files, or folders that end in `/`; empty: everything. */
  allowedPaths: readonly string[];
  limits: LoopLimits;
  idleSeconds: number;
  iterationSeconds: number;
  sleepSeconds: number;
  /** Which runners work on a story, in the order they take over from each other. */
  runnersFor(story: Story): RunnerOrder;
  runners: Runners;
  model?: string;
  effort?: string;
  yolo: boolean;
  /** Instead of the one that fits the runner. */
  transcript?: AdapterName;
  /** What becomes of the prompt where an agent echoes it. */
  echo: Pick<AdapterOptions, "showPrompt" | "promptProgressEvery">;
  /** The person's own prices, where they gave some. */
  prices?: TokenPrices;
  /** A run that was cut off is left behind instead of gone on with. */
  fresh: boolean;
}

export interface RunWorld {
  clock: Clock;
  paths: { loops: string; sockets: string; signals: string; database: string };
  /** Of the agents: the person's whole environment. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Of the checks: what is left of it for commands that prove something. */
  checkEnvironment: Readonly<Record<string, string | undefined>>;
  tell: TellNews;
  /** A promise while more was told than was taken: the agent has to wait so long. */
  room?: () => Promise<void> | undefined;
  /** Aborted when the person interrupts. */
  signal: AbortSignal;
  /** Asked before every iteration, where the person wants that. The question ends with the signal. */
  pause?: (signal: AbortSignal) => Promise<"continue" | "quit">;
  /** Asked when the agent changed something outside of the allowed paths. */
  onViolation?: (paths: readonly string[], signal: AbortSignal) => Promise<"quit" | "revert" | "continue">;
}
