import { basename, dirname, extname, relative } from "node:path";
import type { AskDraft } from "../../protocol/tool-runs.ts";
import type { SegmentVerdict } from "./decide-command.ts";

// The rules a person may keep instead of answering the same question again. They are shown before they count, and never say more
// than what was asked in words or place: nothing broadens silently.

/** Empty where the answer cannot be kept. */
export function suggestRules(ask: AskDraft, segments: readonly SegmentVerdict[], workspace: string): string[] {
  switch (ask.category) {
    case "shell":
      return commandRules(segments);
    case "file_read":
    case "file_write":
      return ask.resources.map(
        (path) => `${ask.category === "file_read" ? "Read" : "Write"}(${placeOf(path, workspace)})`,
      );
    case "network":
      return ask.resources.flatMap((address) =>
        URL.canParse(address) ? [`WebFetch(domain:${new URL(address).hostname})`] : [],
      );
    case "mcp":
      return ask.resources.map((resource) => `Mcp(${resource})`);
    default:
      return [];
  }
}

/** One rule for each part that asked. Where one of them cannot be kept, none is. */
function commandRules(segments: readonly SegmentVerdict[]): string[] {
  const asking = segments.filter(({ effect }) => effect === "ask");
  const rules = asking.map(({ words }) => ruleFor(words));
  const isWhole = rules.length > 0 && rules.every((rule) => rule !== undefined);
  return isWhole ? [...new Set(rules.filter((rule) => rule !== undefined))] : [];
}

function ruleFor(words: readonly string[]): string | undefined {
  const [program = "", first] = words;
  if (!words.every(isPlain) || VOLATILE.test(words.join(" "))) return undefined;
  if (RUNS_ANYTHING.test(basename(program)) || first === undefined || first.startsWith("-"))
    return `Bash(${words.join(" ")})`;
  return `Bash(${program} ${first}:*)`;
}

/** Words that mean the same in a rule as in the command. */
function isPlain(word: string): boolean {
  return /^[\w@%+=:,./-]+$/.test(word) && !word.endsWith(":*");
}

/** Line numbers are others the next time: such a rule would never be used again. */
const VOLATILE = /(^| )\d+(,\d+)?p( |$)|:\d+(:\d+)?( |$)/;

/** Programs whose first argument says nothing about what they will do. */
const RUNS_ANYTHING =
  /^(ba|z|da|k|fi)?sh$|^(python|node|ruby|perl|php|bun|deno|lua)[\d.]*$|^(rm|mv|cp|ln|dd|tee|chmod|chown|xargs|find|sed|awk)$/;

/** Beside the root of the workspace and outside it the very file, elsewhere its kind in its folder. */
function placeOf(path: string, workspace: string): string {
  const way = relative(workspace, path);
  const isInside = way !== "" && !way.startsWith("..");
  const folder = dirname(way);
  const extension = extname(path);
  const hasKind = isInside && folder !== "." && extension !== "";
  if (hasKind) return `${escaped(folder)}/*${escaped(extension)}`;
  return escaped(isInside ? way : path);
}

function escaped(text: string): string {
  return text.replace(/[*?[\]\\]/g, "\\$&");
}
