import type { CommandFlagRow } from "./flag-rows.ts";
import { DEMO_FLAGS, RUN_FLAGS, UNDERSTAND_FLAGS } from "./loop/run-flags.ts";
import { MCP_FLAGS } from "./mcp/mcp-flags.ts";

// The command line as data: parsing, help and shell completion are made from these commands and the flags of flags.ts.

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
