import { createFuzzySearch, type FuzzySearch } from "../../tui/components/fuzzy.ts";
import { moveSelection, renderSelectList, type SelectItem } from "../../tui/components/select-list.ts";
import type { Line } from "../../tui/style/styled-line.ts";
import type { Theme } from "../../tui/style/theme.ts";

// What could be meant while somebody types: a command behind `/`, what may stand behind a command, a file behind `@`.

export interface Trigger {
  kind: "command" | "argument" | "file";
  /** What is written of it so far. */
  query: string;
  /** Where it begins in the text, with its sign. */
  start: number;
  /** The command before an argument. */
  command: string;
}

/** Commands only where the text begins with them; files wherever a word begins with the sign. */
export function triggerAt(text: string, cursor: number): Trigger | undefined {
  const before = text.slice(0, cursor);
  const command = /^\/([\w:.-]*)$/.exec(before);
  if (command !== null) return { kind: "command", query: command[1] ?? "", start: 0, command: "" };
  const file = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (file !== null) {
    const query = file[1] ?? "";
    return { kind: "file", query, start: cursor - query.length - 1, command: "" };
  }
  const argument = /^\/([A-Za-z][\w:.-]*) +([^\s]*)$/.exec(before);
  if (argument === null || cursor < text.length) return undefined;
  const query = argument[2] ?? "";
  return { kind: "argument", query, start: cursor - query.length, command: (argument[1] ?? "").toLowerCase() };
}

export interface Suggestions {
  trigger: Trigger;
  items: readonly SelectItem[];
  selected: number;
  /** Whether a person moved to it. */
  isChosen: boolean;
}

export interface SuggestionSource {
  labels: readonly string[];
  descriptions: readonly string[];
  search: FuzzySearch;
}

export function suggestionSource(rows: readonly { label: string; description?: string }[]): SuggestionSource {
  const labels = rows.map(({ label }) => label);
  return { labels, descriptions: rows.map(({ description = "" }) => description), search: createFuzzySearch(labels) };
}

export const SHOWN_SUGGESTIONS = 6;
const FOUND = 50;

export function suggest(trigger: Trigger, { labels, descriptions, search }: SuggestionSource): Suggestions {
  const items = search.search(trigger.query, FOUND).map(({ index }) => {
    const description = descriptions[index] ?? "";
    return { label: labels[index] ?? "", ...(description !== "" && { description }) };
  });
  return { trigger, items, selected: items.length === 0 ? -1 : 0, isChosen: false };
}

export function moveSuggestion(suggestions: Suggestions, step: number): Suggestions {
  return { ...suggestions, selected: moveSelection(suggestions.items, suggestions.selected, step), isChosen: true };
}

export function suggestionRows({ items, selected, trigger }: Suggestions, width: number, theme: Theme): Line[] {
  if (items.length === 0) return [];
  return renderSelectList(
    { items, selected, maximumRows: SHOWN_SUGGESTIONS, width, query: trigger.query, emptyText: "" },
    theme,
  );
}
