import type { Task } from "../../protocol/loop-tasks.ts";
import type { Seal } from "../checks/seal.ts";
import type { Repository } from "../git/repository.ts";
import type { WorkspaceState } from "../git/workspace-state.ts";
import type { InvokeOptions, Runner } from "../runners/runner.ts";
import type { LoopState } from "../state/fold-journal.ts";
import type { LoopJournal } from "../state/loop-journal.ts";
import type { JsonDocument } from "../tasks/json-document.ts";
import type { PromptFeedback } from "../tasks/prompt-feedback.ts";
import type { OwnFiles } from "./own-files.ts";
import type { RunRequest, RunWorld } from "./run-request.ts";
import type { Steering } from "./steering.ts";
import type { TaskLock } from "./task-lock.ts";

/** A run while it works: what its steps share. */
export interface LiveRun {
  id: string;
  request: RunRequest;
  world: RunWorld;
  /** Where the agent works: the root that was asked for, or its worktree. */
  root: string;
  /** The loop's folder, and the run's own in it. */
  folder: string;
  runFolder: string;
  repository: Repository;
  /** The person's own; another one only where the agent has a worktree. */
  home: Repository;
  isRepository: boolean;
  own: OwnFiles;
  lock: TaskLock;
  journal: LoopJournal;
  steering: Steering;
  /** The person's work when the run began. */
  before: WorkspaceState;
  seal: Seal;
  /** The task as the harness knows it: what the agent changes of it does not count. */
  trusted: TrustedTask;
  /** What the harness found at the last try of a story, for the next prompt. */
  feedback: Map<string, PromptFeedback>;
  /** How the workspace was when a story's checks last failed on it. Forgotten by a kill: then they are run once more. */
  checked: Map<string, string>;
  /** The newest invocation, for a person who takes over. */
  latest: { runner: Runner; options: InvokeOptions; session?: string } | undefined;
}

export interface TrustedTask {
  task: Task;
  document: JsonDocument | undefined;
}

/** The agent has a working tree of its own, and copies of the task's files in it. */
export function isInWorktree({ root, request }: Pick<LiveRun, "root" | "request">): boolean {
  return root !== request.root;
}

/** The newest commit the run has proven, or where it began. */
export function provenCommit({ journal }: Pick<LiveRun, "journal">): string | undefined {
  return lastProven(journal.state()) ?? journal.state().run?.base;
}

/** What everything since counts as the agents' work: what an earlier run committed and did not prove is part of it. */
export function beforeTheWork({ journal }: Pick<LiveRun, "journal">): string | undefined {
  const { run } = journal.state();
  return lastProven(journal.state()) ?? run?.sealedAt ?? run?.base;
}

/** Undefined where the run has landed nothing. */
export function lastProven({ passed }: Pick<LoopState, "passed">): string | undefined {
  return [...passed.values()].findLast(({ commit }) => commit !== undefined)?.commit;
}
