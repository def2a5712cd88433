import type { Tool } from "../protocol/tool-runs.ts";
import { defineTool, textOutput } from "./define-tool.ts";
import { integer, optional, text } from "./input-fields.ts";
import description from "./search-tools.md" with { type: "text" };

export interface ToolShelf {
  /** Tools that can be used and are not advertised yet. */
  hidden(): readonly Tool[];
  /** Adds them at the end of the advertised list. */
  add(names: readonly string[]): void;
}

const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 10;
const MAX_NAMES_SHOWN = 40;

export function createSearchTools(shelf: ToolShelf): Tool {
  return defineTool({
    name: "search_tools",
    aliases: ["search_tool_bm25", "tool_search"],
    description,
    fields: {
      query: text("Words, or the name of a tool"),
      limit: optional(integer(`At most this many, default ${DEFAULT_LIMIT}`, { minimum: 1, maximum: MAX_LIMIT })),
    },
    isReadOnly: false,
    asks: () => [],
    run: async ({ query, limit = DEFAULT_LIMIT }) => {
      const hidden = shelf.hidden();
      const found = rankTools(query, hidden).slice(0, limit);
      const names = found.map(({ name }) => name);
      if (found.length === 0) return textOutput(nothingFound(query, hidden), { added: names });
      shelf.add(names);
      const lines = found.map((tool) => `- ${tool.name}: ${firstLine(tool.description)}`);
      return textOutput(`Added, ready to call:\n${lines.join("\n")}`, { added: names });
    },
  });
}

const SCORES = { wholeName: 100, wordOfName: 6, beginningInName: 3, wordOfDescription: 2, beginningInDescription: 1 };

/** Those with at least one word of the query, best first; equal ones stay in their order. */
export function rankTools(query: string, tools: readonly Tool[]): Tool[] {
  const wanted = [...new Set(wordsOf(query))];
  const wholeName = query.trim().toLowerCase();
  const scored = tools.map((tool) => {
    const whole = [tool.name, ...tool.aliases].some((name) => name.toLowerCase() === wholeName);
    return { tool, score: (whole ? SCORES.wholeName : 0) + wordScore(wanted, tool) };
  });
  const found = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  return found.map(({ tool }) => tool);
}

function wordScore(wanted: readonly string[], tool: Tool): number {
  const ofName = [tool.name, ...tool.aliases].flatMap(wordsOf);
  const ofDescription = wordsOf(tool.description);
  let score = 0;
  for (const word of wanted) {
    if (ofName.includes(word)) score += SCORES.wordOfName;
    else if (ofName.some((candidate) => isBeginning(word, candidate))) score += SCORES.beginningInName;
    if (ofDescription.includes(word)) score += SCORES.wordOfDescription;
    else if (ofDescription.some((candidate) => isBeginning(word, candidate))) score += SCORES.beginningInDescription;
  }
  return score;
}

const SHORTEST_BEGINNING = 3;

/** "embed" and "embedding", "pages" and "page". */
function isBeginning(left: string, right: string): boolean {
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  return short.length >= SHORTEST_BEGINNING && long.startsWith(short);
}

const STOP_WORDS = new Set(
  "a an and are as at be by for from in is it of on or that the this to tool tools with".split(" "),
);

/** Lower case, "memories" as "memory"; names like `readFile` and `read_file` fall into their words. */
function wordsOf(phrase: string): string[] {
  const spaced = phrase.replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2").toLowerCase();
  const words = (spaced.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !STOP_WORDS.has(word));
  return words.map((word) => word.replace(/ies$/, "y"));
}

function firstLine(description: string): string {
  return description.split("\n", 1)[0] ?? "";
}

function nothingFound(query: string, hidden: readonly Tool[]): string {
  if (hidden.length === 0) return "There are no further tools: all are advertised already.";
  const names = hidden.slice(0, MAX_NAMES_SHOWN).map(({ name }) => name);
  const more = hidden.length > names.length ? ` and ${hidden.length - names.length} more` : "";
  return `No tool matches "${query}". Search with one of these names: ${names.join(", ")}${more}.`;
}
