import type { SessionEntry } from "../protocol/session-entries.ts";
import { type EntryList, isStore, lastOfType, readSteadily } from "./entries/entry-list.ts";
import { currentBranch } from "./tree.ts";

/**
 * The rules the model was told on the branch to this entry, each with how many answers came since. In most sessions there never was
 * one, which is known without reading it.
 */
export function toldRules(entries: EntryList, leafId: string | null): Map<string, number> {
  if (lastOfType(entries, "rules-injected") === undefined) return new Map();
  const told = new Map<string, number>();
  let answers = 0;
  for (const step of steps(entries, leafId)) {
    if (step === "answer") answers++;
    else for (const name of step.names) told.set(name, answers);
  }
  return new Map([...told].map(([name, at]) => [name, answers - at]));
}

type Step = "answer" | Extract<SessionEntry, { type: "rules-injected" }>;

function steps(entries: EntryList, leafId: string | null): Step[] {
  if (!isStore(entries)) return currentBranch(entries, leafId).flatMap(stepOf);
  return readSteadily(entries, () =>
    entries.rowsTo(leafId).flatMap((row): Step[] => {
      if (entries.mayBeBy(row, "assistant")) return ["answer"];
      const entry = entries.typeOf(row) === "rules-injected" ? entries.read(row) : undefined;
      return entry === undefined ? [] : stepOf(entry);
    }),
  );
}

function stepOf(entry: SessionEntry): Step[] {
  if (entry.type === "rules-injected") return [entry];
  return entry.type === "message" && entry.message.role === "assistant" ? ["answer"] : [];
}
