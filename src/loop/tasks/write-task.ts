import { mkdirSync, renameSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "../../system/file-failure.ts";
import { ensureDirectory, writeFileAtomic } from "../../system/files.ts";
import { lookAt } from "../../system/look-at.ts";
import { readTextFile } from "../../system/text-file.ts";
import { compareTask, type TaskEdit } from "./compare-task.ts";
import { addMembers, applyChanges, replaceNode, type TextChange } from "./edit-json.ts";
import { itemsOf, type JsonDocument, type JsonNode, memberOf, parseJson, valueAt } from "./json-document.ts";
import { MAX_TASK_BYTES, type TaskPlace } from "./read-task.ts";
import { type ObjectNode, storyNodes } from "./story-nodes.ts";

// What the harness writes into a task's file. Only the named values change: every other character, the layout, the order of keys
// and the way numbers are written stay.

export interface StoryChange {
  story: string;
  /** Criteria that say for themselves whether they pass do so with the story. */
  passes?: boolean;
  /** A line put at the end of the notes. */
  note?: string;
}

/** `document` is what stands in the file now. */
type WrittenTask = { ok: true; document: JsonDocument } | { ok: false; message: string };

/** The text with the change in it; undefined where there is no such story. */
export function changeStory(document: JsonDocument, { story, passes, note }: StoryChange): string | undefined {
  const node = storyNodes(document).get(story)?.node;
  if (node === undefined) return undefined;
  const values = new Map<string, unknown>();
  if (passes !== undefined) values.set("passes", passes);
  if (note !== undefined) values.set("notes", withNote(document, memberOf(node, "notes"), note));
  const changes = [...setMembers(document, node, values), ...(passes === undefined ? [] : setCriteria(node, passes))];
  return applyChanges(document.text, changes);
}

export type RestoredTask =
  | { ok: true; document: JsonDocument; edits: readonly TaskEdit[] }
  | { ok: false; message: string };

/**
 * Changes one story and puts back in the same step what an agent did to the file since the harness last knew it, so that nothing
 * an agent writes is ever taken for the harness's own.
 */
export async function writeVerdict(
  place: TaskPlace,
  { trusted, change }: { trusted: JsonDocument; change: StoryChange },
): Promise<RestoredTask> {
  let edits: readonly TaskEdit[] = [];
  const written = await rewrite(place.file, (text) => {
    const compared = compareTask(trusted, text, place);
    edits = compared.edits;
    const parsed = parseJson(compared.text);
    const changed = parsed.ok ? changeStory(parsed.document, change) : undefined;
    if (changed === undefined) return { ok: false, message: `${place.file} has no story ${change.story}.` };
    return { ok: true, text: changed };
  });
  return written.ok ? { ...written, edits } : written;
}

/**
 * Looks at what an agent did to the file since the harness last knew it, puts back what is not the agent's to decide, and keeps
 * the rest. The edits are named whether they were kept or not.
 */
export async function restoreTask(place: TaskPlace, trusted: JsonDocument): Promise<RestoredTask> {
  let edits: readonly TaskEdit[] = [];
  const written = await rewrite(place.file, (text) => {
    const compared = compareTask(trusted, text, place);
    edits = compared.edits;
    return { ok: true, text: compared.text };
  });
  return written.ok ? { ...written, edits } : written;
}

function setMembers(document: JsonDocument, node: ObjectNode, values: ReadonlyMap<string, unknown>): TextChange[] {
  const entries = [...values].map(([key, value]) => ({ key, text: JSON.stringify(value) }));
  const added = entries.filter(({ key }) => memberOf(node, key) === undefined);
  const replaced = entries.flatMap(({ key, text }) => {
    const member = memberOf(node, key);
    return member === undefined ? [] : [replaceNode(member, text)];
  });
  return [...replaced, ...addMembers(document, node, added)];
}

function setCriteria(story: JsonNode, value: boolean): TextChange[] {
  return itemsOf(memberOf(story, "acceptanceCriteria")).flatMap((criterion) => {
    const passes = memberOf(criterion, "passes");
    return passes === undefined ? [] : [replaceNode(passes, String(value))];
  });
}

function withNote(document: JsonDocument, notes: JsonNode | undefined, note: string): string {
  const before = notes === undefined ? "" : valueAt(document, notes);
  return typeof before === "string" && before !== "" ? `${before}\n${note}` : note;
}

const MOST_ATTEMPTS = 10;

type Rewriting = { ok: true; text: string } | { ok: false; message: string };

/** Writes what `change` makes of the text, which is undefined for a file that is not there or not readable. */
async function rewrite(file: string, change: (text: string | undefined) => Rewriting): Promise<WrittenTask> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const before = textOf(file);
    const changed = change(before);
    if (!changed.ok) return changed;
    if (changed.text !== before) {
      await ensureDirectory(dirname(file), 0o777);
      const inTheWay = makeWay(file);
      if (inTheWay !== undefined) return { ok: false, message: inTheWay };
      const mayReplace = () => textOf(file) === before;
      const written = await writeFileAtomic(file, changed.text, { mayReplace });
      if (!written.ok && written.reason === "changed") continue;
      if (!written.ok) return written;
    }
    const parsed = parseJson(changed.text);
    return parsed.ok ? parsed : { ok: false, message: `${file}: ${parsed.message}` };
  }
  return { ok: false, message: `${file} was not written: it changed ${MOST_ATTEMPTS} times meanwhile.` };
}

/**
 * A folder in the file's place, or a file in the place of a folder it is in, is set aside, since it may hold something; a pipe or a
 * socket holds nothing and goes.
 */
function makeWay(file: string): string | undefined {
  const found = lookAt(file);
  if (found?.isFile() || found?.isSymbolicLink()) return undefined;
  try {
    if (found === undefined) makeWayAbove(file);
    else if (found.isDirectory()) renameSync(file, `${file}.folder-${crypto.randomUUID().slice(0, 8)}`);
    else unlinkSync(file);
    return undefined;
  } catch (error) {
    return `${file} cannot be written: what stands there cannot be moved (${errorCode(error) ?? "unknown"}).`;
  }
}

function makeWayAbove(file: string): void {
  let above = dirname(file);
  while (lookAt(above) === undefined && above !== dirname(above)) above = dirname(above);
  if (lookAt(above)?.isFile()) renameSync(above, `${above}.file-${crypto.randomUUID().slice(0, 8)}`);
  mkdirSync(dirname(file), { recursive: true });
}

/** A link is not followed: where it leads to was not the person's choice. */
function textOf(file: string): string | undefined {
  if (lookAt(file)?.isFile() !== true) return undefined;
  const read = readTextFile(file, { maxBytes: MAX_TASK_BYTES });
  return read.ok ? read.text : undefined;
}
