import { createPathClassifier } from "../paths/classify-path.ts";
import { buildPolicy, type PolicySources } from "./build-policy.ts";
import type { ClaudeRules } from "./claude-settings.ts";
import type { GatePolicy, GateWorld } from "./policy.ts";
import { readRememberedRules } from "./remembered-rules.ts";

/** What a person configured, wherever it stands. */
export interface ConfiguredPolicy extends Omit<PolicySources, "remembered" | "isSandboxed"> {
  /** What of Claude Code's settings counts. Looked for when the policy is opened. */
  claude?(): Promise<ClaudeRules>;
}

export interface PolicyPlaces {
  /** Absolute, links resolved. */
  workspace: string;
  home: string;
  /** Ralph's own folders, which no tool gets at. */
  own: { config: string; data: string };
  /** The file of answers people gave for good. */
  rememberedPath: string;
  /** Wall clock, milliseconds. */
  now(): number;
}

export interface OpenPolicy {
  policy: GatePolicy;
  world: GateWorld;
  /** What does not count and why, for a person. */
  problems: string[];
  /** Why nothing but looking is allowed: something that was meant to stop things cannot be read. */
  closed: string | undefined;
}

/** The one way to the policy of a run: rules of settings, of Claude Code's settings, of flags and of earlier answers. */
export async function openPolicy(
  { claude, ...sources }: ConfiguredPolicy,
  { workspace, home, own, rememberedPath, now }: PolicyPlaces,
): Promise<OpenPolicy> {
  const remembered = readRememberedRules(rememberedPath, workspace);
  const built = await buildPolicy({ ...sources, remembered, isSandboxed: false });
  const foreign = (await claude?.()) ?? { rules: [], problems: [] };
  const ownProblems = [...built.problems, ...(remembered.problem === undefined ? [] : [remembered.problem])];
  const isClosed = !built.isWhole || remembered.problem !== undefined;
  return {
    policy: { ...built.policy, rules: [...built.policy.rules, ...foreign.rules] },
    world: { workspace, home, classify: createPathClassifier({ home, own, now }) },
    problems: [...ownProblems, ...foreign.problems],
    closed: isClosed ? ownProblems[0] : undefined,
  };
}
