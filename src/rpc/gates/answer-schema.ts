import { asObject, type JsonObject } from "../../protocol/json.ts";
import type { TypedError } from "../typed-error.ts";
import { canonicalJson } from "./canonical-hash.ts";
import { type AnswerError, type Finding, KEYWORDS } from "./schema-keywords.ts";

// The part of JSON Schema 2020-12 that gates use. A keyword outside it is refused when the schema is made, so that nothing is
// ever advertised that is not checked.

/** A schema that was read. */
export type AnswerSchema = JsonObject & { readonly [read]: true };
declare const read: unique symbol;

export const SCHEMA_LIMITS = {
  /** Schemas within schemas. */
  depth: 16,
  /** Characters of the whole, as canonical JSON. */
  characters: 65_536,
  /** Errors told about one answer. */
  errors: 50,
};

export type SchemaReading = { ok: true; schema: AnswerSchema } | { ok: false; error: TypedError };

export function readAnswerSchema(raw: unknown): SchemaReading {
  const problem = problemOf(raw, { path: "", depth: 0 });
  if (problem !== undefined) return invalid(problem.path, problem.message);
  const text = canonicalJson(raw);
  if (text.length > SCHEMA_LIMITS.characters)
    return invalid("", `it has ${text.length} characters, more than ${SCHEMA_LIMITS.characters}`);
  // A copy: what was checked is what counts, whatever becomes of the original.
  return { ok: true, schema: JSON.parse(text) as AnswerSchema };
}

function invalid(path: string, message: string): SchemaReading {
  const where = path === "" ? "The schema" : `The schema at ${path}`;
  return { ok: false, error: { code: "invalid_workflow_gate_schema", message: `${where}: ${message}.`, path } };
}

interface Place {
  path: string;
  depth: number;
}

interface SchemaProblem {
  path: string;
  message: string;
}

function problemOf(raw: unknown, { path, depth }: Place): SchemaProblem | undefined {
  const schema = asObject(raw);
  if (schema === undefined) return { path, message: "it is not an object" };
  if (depth > SCHEMA_LIMITS.depth) return { path, message: `it is nested deeper than ${SCHEMA_LIMITS.depth} levels` };
  for (const [name, value] of Object.entries(schema)) {
    const keyword = KEYWORDS.get(name);
    const below = `${path}/${escaped(name)}`;
    if (keyword === undefined) return { path: below, message: `the keyword "${name}" is not supported` };
    if (!keyword.isValid(value)) return { path: below, message: `"${name}" must be ${keyword.wants}` };
    for (const [segment, inner] of keyword.schemasIn?.(value) ?? []) {
      const place = { path: segment === "" ? below : `${below}/${escaped(segment)}`, depth: depth + 1 };
      const problem = problemOf(inner, place);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

/** Everything that is wrong with an answer, as far as it is told; empty where it fits. */
export function checkAnswer(schema: AnswerSchema, answer: unknown): AnswerError[] {
  return errorsOf(schema, answer, "/answer").slice(0, SCHEMA_LIMITS.errors);
}

function errorsOf(schema: Readonly<Record<string, unknown>>, value: unknown, path: string): AnswerError[] {
  const inner = (below: unknown, member: unknown, segment?: string | number): AnswerError[] =>
    errorsOf(asObject(below) ?? {}, member, segment === undefined ? path : `${path}/${escaped(String(segment))}`);
  const errors: AnswerError[] = [];
  for (const [name, wanted] of Object.entries(schema)) {
    for (const finding of KEYWORDS.get(name)?.check?.({ wanted, value, schema, inner }) ?? []) {
      if ("path" in finding) errors.push(finding);
      else errors.push(told(finding, { path, keyword: name }));
      // The rest would not be told; a long list against a long schema ends here.
      if (errors.length >= SCHEMA_LIMITS.errors) return errors;
    }
  }
  return errors;
}

function told({ segment, ...finding }: Finding, { path, keyword }: Pick<AnswerError, "path" | "keyword">): AnswerError {
  return { path: segment === undefined ? path : `${path}/${escaped(segment)}`, keyword, ...finding };
}

/** A segment of a JSON pointer. */
function escaped(segment: string): string {
  return segment.replaceAll("~", "~0").replaceAll("/", "~1");
}
