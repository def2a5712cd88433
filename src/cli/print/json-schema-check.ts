import { asObject } from "../../protocol/json.ts";
import { KEYWORDS } from "./json-schema-keywords.ts";
import { type Check, type Place, type Schema, where } from "./json-schema-places.ts";

// JSON Schema, draft 2020-12, as far as people use it for answers. What a schema says that is not known here is refused when it is
// read, so that no answer ever passes because nobody looked.

export type ReadSchemaResult = { ok: true; schema: Schema } | { ok: false; message: string };

/** Or the first thing that is wrong with it, with its place. */
export function readSchema(document: unknown): ReadSchemaResult {
  if (typeof document !== "boolean" && asObject(document) === undefined)
    return { ok: false, message: "a schema is an object, true or false" };
  const schema = document as Schema;
  const problem = schemaProblem(schema, { root: schema, path: "#", depth: 0 });
  return problem === undefined ? { ok: true, schema } : { ok: false, message: problem };
}

/** What does not fit, each with its place; empty where everything does. */
export function problemsWith(schema: Schema, value: unknown): string[] {
  const check: Check = { root: schema, problems: [], steps: { left: MOST_STEPS }, depth: 0 };
  checkValue(schema, { value, path: "" }, check);
  // Where the check gave up nothing is known, also not what a `not` made of it.
  return check.steps.left < 0 ? ["it takes too long to check: the schema goes round in circles"] : check.problems;
}

const MOST_STEPS = 200_000;
const MOST_PROBLEMS = 20;
const DEEPEST = 200;

function checkValue(schema: Schema, place: Place, check: Check): void {
  if (check.problems.length >= MOST_PROBLEMS || schema === true) return;
  if (check.depth > DEEPEST) check.steps.left = 0;
  if (--check.steps.left < 0) return;
  if (schema === false) return void check.problems.push(`${where(place)}: nothing is allowed here`);
  const inner = { ...check, depth: check.depth + 1 };
  const descend = (below: Schema, at: Place) => checkValue(below, at, inner);
  const isFitting = (below: Schema) => fits(below, place, inner);
  for (const [name, said] of Object.entries(schema)) {
    KEYWORDS[name]?.check?.({ said, schema, place, check: inner, descend, isFitting });
  }
}

/** Whether the value fits, without a word about it. */
function fits(schema: Schema, place: Place, check: Check): boolean {
  const own = { ...check, problems: [] };
  checkValue(schema, place, own);
  return own.problems.length === 0;
}

interface Reading {
  root: Schema;
  path: string;
  depth: number;
}

function schemaProblem(schema: unknown, reading: Reading): string | undefined {
  if (typeof schema === "boolean") return undefined;
  const { root, path, depth } = reading;
  const fields = asObject(schema);
  if (fields === undefined) return `${path} is no schema: a schema is an object, true or false`;
  if (depth > DEEPEST) return `${path} is nested more than ${DEEPEST} deep`;
  for (const [name, said] of Object.entries(fields)) {
    const place = `${path}/${name}`;
    const keyword = Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name] : undefined;
    if (keyword === undefined)
      return `${place} is a keyword Ralph does not check. Leave it out, or say it in another way`;
    const wrong = keyword.problem(said, root);
    if (wrong !== undefined) return `${place} ${wrong}`;
    for (const [word, inner] of keyword.inside?.(said) ?? []) {
      const problem = schemaProblem(inner, { root, path: `${place}${word}`, depth: depth + 1 });
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}
