/** When an answer that breaks a rule is stopped: always, only for what it says, only for what it hands to tools, never. */
export const INTERRUPT_MODES = ["always", "never", "prose-only", "tool-only"] as const;
export type InterruptMode = (typeof INTERRUPT_MODES)[number];

/** A text people wrote down for agents. Two of the same name are the same rule: the one found first counts. */
export interface Rule {
  name: string;
  /** As it is shown: relative to the project, or absolute. */
  path: string;
  /** Without its head. */
  content: string;
  /** Shown to the model, and nothing more. */
  globs?: string[];
  alwaysApply?: true;
  description?: string;
  /** Expressions for what a model must not say or do. With them the rule watches answers. */
  condition?: string[];
  /** Where they are looked for; what a model says and what it hands to tools, where there is none. */
  scope?: string[];
  interruptMode?: InterruptMode;
}
