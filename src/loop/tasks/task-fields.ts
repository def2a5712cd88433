import type { TaskProblem } from "../../protocol/loop-tasks.ts";

// Reading one field of somebody's JSON: a value of the right kind, or a problem told in the words of the file.

export type Report = (problem: TaskProblem) => void;

/** An object of the file, where it stands, and who hears what is wrong with it. */
export interface Fields {
  values: Record<string, unknown>;
  path: string;
  report: Report;
}

export type Need = "required" | "optional";

const EXAMPLES: Record<string, string> = {
  branchName: '"ralph/checkout"',
  userStories: "[ … ]",
  id: '"S-1"',
  title: '"Pay by card"',
  description: '"As a customer I can pay by card."',
  acceptanceCriteria: '["An expired card is refused"]',
  priority: "1",
  passes: "false",
  notes: '""',
  dependsOn: '["S-1"]',
  checks: '["npm test"]',
  sealed: '["test/**"]',
  setup: '"npm ci"',
  agent: '"codex"',
  model: '"anthropic/claude-sonnet-4-6"',
  failoverThreshold: "3",
  mergeTarget: '"main"',
  autoMerge: "false",
  timeout: "600",
  mustFailFirst: "true",
  run: '"npm test"',
  exists: '"dist/app.js"',
};

export function textField(fields: Fields, key: string, need: Need): string | undefined {
  return field(fields, key, { need, kind: "a text in quotes", fits: (value) => typeof value === "string" });
}

/** The same where an empty text means nothing. Blanks around it are taken off. */
export function filledField(fields: Fields, key: string, need: Need): string | undefined {
  const text = textField(fields, key, need);
  if (text === undefined || text.trim() !== "") return text?.trim();
  fields.report({ path: pathOf(fields, key), message: "is empty", remedy: likeThis(key) });
  return undefined;
}

export function booleanField(fields: Fields, key: string, need: Need): boolean | undefined {
  return field(fields, key, { need, kind: "true or false", fits: (value) => typeof value === "boolean" });
}

export function integerField(fields: Fields, key: string, need: Need): number | undefined {
  return field(fields, key, { need, kind: "a whole number", fits: (value) => Number.isSafeInteger(value) });
}

export function listField(fields: Fields, key: string, need: Need): unknown[] | undefined {
  return field(fields, key, { need, kind: "a list in [ ]", fits: (value) => Array.isArray(value) });
}

/** A list of texts, each handed in with its place. Those of another kind are told and left out. */
export function textsIn(list: readonly unknown[], place: { path: string; key: string; report: Report }): Placed[] {
  return list.flatMap((value, index) => {
    const path = `${place.path}[${index}]`;
    if (typeof value === "string") return [{ text: value, path }];
    place.report({ path, message: `has to be a text in quotes, not ${kindOf(value)}`, remedy: likeThis(place.key) });
    return [];
  });
}

export interface Placed {
  text: string;
  path: string;
}

interface Kind {
  need: Need;
  kind: string;
  fits(value: unknown): boolean;
}

function field<Value>(fields: Fields, key: string, { need, kind, fits }: Kind): Value | undefined {
  const value = Object.hasOwn(fields.values, key) ? fields.values[key] : undefined;
  if (fits(value)) return value as Value;
  const path = pathOf(fields, key);
  if (value !== undefined && !(value === null && need === "optional")) {
    fields.report({ path, message: `has to be ${kind}, not ${kindOf(value)}`, remedy: likeThis(key) });
  } else if (need === "required")
    fields.report({ path, message: "is missing", remedy: `Add it, like ${example(key)}.` });
  return undefined;
}

export function pathOf({ path }: Pick<Fields, "path">, key: string): string {
  if (!/^[\w$-]{1,60}$/.test(key)) return `${path}[${quoted(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}

export function likeThis(key: string): string {
  return `Write it like ${example(key)}.`;
}

function example(key: string): string {
  return `"${key}": ${EXAMPLES[key] ?? "…"}`;
}

/** What somebody wrote, short enough for a message and without anything that steers a terminal. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  const plain = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
  return plain.length > LONGEST_QUOTE ? `${plain.slice(0, LONGEST_QUOTE)}…` : plain;
}

const LONGEST_QUOTE = 60;

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return quoted(value);
}
