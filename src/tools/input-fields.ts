import { asObject, type JsonObject } from "../protocol/json.ts";

// The arguments of a tool, field by field: one table gives the JSON Schema a model sees, the check of what it sends, and the type
// the tool works with. It is small and builds nothing at start, because every first request carries these schemas.

export interface Field<Value> {
  json: JsonObject;
  isOptional: boolean;
  /** Other spellings of the name. */
  aliases: readonly string[];
  parse(value: unknown): Parsed<Value>;
}

export type Parsed<Value> = { ok: true; value: Value } | { ok: false; message: string };
export type Fields = Record<string, Field<unknown>>;
type ValueOf<F> = F extends Field<infer Value> ? Value : never;
export type InputOf<F extends Fields> = { [Name in keyof F]: ValueOf<F[Name]> };

/** Where the name says it all, a description would only cost tokens. */
export function text(description?: string): Field<string> {
  return field({ type: "string", ...(description === undefined ? {} : { description }) }, (value) =>
    typeof value === "string" ? { ok: true, value } : { ok: false, message: "must be a string" },
  );
}

/** Models sometimes quote numbers, so a string of digits counts. */
export function integer(
  description: string,
  { minimum, maximum }: { minimum?: number; maximum?: number } = {},
): Field<number> {
  // The limit is said in words: as a keyword, decoders that enforce a schema would not take it.
  const words = maximum === undefined ? description : `${description}, at most ${maximum}`;
  return field({ type: "integer", description: words }, (value) => {
    const number = typeof value === "string" && /^-?\d+$/.test(value.trim()) ? Number(value) : value;
    if (typeof number !== "number" || !Number.isInteger(number))
      return { ok: false, message: "must be a whole number" };
    if (minimum !== undefined && number < minimum) return { ok: false, message: `must be at least ${minimum}` };
    if (maximum !== undefined && number > maximum) return { ok: false, message: `must be at most ${maximum}` };
    return { ok: true, value: number };
  });
}

export function flag(description?: string): Field<boolean> {
  return field({ type: "boolean", ...(description === undefined ? {} : { description }) }, (value) => {
    if (value === "true" || value === true) return { ok: true, value: true };
    if (value === "false" || value === false) return { ok: true, value: false };
    return { ok: false, message: "must be true or false" };
  });
}

export function oneOf<const Choice extends string>(choices: readonly Choice[], description?: string): Field<Choice> {
  const json = { type: "string", enum: [...choices], ...(description === undefined ? {} : { description }) };
  return field(json, (value) => {
    const found = choices.find((choice) => choice === value);
    return found === undefined
      ? { ok: false, message: `must be one of ${choices.join(", ")}` }
      : { ok: true, value: found };
  });
}

export function listOf<Value>(item: Field<Value>, description: string, maximum: number): Field<Value[]> {
  return field({ type: "array", items: item.json, description }, (value) => {
    if (!Array.isArray(value)) return { ok: false, message: "must be a list" };
    if (value.length > maximum) return { ok: false, message: `must have at most ${maximum} entries` };
    const values: Value[] = [];
    for (const [index, entry] of value.entries()) {
      const parsed = item.parse(entry);
      if (!parsed.ok) return { ok: false, message: `entry ${index + 1} ${parsed.message}` };
      values.push(parsed.value);
    }
    return { ok: true, value: values };
  });
}

export function objectOf<F extends Fields>(fields: F, description: string): Field<InputOf<F>> {
  return field({ ...parametersOf(fields), description }, (value) => {
    const parsed = parseInput(fields, asObject(value) ?? {});
    return asObject(value) === undefined ? { ok: false, message: "must be an object" } : parsed;
  });
}

export function optional<Value>(inner: Field<Value>): Field<Value | undefined> {
  return { ...inner, isOptional: true };
}

/** Also understood under these names. */
export function named<Value>(inner: Field<Value>, ...aliases: string[]): Field<Value> {
  return { ...inner, aliases };
}

/** The JSON Schema of the whole. */
export function parametersOf(fields: Fields): JsonObject {
  const names = Object.keys(fields);
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, fields[name]?.json])),
    required: names.filter((name) => fields[name]?.isOptional !== true),
    additionalProperties: false,
  };
}

/** Every mistake is named at once, so that the model can mend them together. Unknown names are mistakes too. */
export function parseInput<F extends Fields>(fields: F, input: Record<string, unknown>): Parsed<InputOf<F>> {
  const mistakes: string[] = [];
  const values: Record<string, unknown> = {};
  const known = new Set<string>();
  for (const [name, field] of Object.entries(fields)) {
    const spelling = [name, ...field.aliases].find((candidate) => Object.hasOwn(input, candidate));
    for (const candidate of [name, ...field.aliases]) known.add(candidate);
    const given = spelling === undefined ? undefined : input[spelling];
    if (given === undefined || (given === null && field.isOptional)) {
      if (!field.isOptional) mistakes.push(`"${name}" is missing`);
      continue;
    }
    const parsed = field.parse(given);
    if (parsed.ok) values[name] = parsed.value;
    else mistakes.push(`"${name}" ${parsed.message}`);
  }
  for (const name of Object.keys(input))
    if (!known.has(name)) mistakes.push(`"${name}" is not an argument of this tool`);
  if (mistakes.length > 0) return { ok: false, message: mistakes.join("; ") };
  return { ok: true, value: values as InputOf<F> };
}

function field<Value>(json: JsonObject, parse: (value: unknown) => Parsed<Value>): Field<Value> {
  return { json, isOptional: false, aliases: [], parse };
}
