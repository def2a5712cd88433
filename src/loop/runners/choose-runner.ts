import { findProgram } from "./find-program.ts";
import { RUNNER_NAMES, type RunnerName } from "./runner.ts";

// Which agents a story is given to, in the order they take over from each other, and why the first is the first.

export interface RunnerWishes {
  /** Names of `--agent`, separated by commas: the first works, the others stand by. */
  flag?: string;
  /** Whether `--agent-cmd` named a command. Alone it chooses `custom`. */
  hasAgentCommand: boolean;
  story?: string;
  task?: string;
}

export interface InstalledAgents {
  codex: boolean;
  claude: boolean;
  /** Whether Ralph itself knows a model it has a key for. */
  ralph: boolean;
}

export type ChoiceReason =
  | "flag"
  | "agent-command"
  | "story"
  | "task"
  | "codex-installed"
  | "claude-installed"
  | "provider-configured";

export type RunnerOrder =
  | { ok: true; runners: readonly [RunnerName, ...RunnerName[]]; reason: ChoiceReason }
  | { ok: false; message: string };

/** `--agent`, then the story, then the task; where nobody says anything, what is there. */
export function chooseRunners(wishes: RunnerWishes, installed: InstalledAgents): RunnerOrder {
  const said: readonly [ChoiceReason, string | undefined][] = [
    ["flag", wishes.flag],
    ["agent-command", wishes.hasAgentCommand ? "custom" : undefined],
    ["story", wishes.story],
    ["task", wishes.task],
  ];
  for (const [reason, names] of said) {
    if (names !== undefined && names.trim() !== "") return namedRunners(names, reason, wishes);
  }
  return defaultRunner(installed);
}

const SAID_BY: Readonly<Partial<Record<ChoiceReason, string>>> = {
  flag: "--agent",
  story: "the story",
  task: "prd.json",
};

function namedRunners(names: string, reason: ChoiceReason, { hasAgentCommand }: RunnerWishes): RunnerOrder {
  const wanted = [...new Set(names.split(",").map((name) => name.trim()))].filter((name) => name !== "");
  const unknown = wanted.find((name) => !isRunnerName(name));
  if (unknown !== undefined) {
    const message = `The agent "${unknown}" that ${SAID_BY[reason] ?? reason} names is not known. Use one of ${RUNNER_NAMES.join(", ")}.`;
    return { ok: false, message };
  }
  if (wanted.includes("custom") && !hasAgentCommand) {
    return { ok: false, message: 'The agent "custom" needs a command. Give it with --agent-cmd "COMMAND".' };
  }
  const [first, ...others] = wanted.filter(isRunnerName);
  if (first === undefined) return { ok: false, message: `${SAID_BY[reason] ?? reason} names no agent.` };
  return { ok: true, runners: [first, ...others], reason };
}

function isRunnerName(name: string): name is RunnerName {
  return RUNNER_NAMES.some((known) => known === name);
}

function defaultRunner(installed: InstalledAgents): RunnerOrder {
  if (installed.codex) return { ok: true, runners: ["codex"], reason: "codex-installed" };
  if (installed.claude) return { ok: true, runners: ["claude"], reason: "claude-installed" };
  if (installed.ralph) return { ok: true, runners: ["ralph"], reason: "provider-configured" };
  return {
    ok: false,
    message:
      "There is no agent to work with: codex and claude are not on PATH and no model provider is configured. Set a key (ralph doctor), install one of them, or give --agent-cmd.",
  };
}

/** Looks at PATH; runs nothing. */
export function installedAgents(path: string | undefined, hasProvider: boolean): InstalledAgents {
  return {
    codex: findProgram("codex", path) !== undefined,
    claude: findProgram("claude", path) !== undefined,
    ralph: hasProvider,
  };
}
