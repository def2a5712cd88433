import { ASK_CATEGORIES } from "../protocol/ask-categories.ts";
import { EFFORTS } from "../protocol/effort.ts";
import type { CommandFlagRow, FlagRow } from "./flag-rows.ts";
import { DEMO_FLAGS, RUN_FLAGS, UNDERSTAND_FLAGS } from "./loop/run-flags.ts";
import { MCP_FLAGS } from "./mcp/mcp-flags.ts";

// The whole command line as data: parsing, help and shell completion are made from these tables.

export interface CommandRow {
  name: string;
  arguments: string;
  description: string;
  /** The flags that mean something to this command, besides --help and --debug. */
  flags: string[];
  /** Flags only this command has. Behind its name they come before all others, so a short one may mean something else here. */
  ownFlags?: readonly CommandFlagRow[];
  /** What the first argument can be; anything else is refused. */
  words?: readonly string[];
  /** Only a command where `--` follows at once: by itself the word begins many a question. */
  behindDashes?: true;
}

export const FLAGS: FlagRow[] = [
  {
    name: "print",
    short: "p",
    description: "print one answer and exit; the prompt comes from the arguments or stdin",
    group: "Asking",
  },
  { name: "continue", short: "c", description: "go on with the newest session of this folder", group: "Asking" },
  {
    name: "resume",
    short: "r",
    value: "ID",
    optionalValue: true,
    description: "go on with a session, by id or its beginning",
    group: "Asking",
  },
  {
    name: "fork",
    description: "go on in a copy of the newest session, or of that of -r",
    group: "Asking",
  },
  { name: "no-compact", description: "never shorten the conversation by itself", group: "Asking" },
  { name: "safe", description: "offer only tools that look: no writing, no commands", group: "Asking" },
  { name: "no-session", description: "keep nothing of this run", group: "Asking" },
  { name: "yolo", description: "answer every question of tools with yes", group: "Asking" },
  {
    name: "allow",
    value: "RULE",
    repeats: true,
    description: "allow this without a question, like 'Bash(npm test:*)'; may be given again",
    group: "Asking",
  },
  {
    name: "allow-category",
    value: "KIND",
    repeats: true,
    choices: ASK_CATEGORIES,
    description: "ask no questions of this kind; may be given again",
    group: "Asking",
  },
  {
    name: "sandbox",
    value: "MODE",
    choices: ["auto", "off"],
    description: "auto, or off to run commands with all your rights",
    group: "Asking",
  },
  { name: "tools", value: "NAMES", description: "offer only these tools, comma-separated, or none", group: "Asking" },
  { name: "max-turns", value: "N", description: "stop after so many answers (200)", group: "Asking" },
  { name: "max-tokens", value: "N", description: "stop when so many tokens are used", group: "Asking" },
  { name: "max-cost", value: "USD", description: "stop when so much is spent", group: "Asking" },
  { name: "max-minutes", value: "N", description: "stop after so many minutes", group: "Asking" },
  { name: "system-prompt-file", value: "FILE", description: "use this text as the system prompt", group: "Asking" },
  { name: "append-system-prompt", value: "TEXT", description: "add this text to the system prompt", group: "Asking" },
  {
    name: "model",
    value: "MODEL",
    description: "provider/id, id, role or part of a name, with :effort if you like",
    group: "Model",
  },
  {
    name: "effort",
    value: "LEVEL",
    choices: EFFORTS,
    description: "how hard the model thinks: off, minimal, low, medium, high, xhigh, max",
    group: "Model",
  },
  {
    name: "api-key",
    value: "KEY",
    description: "use this key for this run; other users can see it",
    group: "Model",
  },
  { name: "models", value: "PATTERNS", description: "only these models, comma-separated, * allowed", group: "Model" },
  { name: "mpreset", value: "PROFILE", description: "use a model profile for this run", group: "Model" },
  { name: "default", description: "with --mpreset: use the profile from now on", group: "Model" },
  {
    name: "list-models",
    value: "SEARCH",
    optionalValue: true,
    description: "list canonical and concrete models and exit",
    group: "Model",
  },
  { name: "max-output-tokens", value: "N", description: "the longest answer", group: "Model" },
  {
    name: "login",
    value: "PROVIDER",
    optionalValue: true,
    description: "as ralph login; openai-codex where none is named",
    group: "Model",
  },
  {
    name: "logout",
    value: "PROVIDER",
    optionalValue: true,
    description: "as ralph logout; openai-codex where none is named",
    group: "Model",
  },
  { name: "no-stream", description: "wait for the whole answer", group: "Output" },
  { name: "plain", description: "lines only, for a screen reader", group: "Output" },
  { name: "json", description: "one JSON object per line: assistant, user, system, result", group: "Output" },
  {
    name: "mode",
    value: "MODE",
    choices: ["text", "json", "stream-json", "rpc", "acp"],
    description:
      "text, json for every event on a line, stream-json as Claude Code's, rpc to be driven by a program, acp by an editor",
    group: "Output",
  },
  {
    name: "output-format",
    value: "FORMAT",
    choices: ["text", "json", "stream-json"],
    description: "as Claude Code has it: json for the result alone, stream-json for all lines",
    group: "Output",
  },
  {
    name: "input-format",
    value: "FORMAT",
    choices: ["text", "stream-json"],
    description: "stream-json for a user message on every line of standard input",
    group: "Output",
  },
  {
    name: "output-schema",
    value: "FILE",
    description: "the answer is JSON that fits this JSON Schema",
    group: "Output",
  },
  {
    name: "record",
    value: "FILE",
    description: "write everything of this run into FILE, for ralph replay",
    group: "Output",
  },
  {
    name: "preset",
    value: "NAME",
    description: "with setup provider: minimax, minimax-cn or glm",
    group: "With a command",
  },
  { name: "all", description: "with sessions: those of all folders", group: "With a command" },
  { name: "entry", value: "ID", description: "with sessions: the branch that ends there", group: "With a command" },
  { name: "html", description: "with sessions export: as one page", group: "With a command" },
  { name: "md", description: "with sessions export: as Markdown", group: "With a command" },
  { name: "jsonl", description: "with sessions export: as JSON lines, with everything", group: "With a command" },
  {
    name: "output",
    short: "o",
    value: "FILE",
    description: "with sessions export: into this file",
    group: "With a command",
  },
  {
    name: "list",
    description: "with undo: the turns that changed files; with trust: the trusted folders",
    group: "With a command",
  },
  {
    name: "uncertain",
    description: "with undo: also what may be your own change, because Ralph was stopped while a command ran",
    group: "With a command",
  },
  { name: "staged", description: "with secrets scan: what would be committed", group: "With a command" },
  {
    name: "fingerprints",
    description: "with secrets scan: what to put into .ralph/secrets-ignore for a find that is no secret",
    group: "With a command",
  },
  { name: "trust", description: "obey the files of this project for this run", group: "Asking" },
  {
    name: "forget",
    value: "PATH",
    optionalValue: true,
    description: "with trust: trust this folder, or that one, no longer",
    group: "With a command",
  },
  { name: "yes", description: "do not ask before removing or writing over something", group: "With a command" },
  { name: "debug", description: "show what goes over the wire, and stack traces", group: "Other" },
  { name: "help", short: "h", description: "show this", group: "Other" },
  { name: "version", short: "v", description: "show the version", group: "Other" },
];

export const COMMANDS: CommandRow[] = [
  {
    name: "models",
    arguments: "[SEARCH]",
    description: "what can be used, and why something cannot",
    flags: ["json", "api-key", "models", "model", "trust"],
  },
  {
    name: "login",
    arguments: "[PROVIDER]",
    description: "log in with a subscription, or store a key that is typed or piped",
    flags: [],
  },
  { name: "logout", arguments: "[PROVIDER]", description: "forget a stored login or key", flags: [] },
  { name: "doctor", arguments: "", description: "what is missing and how to fix it", flags: ["json", "sandbox"] },
  {
    name: "config",
    arguments: "[list | why KEY]",
    description: "the settings and where each value comes from",
    flags: ["json", "model", "effort", "sandbox", "trust"],
    words: ["why", "list"],
  },
  {
    name: "sessions",
    arguments: "[list|show ID|search WORDS|rm ID…|export ID|name ID TEXT]",
    description: "what was said before: list, read, search, remove, export, name",
    flags: ["all", "json", "entry", "html", "md", "jsonl", "output", "yes"],
    words: ["list", "show", "search", "rm", "export", "name"],
  },
  {
    name: "undo",
    arguments: "[TURN]",
    description: "take back what a turn changed in files, the newest where none is named",
    flags: ["resume", "list", "json", "yes", "uncertain"],
  },
  {
    name: "replay",
    arguments: "FILE",
    description: "play a recorded run again, offline, and say where it differs",
    flags: ["yolo", "allow", "allow-category", "sandbox", "trust", "system-prompt-file"],
    ownFlags: [
      { name: "until", value: "N", description: "stop after turn N" },
      { name: "check", description: "say only whether it is still the same run" },
      { name: "save-test", value: "DIR", description: "make a test of it: recording, expected output and check.sh" },
      { name: "fork", description: "go on from there as a new session, with the real model and tools" },
      { name: "prompt", value: "TEXT", description: "with --fork: say this instead" },
      { name: "model", value: "MODEL", description: "with --fork: use this model" },
    ],
  },
  {
    name: "why",
    arguments: "-- COMMAND",
    behindDashes: true,
    description: "what the gate would say to a command here, and why; nothing is run",
    flags: ["trust", "json", "sandbox"],
  },
  {
    name: "permissions",
    arguments: "check | path | simulate RULE",
    description: "what the gate says to JSON lines on standard input, without doing anything",
    flags: [],
    words: ["check", "path", "simulate"],
  },
  {
    name: "secrets",
    arguments: "scan [PATH…]",
    description: "keys and passwords in files, or in what is staged for a commit",
    flags: ["staged", "fingerprints", "json"],
    words: ["scan"],
  },
  {
    name: "trust",
    arguments: "",
    description: "obey the files of this project from now on",
    flags: ["list", "forget", "json", "yes"],
  },
  {
    name: "completion",
    arguments: "SHELL",
    description: "print the completion script of a shell: bash, zsh, fish",
    flags: [],
    words: ["bash", "zsh", "fish"],
  },
  {
    name: "setup",
    arguments: "provider --preset NAME",
    description: "write a ready-made provider into models.yml",
    flags: ["preset"],
    words: ["provider"],
  },
  {
    name: "init",
    arguments: "[DIR]",
    description: "make a task for the loop: prd.json, progress.txt, prompts",
    flags: ["json"],
    ownFlags: [{ name: "from", value: "FILE", description: "a prd.json, or a list of stories in Markdown" }],
  },
  {
    name: "run",
    arguments: "[N] [TASK]",
    description: "run agents on the stories of a task until they are proven done",
    flags: [],
    ownFlags: RUN_FLAGS,
  },
  {
    name: "demo",
    arguments: "",
    description: "the whole loop on a small repository of its own, without a key",
    flags: [],
    ownFlags: DEMO_FLAGS,
  },
  {
    name: "understand",
    arguments: "[N]",
    description: "let an agent map the project into scripts/ralph/codebase_map.md",
    flags: [],
    ownFlags: UNDERSTAND_FLAGS,
  },
  {
    name: "status",
    arguments: "[TASK]",
    description: "the loops and what they are doing",
    flags: ["json"],
  },
  {
    name: "attach",
    arguments: "TASK",
    description: "watch a loop, steer it, or take over its agent",
    flags: [],
  },
  {
    name: "stop",
    arguments: "TASK",
    description: "end a loop and its agent; the next run goes on with the work",
    flags: [],
  },
  { name: "checkpoint", arguments: "TASK", description: "let a loop finish its iteration and pause", flags: [] },
  {
    name: "inject",
    arguments: "TASK TEXT…",
    description: "tell the next agent of a loop something; the text may come from stdin",
    flags: [],
  },
  {
    name: "logs",
    arguments: "TASK [N]",
    description: "what the agent of an iteration printed, the newest where none is named",
    flags: [],
    ownFlags: [{ name: "follow", short: "f", description: "go on with what comes" }],
  },
  {
    name: "receipts",
    arguments: "TASK",
    description: "what was proven in the newest run of a loop",
    flags: ["json"],
  },
  {
    name: "acp",
    arguments: "",
    description: "be the agent of an editor that speaks the Agent Client Protocol, over stdin and stdout",
    flags: [
      ...["model", "effort", "api-key", "models", "mpreset", "max-output-tokens", "no-stream"],
      ...["safe", "yolo", "allow", "allow-category", "sandbox", "tools", "trust", "no-session", "no-compact"],
      ...["max-turns", "max-tokens", "max-cost", "max-minutes", "system-prompt-file", "append-system-prompt"],
    ],
  },
  {
    name: "mcp",
    arguments: "serve",
    description:
      "let other agents make tasks, start and watch loops and read sessions, over the Model Context Protocol",
    flags: [],
    words: ["serve"],
    ownFlags: MCP_FLAGS,
  },
  { name: "help", arguments: "[COMMAND]", description: "show help", flags: [] },
];

export const EXAMPLES: [string, string][] = [
  ['ralph -p "explain this error" < build.log', "ask about what a command printed"],
  ['ralph -p "what is wrong here? @screen.png"', "attach a picture"],
  ["ralph -p --model anthropic/claude-sonnet-4-6:high …", "choose a model and how hard it thinks"],
  ["ralph -p --model scripted/demo hello", "try it without a key"],
  ["ralph models sonnet", "find a model"],
];
