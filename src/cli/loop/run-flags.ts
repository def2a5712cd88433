import { ADAPTER_NAMES } from "../../loop/transcripts/adapter.ts";
import { EFFORTS } from "../../protocol/effort.ts";
import type { CommandFlagRow } from "../flag-rows.ts";

// The flags of `ralph run` and `ralph understand`. Where a variable of the environment says the same, the flag wins.

/** `auto` is what fits the runner. */
export const TRANSCRIPTS = ["auto", ...ADAPTER_NAMES] as const;

/** `none` is what Codex calls `off`. */
export const REASONING_LEVELS = [...EFFORTS, "none"] as const;

/** What both take. */
const SHARED: readonly CommandFlagRow[] = [
  { name: "root", value: "DIR", description: "where the agent works (the repository around the task)" },
  { name: "prompt", short: "p", value: "FILE", variable: "PROMPT_FILE", description: "the prompt of every iteration" },
  {
    name: "agent",
    value: "NAMES",
    description: "ralph, codex, claude or custom; several, comma-separated, stand in for each other",
  },
  {
    name: "agent-cmd",
    value: "COMMAND",
    variable: "AGENT_CMD",
    description: "run this instead; the prompt is on its standard input",
  },
  {
    name: "transcript",
    value: "FORMAT",
    choices: TRANSCRIPTS,
    variable: "RALPH_TRANSCRIPT",
    description: "how the agent's output is read (auto)",
  },
  { name: "model", short: "m", value: "MODEL", variable: "MODEL", description: "the model the agent uses" },
  {
    name: "reasoning",
    value: "LEVEL",
    choices: REASONING_LEVELS,
    variable: "MODEL_REASONING_EFFORT",
    description: "how hard the model thinks: off, minimal, low, medium, high, xhigh, max",
  },
  {
    name: "max-iterations",
    value: "N",
    variable: "MAX_ITERATIONS",
    description: "stop after so many iterations (10; 50 with a task named)",
  },
  { name: "max-minutes", value: "N", description: "stop after so many minutes of work (600)" },
  { name: "max-tokens", value: "N", description: "stop when so many tokens are used" },
  { name: "max-cost", value: "USD", description: "stop when so much is spent; needs known prices" },
  { name: "max-wait", value: "MINUTES", description: "the longest wait for a used-up quota (360); 0 stops at once" },
  { name: "idle-timeout", value: "SECONDS", description: "end an agent that prints nothing for so long (900)" },
  { name: "iteration-timeout", value: "SECONDS", description: "end an agent after so long (7200)" },
  { name: "cool-down", value: "SECONDS", description: "the pause before one more try when every agent failed (60)" },
  {
    name: "sleep",
    short: "s",
    value: "SECONDS",
    variable: "SLEEP_SECONDS",
    description: "the pause between iterations (2)",
  },
  { name: "interactive", short: "i", variable: "INTERACTIVE", description: "ask before every iteration" },
  {
    name: "branch",
    value: "NAME",
    mayBeEmpty: true,
    variable: "RALPH_BRANCH",
    description: "work on this branch; empty: stay where you are",
  },
  {
    name: "allowed-paths",
    value: "PATHS",
    mayBeEmpty: true,
    variable: "ALLOWED_PATHS",
    description: "all the agent may change: files, or folders ending in /, comma-separated",
  },
  {
    name: "pricing",
    value: "FILE",
    description: "prices of models in USD per million tokens, for --max-cost and reports",
  },
  { name: "yolo", description: "the agent asks nobody for anything" },
  { name: "name", value: "NAME", description: "what the run is called by status, stop and attach" },
  { name: "fresh", description: "begin anew instead of going on with a run that was cut off" },
  { name: "on-verdict", value: "COMMAND", description: "run this at the end, with RALPH_VERDICT and RALPH_REASON set" },
  { name: "json", description: "every event as a line of JSON, the verdict last" },
  {
    name: "ui",
    value: "KIND",
    choices: ["auto", "rich", "plain", "gum", "textual"],
    variable: "RALPH_UI",
    description: "a live view or plain lines (auto); gum and textual mean rich",
  },
  { name: "no-color", variable: "NO_COLOR", description: "no colours" },
  { name: "ascii", variable: "RALPH_ASCII", description: "only ASCII signs" },
  { name: "ai-raw", variable: "RALPH_AI_RAW", description: "show the agent's lines as they come" },
  {
    name: "ai-show-prompt",
    variable: "RALPH_AI_SHOW_PROMPT",
    description: "show the prompt where the agent echoes it",
  },
  {
    name: "ai-show-final",
    variable: "RALPH_AI_SHOW_FINAL",
    description: "show the agent's last message again at the end",
  },
  {
    name: "ai-prompt-progress-every",
    value: "N",
    variable: "RALPH_AI_PROMPT_PROGRESS_EVERY",
    description: "a sign of life every so many hidden lines (50)",
  },
  {
    name: "ai-tool-mode",
    value: "MODE",
    choices: ["summary", "full", "none"],
    variable: "RALPH_AI_TOOL_MODE",
    description: "how much of the tools is shown (summary)",
  },
  {
    name: "ai-sys-mode",
    value: "MODE",
    choices: ["summary", "full"],
    variable: "RALPH_AI_SYS_MODE",
    description: "how much of the agent's own notes is shown (summary)",
  },
];

export const RUN_FLAGS: readonly CommandFlagRow[] = [
  { name: "prd", value: "FILE", variable: "PRD_FILE", description: "the stories; else the task folder's prd.json" },
  { name: "base-branch", value: "NAME", description: "where a new branch begins (where you are)" },
  { name: "worktree", description: "work in a worktree of its own, beside the repository" },
  { name: "undo", description: "take back what the last run of the task changed" },
  { name: "yes", description: "with --undo: do not ask" },
  ...SHARED,
];

export const UNDERSTAND_FLAGS: readonly CommandFlagRow[] = SHARED;

const SHOWING = new Set([
  "json",
  "ui",
  "no-color",
  "ascii",
  "ai-raw",
  "ai-show-prompt",
  "ai-show-final",
  "ai-prompt-progress-every",
  "ai-tool-mode",
  "ai-sys-mode",
]);

export const DEMO_FLAGS: readonly CommandFlagRow[] = SHARED.filter(({ name }) => SHOWING.has(name));

/** What the person says about loops that other agents start through `ralph mcp serve`. */
const SERVED = new Set([
  ...["agent", "agent-cmd", "transcript", "model", "reasoning", "prompt", "allowed-paths", "worktree", "yolo"],
  ...["max-iterations", "max-minutes", "max-tokens", "max-cost", "pricing", "max-wait"],
  ...["idle-timeout", "iteration-timeout", "cool-down", "sleep"],
]);

export const SERVED_RUN_FLAGS: readonly CommandFlagRow[] = RUN_FLAGS.filter(({ name }) => SERVED.has(name));
