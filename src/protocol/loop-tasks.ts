// A task is a folder with a `prd.json`. These are its words after reading, whichever dialect the file is written in.

export type TaskDialect = "v1" | "2.x" | "ralph-tui";

export type Check =
  | { type: "run"; run: string; timeoutSeconds: number; mustFailFirst: boolean }
  | { type: "exists"; exists: string };

export interface Criterion {
  description: string;
  passes?: boolean;
}

export interface Story {
  id: string;
  title: string;
  description: string;
  acceptanceCriteria: readonly Criterion[];
  /** The lowest number comes first. */
  priority: number;
  /** What the file says. A claim, until a receipt exists. */
  passes: boolean;
  notes: string;
  /** Ids of stories that have to pass before this one is begun. */
  dependsOn: readonly string[];
  checks: readonly Check[];
  /** Paths the checks rely on and the agent may not change for them, besides those the commands name. */
  sealed: readonly string[];
  agent?: string;
  model?: string;
}

export interface Task {
  /** The last part of the folder's path, or what --name says. */
  name: string;
  /** The folder, absolute and without links. */
  directory: string;
  /** Its prd.json, absolute and without links. */
  file: string;
  dialect: TaskDialect;
  branchName: string | undefined;
  description: string;
  agent: string | undefined;
  model?: string;
  /** How often a runner may fail in a row before the next one takes over. */
  failoverThreshold: number;
  /** A command that makes a fresh checkout ready for checks, like `npm ci`. */
  setup: string | undefined;
  /** The branch finished work is meant for, and whether it goes there by itself. */
  mergeTarget?: string;
  autoMerge?: boolean;
  stories: readonly Story[];
}

/** What is wrong in a task's file. The path is like `userStories[2].priority`, empty for the file as a whole. */
export interface TaskProblem {
  path: string;
  message: string;
  remedy: string;
}
