import type { AskCategory } from "../../protocol/asks.ts";
import type { PathClassifier } from "../paths/classify-path.ts";
import type { PermissionRule } from "./permission-rule.ts";

/** What becomes of asks no rule speaks of. `tiered` is for commands: what only reads runs, the rest asks. */
export type CategoryAction = "allow" | "gate" | "deny" | "tiered";

export const DEFAULT_ACTIONS: Readonly<Record<AskCategory, CategoryAction>> = {
  file_read: "allow",
  file_write: "gate",
  shell: "tiered",
  network: "gate",
  memory: "allow",
  subagent: "gate",
  mcp: "gate",
  python: "gate",
  plugin: "gate",
};

export interface GatePolicy {
  /** Of files, flags, and answers people gave: deny wins over ask, and ask over allow, wherever they come from. */
  rules: readonly PermissionRule[];
  actions: Readonly<Record<AskCategory, CategoryAction>>;
  /** Commands run where they can do no harm outside the workspace. */
  isSandboxed: boolean;
}

export interface GateWorld {
  /** Absolute, links resolved; chosen by the person, never by a model. */
  workspace: string;
  home: string;
  classify: PathClassifier;
}
