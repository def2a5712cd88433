import { asObject } from "../../protocol/json.ts";
import type { Criterion, Story } from "../../protocol/loop-tasks.ts";
import { findCycle } from "./dependency-cycle.ts";
import { readChecks, readSealed } from "./read-checks.ts";
import { type Dialect, refuseUnknownKeys } from "./task-dialect.ts";
import {
  booleanField,
  type Fields,
  filledField,
  integerField,
  likeThis,
  listField,
  pathOf,
  quoted,
  textField,
  textsIn,
} from "./task-fields.ts";

export const MOST_STORIES = 1000;
const MOST_CRITERIA = 200;
const LONGEST_ID = 100;

/** Every story that can be read; what is wrong with the others is reported. */
export function readStories(top: Fields, dialect: Dialect): Story[] {
  const { report } = top;
  const list = listField(top, "userStories", "required");
  if (list === undefined) return [];
  const remedy = 'Add what is to be done, each like { "id": "S-1", "title": "Pay by card", … }.';
  if (list.length === 0) report({ path: "userStories", message: "is empty: there is nothing to do", remedy });
  if (list.length > MOST_STORIES) {
    const message = `has ${list.length} stories; at most ${MOST_STORIES} are read`;
    report({ path: "userStories", message, remedy: "Split them into several tasks." });
  }
  const stories: Story[] = [];
  list.slice(0, MOST_STORIES).forEach((value, index) => {
    const path = `userStories[${index}]`;
    const values = asObject(value);
    if (values === undefined) report({ path, message: "has to be an object in { }", remedy: likeThis("userStories") });
    else stories.push(readStory({ values, path, report }, { dialect, priorityBefore: stories.at(-1)?.priority }));
  });
  refuseRepeatedIds(stories, top);
  refuseBrokenDependencies(stories, top);
  return stories;
}

interface StoryOptions {
  dialect: Dialect;
  priorityBefore: number | undefined;
}

function readStory(fields: Fields, { dialect, priorityBefore }: StoryOptions): Story {
  refuseUnknownKeys(fields, dialect.storyKeys);
  const agent = filledField(fields, "agent", "optional");
  const model = filledField(fields, "model", "optional");
  return {
    id: readId(fields),
    title: filledField(fields, "title", "required") ?? "",
    description: textField(fields, "description", "optional") ?? "",
    acceptanceCriteria: readCriteria(fields, dialect),
    // Without a number a story comes right behind the one before it.
    priority: integerField(fields, "priority", dialect.need) ?? priorityBefore ?? 1,
    passes: booleanField(fields, "passes", dialect.need) ?? false,
    notes: textField(fields, "notes", dialect.need) ?? "",
    dependsOn: readDependencies(fields),
    checks: readChecks(fields),
    sealed: readSealed(fields),
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
  };
}

/** Ids stand in file names, branch names and on screens. */
function readId(fields: Fields): string {
  const id = textField(fields, "id", "required");
  if (id === undefined) return "";
  if (id.length <= LONGEST_ID && /^[^\s\p{C}\p{Zl}\p{Zp}]([^\p{C}\p{Zl}\p{Zp}]*[^\s\p{C}])?$/u.test(id)) return id;
  const message = `${quoted(id)} is no id: 1 to ${LONGEST_ID} printable characters, no blanks around them`;
  fields.report({ path: pathOf(fields, "id"), message, remedy: likeThis("id") });
  return "";
}

function readCriteria(fields: Fields, dialect: Dialect): Criterion[] {
  const { report } = fields;
  const key = "acceptanceCriteria";
  const list = listField(fields, key, dialect.need) ?? [];
  const path = pathOf(fields, key);
  if (list.length > MOST_CRITERIA) {
    const message = `has ${list.length} criteria; at most ${MOST_CRITERIA} are read`;
    report({ path, message, remedy: "Split the story." });
  }
  return list.slice(0, MOST_CRITERIA).flatMap((value, index): Criterion[] => {
    const own = { path: `${path}[${index}]`, report };
    const values = dialect.hasObjectCriteria ? asObject(value) : undefined;
    if (values !== undefined) return readCriterion({ ...own, values });
    if (typeof value === "string") return [{ description: value }];
    const remedy = dialect.hasObjectCriteria
      ? 'Write it as a text, or like {"description": "An expired card is refused", "passes": false}.'
      : 'Write it as a text; objects are read in files with "schemaVersion": "2.0".';
    report({ path: own.path, message: "has to be a text in quotes", remedy });
    return [];
  });
}

function readCriterion(fields: Fields): Criterion[] {
  const description = textField(fields, "description", "required");
  const passes = booleanField(fields, "passes", "optional");
  if (description === undefined) return [];
  return [{ description, ...(passes === undefined ? {} : { passes }) }];
}

function readDependencies(fields: Fields): string[] {
  const list = listField(fields, "dependsOn", "optional") ?? [];
  const place = { path: pathOf(fields, "dependsOn"), key: "dependsOn", report: fields.report };
  return textsIn(list, place).map(({ text }) => text);
}

function refuseRepeatedIds(stories: readonly Story[], { report }: Fields): void {
  const first = new Map<string, number>();
  stories.forEach(({ id }, index) => {
    const earlier = first.get(id);
    if (id !== "" && earlier !== undefined) {
      const message = `${quoted(id)} is the id of userStories[${earlier}] too`;
      report({ path: `userStories[${index}].id`, message, remedy: "Give every story an id of its own." });
    }
    if (earlier === undefined) first.set(id, index);
  });
}

function refuseBrokenDependencies(stories: readonly Story[], { report }: Fields): void {
  const ids = new Set(stories.map(({ id }) => id));
  stories.forEach((story, index) => {
    story.dependsOn.forEach((id, position) => {
      if (ids.has(id)) return;
      const path = `userStories[${index}].dependsOn[${position}]`;
      report({ path, message: `no story has the id ${quoted(id)}`, remedy: "Correct the id, or take it out." });
    });
  });
  const cycle = findCycle(stories);
  if (cycle === undefined) return;
  const message = `stories wait for each other: ${cycle.map((id) => quoted(id).slice(1, -1)).join(" → ")}`;
  report({ path: "userStories", message, remedy: "Take one of these out of dependsOn." });
}
