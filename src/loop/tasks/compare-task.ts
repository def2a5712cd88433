import { addMembers, applyChanges, removeMembers, replaceNode, type TextChange } from "./edit-json.ts";
import { type JsonDocument, memberOf, valueAt } from "./json-document.ts";
import { parseTask, type TaskPlace } from "./read-task.ts";
import { type ObjectNode, storyNodes } from "./story-nodes.ts";
import { quoted } from "./task-fields.ts";

// What somebody did to a task's file, field by field, and what becomes of it.

export interface TaskEdit {
  /**
   * `verdict` says what passes, `checks` what has to be proven and how, `control` what is worked on, where and by whom: these are
   * put back. `other` is kept.
   */
  kind: "verdict" | "checks" | "control" | "other";
  path: string;
  /** One sentence without its full stop. */
  message: string;
}

/** `text` is what should stand in the file: theirs where nothing has to be put back. */
export interface ComparedTask {
  edits: readonly TaskEdit[];
  text: string;
}

/** `theirs` is undefined for a file that is gone or no text. */
export function compareTask(trusted: JsonDocument, theirs: string | undefined, place: TaskPlace): ComparedTask {
  if (theirs === trusted.text) return { edits: [], text: trusted.text };
  const read = theirs === undefined ? undefined : parseTask(theirs, place);
  if (read?.ok !== true) {
    const message = theirs === undefined ? "the file was taken away" : "the file was made unreadable";
    return { edits: [{ kind: "control", path: "", message }], text: trusted.text };
  }
  const pairs = pairsOf(trusted, read.document);
  const edits = [
    ...pairs.flatMap(({ edits: own }) => own.map(({ edit }) => edit)),
    ...storyEdits(trusted, read.document),
  ];
  if (edits.every(({ kind }) => kind === "other")) return { edits, text: read.document.text };
  const text = applyChanges(
    trusted.text,
    pairs.flatMap((pair) => keptChanges(pair, trusted, read.document)),
  );
  return { edits, text: parseTask(text, place).ok ? text : trusted.text };
}

const TOP_KINDS: Record<string, TaskEdit["kind"]> = {
  schemaVersion: "control",
  branchName: "control",
  agent: "control",
  model: "control",
  failoverThreshold: "control",
  mergeTarget: "control",
  autoMerge: "control",
  setup: "checks",
};

const STORY_KINDS: Record<string, TaskEdit["kind"]> = {
  passes: "verdict",
  acceptanceCriteria: "checks",
  checks: "checks",
  sealed: "checks",
  dependsOn: "control",
  priority: "control",
  agent: "control",
  model: "control",
};

/** Leaving these away means the same. */
const DEFAULTS: Record<string, unknown> = {
  passes: false,
  checks: [],
  sealed: [],
  dependsOn: [],
  acceptanceCriteria: [],
};

interface KeyedEdit {
  key: string;
  edit: TaskEdit;
}

/** An object of the file as it was and as it is. */
interface Pair {
  before: ObjectNode;
  after: ObjectNode;
  edits: readonly KeyedEdit[];
}

function pairsOf(trusted: JsonDocument, theirs: JsonDocument): Pair[] {
  const { root: before } = trusted;
  const { root: after } = theirs;
  if (before.type !== "object" || after.type !== "object") return [];
  const top = editsOf([trusted, before], [theirs, after], { path: "", kinds: TOP_KINDS });
  const pairs: Pair[] = [{ before, after, edits: top }];
  const nodes = storyNodes(theirs);
  for (const [id, { node, path }] of storyNodes(trusted)) {
    const other = nodes.get(id)?.node;
    if (other === undefined) continue;
    const edits = editsOf([trusted, node], [theirs, other], { path, kinds: STORY_KINDS });
    pairs.push({ before: node, after: other, edits });
  }
  return pairs;
}

type InDocument = readonly [JsonDocument, ObjectNode];

function editsOf(
  [trusted, before]: InDocument,
  [theirs, after]: InDocument,
  { path, kinds }: { path: string; kinds: Record<string, TaskEdit["kind"]> },
): KeyedEdit[] {
  const keys = new Set([...before.members, ...after.members].map(({ key }) => key));
  return [...keys].flatMap((key): KeyedEdit[] => {
    const values = [valueIn(trusted, before, key), valueIn(theirs, after, key)] as const;
    if (key === "userStories" || Bun.deepEquals(values[0], values[1], true)) return [];
    const kind = Object.hasOwn(kinds, key) ? (kinds[key] ?? "other") : "other";
    const place = path === "" ? key : `${path}.${key}`;
    return [{ key, edit: { kind: kindFor(key, kind, values), path: place, message: changeOf(place, values) } }];
  });
}

function valueIn(document: JsonDocument, node: ObjectNode, key: string): unknown {
  const member = memberOf(node, key);
  const value = member === undefined ? undefined : valueAt(document, member);
  return value ?? (Object.hasOwn(DEFAULTS, key) ? DEFAULTS[key] : value);
}

/** Criteria that only say something else about passing are a verdict. */
function kindFor(key: string, kind: TaskEdit["kind"], [before, after]: readonly [unknown, unknown]): TaskEdit["kind"] {
  if (key !== "acceptanceCriteria") return kind;
  return Bun.deepEquals(withoutPasses(before), withoutPasses(after), true) ? "verdict" : kind;
}

function withoutPasses(criteria: unknown): unknown {
  if (!Array.isArray(criteria)) return criteria;
  return criteria.map((item) => (typeof item === "object" && item !== null ? { ...item, passes: undefined } : item));
}

function changeOf(path: string, [before, after]: readonly [unknown, unknown]): string {
  const place = quoted(path).slice(1, -1);
  if (before === undefined) return `${place} was added`;
  if (after === undefined) return `${place} was taken out`;
  return `${place} was changed from ${quoted(before)} to ${quoted(after)}`;
}

function storyEdits(trusted: JsonDocument, theirs: JsonDocument): TaskEdit[] {
  const [before, after] = [storyNodes(trusted), storyNodes(theirs)];
  const removed = [...before].filter(([id]) => !after.has(id));
  const added = [...after].filter(([id]) => !before.has(id));
  return [
    ...removed.map(
      ([id, { path }]): TaskEdit => ({ kind: "verdict", path, message: `story ${quoted(id)} was taken out` }),
    ),
    // A story brings commands that the harness would run.
    ...added.map(([id, { path }]): TaskEdit => ({ kind: "checks", path, message: `story ${quoted(id)} was added` })),
  ];
}

/** Their harmless edits, made on the text the harness trusts. */
function keptChanges({ before, after, edits }: Pair, trusted: JsonDocument, theirs: JsonDocument): TextChange[] {
  const keys = edits.filter(({ edit }) => edit.kind === "other").map(({ key }) => key);
  const added: { key: string; text: string }[] = [];
  const changes = keys.flatMap((key): TextChange[] => {
    const [old, now] = [memberOf(before, key), memberOf(after, key)];
    const text = now === undefined ? undefined : theirs.text.slice(now.start, now.end);
    if (old !== undefined && text !== undefined) return [replaceNode(old, text)];
    if (text !== undefined) added.push({ key, text });
    return [];
  });
  const removed = removeMembers(before, ({ key }) => keys.includes(key) && memberOf(after, key) === undefined);
  return [...changes, ...removed, ...addMembers(trusted, before, added)];
}
