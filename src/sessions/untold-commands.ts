import type { UserMessage } from "../protocol/messages.ts";
import type { SessionEntry } from "../protocol/session-entries.ts";
import { type EntryList, isStore, lastOfType, readSteadily } from "./entries/entry-list.ts";
import { currentBranch } from "./tree.ts";

// Commands a person ran themselves, until the model is told of them. Which those are is found in the session, so that a resumed or
// branched one tells the same.

export type CommandEntry = Extract<SessionEntry, { type: "command" }>;

/** In the order in which they ended. In most sessions there never was one, which is known without reading it. */
export function untoldCommands(entries: EntryList, leafId: string | null): CommandEntry[] {
  if (lastOfType(entries, "command") === undefined) return [];
  const untold = new Map<string, CommandEntry>();
  for (const entry of commandsAndPrompts(entries, leafId)) {
    if (entry.type === "command") untold.set(entry.id, entry);
    else if (entry.type === "message") for (const id of entry.commandIds ?? []) untold.delete(id);
  }
  return [...untold.values()];
}

function commandsAndPrompts(entries: EntryList, leafId: string | null): SessionEntry[] {
  if (!isStore(entries)) return currentBranch(entries, leafId);
  const isNeeded = (row: number) => entries.typeOf(row) === "command" || entries.mayBeBy(row, "user");
  return readSteadily(entries, () =>
    entries.rowsTo(leafId).flatMap((row) => (isNeeded(row) && entries.read(row)) || []),
  );
}

/** What the model is told of them. */
export function commandsMessage(commands: readonly CommandEntry[]): UserMessage {
  return { role: "user", content: commands.map((command) => ({ type: "text", text: textOf(command) })) };
}

function textOf({ command, output, ending, artifact }: CommandEntry): string {
  const printed = output === "" || output.endsWith("\n") ? output : `${output}\n`;
  const whole = artifact === undefined ? "" : ` The whole output is in ${artifact}`;
  return `<command_of_person>\nThe person ran this command themselves:\n$ ${command}\n${printed}${ending}${whole}\n</command_of_person>`;
}
