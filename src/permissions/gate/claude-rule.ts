import type { AskCategory } from "../../protocol/asks.ts";
import { hostRule, type PermissionRule, plainWords, type RuleBody, type RuleEffect } from "./permission-rule.ts";

// Rules as Claude Code writes them: Bash(npm run:*), Edit(/src/**), WebFetch(domain:x), mcp__server__tool. Paths are patterns of
// .gitignore there, and a word in brackets behind Bash is always a command.

/** Where the patterns of a settings file begin. */
export interface ClaudePlaces {
  /** The working directory: `src/**`, `./src`, `*.ts`. */
  workspace: string;
  /** The top folder of the project: `/src`. */
  project: string;
}

export interface ClaudeEntry {
  text: string;
  effect: RuleEffect;
  /** The file, as it is shown. */
  origin: string;
}

export interface ClaudeReading {
  rules: PermissionRule[];
  /** What was not understood and what it counts for instead. */
  problem?: string;
}

/** What cannot be understood allows nothing; where it was to stop or ask, everything it may have meant is asked about. */
export function readClaudeRule({ text, effect, origin }: ClaudeEntry, places: ClaudePlaces): ClaudeReading {
  const written = text.trim();
  const asRules = (bodies: readonly RuleBody[], counts: RuleEffect) =>
    bodies.map((body): PermissionRule => ({ effect: counts, text: written, origin, body }));
  const { name, given } = partsOf(written);
  const tool = toolNamed(name);
  const body = tool.read?.({ name, given, effect, places });
  if (body !== undefined) return { rules: asRules([body], effect) };
  const said = `"${written}" of ${origin} is not understood`;
  if (effect === "allow") return { rules: [], problem: `${said}, so it allows nothing` };
  const instead = insteadOf(tool, given);
  if (instead.length === 0) return { rules: [], problem: `${said}: there is nothing of that kind here` };
  return { rules: asRules(instead, "ask"), problem: `${said}, so ${instead.map(inWords).join(", ")} is asked about` };
}

interface Written {
  name: string;
  /** What stands in the brackets; undefined without any. */
  given: string | undefined;
  effect: RuleEffect;
  places: ClaudePlaces;
}

interface ClaudeTool {
  /** Undefined for a form that is not understood. */
  read?(written: Written): RuleBody | undefined;
  /** What a rule that is not understood may have meant. */
  kinds: readonly AskCategory[];
}

const READS: ClaudeTool = { read: (written) => pathBody("Read", written), kinds: ["file_read", "shell"] };
const WRITES: ClaudeTool = { read: (written) => pathBody("Write", written), kinds: ["file_write", "shell"] };
const SUBAGENT: ClaudeTool = { kinds: ["subagent"] };
/** Tools there that search or list; here the rules for reading decide. */
const LOOKS: ClaudeTool = { kinds: ["file_read"] };
/** There is nothing like them here that could do harm. */
const NOTHING: ClaudeTool = { kinds: [] };
/** Nobody knows what it means: everything but looking is asked about. */
const UNKNOWN: ClaudeTool = { kinds: ["file_write", "shell", "network", "subagent", "mcp", "python", "plugin"] };

const TOOLS = new Map<string, ClaudeTool>([
  ["Bash", { read: commandBody, kinds: ["shell"] }],
  ["Read", READS],
  ["Edit", WRITES],
  ["Write", WRITES],
  ["MultiEdit", WRITES],
  ["NotebookEdit", WRITES],
  ["WebFetch", { read: ({ given }) => bodyOrNothing(hostRule(given)), kinds: ["network", "shell"] }],
  ["WebSearch", { kinds: ["network"] }],
  ["Agent", SUBAGENT],
  ["Task", SUBAGENT],
  ["Grep", LOOKS],
  ["Glob", LOOKS],
  ["LS", LOOKS],
  ...["Skill", "SlashCommand", "TodoWrite", "ExitPlanMode", "AskUserQuestion", "BashOutput", "KillShell"].map(
    (name): [string, ClaudeTool] => [name, NOTHING],
  ),
]);

const MCP: ClaudeTool = { read: mcpBody, kinds: ["mcp"] };

function toolNamed(name: string): ClaudeTool {
  return name.startsWith("mcp__") ? MCP : (TOOLS.get(name) ?? UNKNOWN);
}

function partsOf(text: string): Pick<Written, "name" | "given"> {
  const groups = /^(?<name>[^()\s]+)(?:\((?<given>.*)\))?$/s.exec(text)?.groups;
  return { name: groups?.name ?? "", given: groups?.given?.trim() };
}

/** Stars count only at the end, behind whole words; the rest of what Claude Code matches by the text of a command is not plain enough. */
function commandBody({ given }: Written): RuleBody | undefined {
  if (given === undefined || given === "*" || given === ":*") return { type: "every-command" };
  const isPrefix = /(:\*| \*)$/.test(given);
  const words = plainWords(isPrefix ? given.slice(0, -2) : given);
  return words === undefined ? undefined : { type: "command", words, isExact: !isPrefix };
}

/** A pattern of .gitignore as an absolute glob. Where it fits a folder, everything in it fits. */
function pathBody(scope: "Read" | "Write", { given, effect, places }: Written): RuleBody | undefined {
  const { workspace, project } = places;
  // Without brackets it is what the agent works in, never the whole disk, unless it takes away.
  if (given === undefined || given === "*" || given === "**")
    return { type: "path", scope, glob: effect === "allow" ? `${escaped(workspace)}/**` : "/**" };
  if (given === "" || /^!|[{}\\]|:\*$|(^|\/)\.\.(\/|$)/.test(given)) return undefined;
  const plain = given.replace(/(?<=.)\/(\*\*)?$/, "");
  return { type: "path", scope, glob: `${anchored(plain, { workspace, project })}/**` };
}

function anchored(pattern: string, { workspace, project }: ClaudePlaces): string {
  if (pattern.startsWith("//")) return pattern.slice(1);
  if (/^~(\/|$)/.test(pattern)) return pattern;
  if (pattern.startsWith("/")) return `${escaped(project)}${pattern}`;
  const here = pattern.replace(/^(\.\/)+/, "");
  const isAnywhere = here === pattern && !pattern.includes("/");
  return `${escaped(workspace)}/${isAnywhere ? "**/" : ""}${here}`;
}

function escaped(path: string): string {
  return path.replace(/[*?[\]\\]/g, "\\$&");
}

/** A name with further double underscores could be cut in two ways, so it is not cut at all. */
function mcpBody({ name, given }: Written): RuleBody | undefined {
  const groups =
    /^mcp__(?<server>[A-Za-z0-9.-]+(?:_[A-Za-z0-9.-]+)*)(?:__(?<tool>\*|[A-Za-z0-9.-]+(?:_[A-Za-z0-9.-]+)*))?$/.exec(
      name,
    )?.groups;
  if (groups?.server === undefined || given !== undefined) return undefined;
  return { type: "mcp", server: groups.server, tool: groups.tool ?? "*" };
}

function bodyOrNothing(body: RuleBody | string): RuleBody | undefined {
  return typeof body === "string" ? undefined : body;
}

/** Of a command whatever begins with the words in front of the first that is not plain. */
function insteadOf({ kinds }: ClaudeTool, given: string | undefined): RuleBody[] {
  const isCommand = kinds.length === 1 && kinds[0] === "shell";
  const words = isCommand ? leadingWords(given ?? "") : [];
  if (words.length > 0) return [{ type: "command", words, isExact: false }];
  return kinds.map((category) => ({ type: "category", category }));
}

/** Only words that end before the first star: `git*` may be any program. */
function leadingWords(command: string): string[] {
  const words = command.split(" ");
  const odd = words.findIndex((word) => plainWords(word) === undefined);
  return odd < 1 ? [] : words.slice(0, odd);
}

function inWords(body: RuleBody): string {
  if (body.type === "command") return body.words.join(" ");
  return body.type === "category" ? `everything of ${body.category}` : "everything";
}
