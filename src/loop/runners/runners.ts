import { commandRules, exactRule, prefixRule } from "./check-rules.ts";
import type { InvokeOptions, Runner, RunnerName, TakeOverOptions } from "./runner.ts";

export interface RunnerPrograms {
  /** How this Ralph was started: the program and the arguments before its own. */
  ralph: readonly string[];
  /** The command line of `custom`. */
  agentCommand?: string;
}

export type Runners = { readonly [Name in RunnerName]: Runner | undefined };

/** Every runner by its name. `custom` is there where a command was given. */
export function createRunners({ ralph, agentCommand }: RunnerPrograms): Runners {
  return {
    ralph: ralphRunner(ralph),
    codex: codexRunner,
    claude: claudeRunner,
    custom: agentCommand === undefined ? undefined : customRunner(agentCommand),
  };
}

/** The session is kept, so that a person can go on in it. */
function ralphRunner(command: readonly string[]): Runner {
  const permissions = ({ yolo, checkCommands }: InvokeOptions) =>
    yolo
      ? ["--yolo"]
      : [
          ...["--allow-category", "file_write"],
          ...commandRules(checkCommands).flatMap((rule) => ["--allow", exactRule(rule)]),
        ];
  const model = (options: InvokeOptions) => [
    ...option("--model", options.model),
    ...option("--effort", options.effort),
    ...permissions(options),
  ];
  return {
    name: "ralph",
    readsAgentsFile: true,
    invoke: (options) => ({
      argv: [...command, "-p", "--mode", "json", ...model(options)],
      environment: {},
      stdin: options.prompt,
      transcript: "ralph",
    }),
    takeOver: (options) => ({
      argv: [...command, ...option("-r", options.session), ...model(options)],
      environment: {},
    }),
  };
}

const codexRunner: Runner = {
  name: "codex",
  readsAgentsFile: true,
  invoke: (options) => ({
    argv: [
      ...["codex", "exec", "--json", ...codexOptions(options)],
      ...(options.isRepository ? [] : ["--skip-git-repo-check"]),
      ...["--output-last-message", options.finalMessageFile, "-"],
    ],
    environment: {},
    stdin: options.prompt,
    transcript: "codex",
    finalMessageFile: options.finalMessageFile,
  }),
  takeOver: (options) => ({
    argv: [
      "codex",
      ...(options.session === undefined ? [] : ["resume"]),
      ...codexOptions(options),
      ...(options.session === undefined ? [] : [options.session]),
    ],
    environment: {},
  }),
};

function codexOptions({ root, model, effort, yolo }: InvokeOptions): string[] {
  const effortName = effort === undefined ? undefined : CODEX_EFFORTS[effort];
  return [
    ...["-C", root],
    ...(yolo ? ["--dangerously-bypass-approvals-and-sandbox"] : ["--sandbox", "workspace-write"]),
    ...option("-m", model),
    ...option("-c", effortName && `model_reasoning_effort=${effortName}`),
  ];
}

/** Our efforts in its words. What is not here is left to its own default. */
const CODEX_EFFORTS: Readonly<Record<string, string>> = {
  off: "none",
  minimal: "minimal",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "xhigh",
};

const claudeRunner: Runner = {
  name: "claude",
  readsAgentsFile: false,
  invoke: (options) => ({
    argv: ["claude", "-p", "--output-format", "stream-json", "--verbose", ...claudeOptions(options)],
    environment: {},
    stdin: options.prompt,
    transcript: "claude",
  }),
  takeOver: (options) => ({
    argv: ["claude", ...option("--resume", options.session), ...claudeOptions(options)],
    environment: {},
  }),
};

function claudeOptions({ model, effort, yolo, checkCommands }: InvokeOptions): string[] {
  const rules = commandRules(checkCommands).map(prefixRule);
  const effortName = effort === undefined ? undefined : CLAUDE_EFFORTS[effort];
  return [
    ...option("--model", model),
    ...option("--effort", effortName),
    ...(yolo ? ["--dangerously-skip-permissions"] : ["--permission-mode", "acceptEdits"]),
    // It takes every word behind it for a rule, so it is the last.
    ...(yolo || rules.length === 0 ? [] : ["--allowedTools", ...rules]),
  ];
}

const CLAUDE_EFFORTS: Readonly<Record<string, string>> = {
  off: "low",
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "max",
};

/** Whatever the command is: a login shell runs it, so that it means what it means in a terminal. */
function customRunner(command: string): Runner {
  return {
    name: "custom",
    readsAgentsFile: false,
    invoke: ({ prompt, promptFile, model, effort }) => ({
      argv: ["bash", "-lc", command],
      environment: {
        RALPH_PROMPT_FILE: promptFile,
        ...(model !== undefined && { MODEL: model }),
        ...(effort !== undefined && { MODEL_REASONING_EFFORT: effort }),
      },
      stdin: prompt,
      transcript: "plain",
      promptFile,
    }),
    takeOver: ({ promptFile }: TakeOverOptions) => ({
      argv: ["bash", "-lc", command],
      environment: { RALPH_PROMPT_FILE: promptFile },
    }),
  };
}

function option(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [name, value];
}
