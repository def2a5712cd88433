import { asArray, asNumber, asObject, asString } from "../../protocol/json.ts";
import { type Check, type Place, resolveReference, type Schema, where } from "./json-schema-places.ts";

export interface Keyword {
  /** What is wrong with what a schema says behind it. */
  problem(said: unknown, root: Schema): string | undefined;
  /** The schemas in it, with the words that lead to them. */
  inside?(said: unknown): [string, unknown][];
  /** Absent for what says something to people only. */
  check?(checking: Checking): void;
}

export interface Checking {
  said: unknown;
  /** The schema the keyword stands in: some keywords count only beside others. */
  schema: Record<string, unknown>;
  place: Place;
  check: Check;
  /** Checks another value, or the same one, with a schema inside this one. */
  descend(schema: Schema, place: Place): void;
  /** Whether the value fits a schema inside this one, without a word about it. */
  isFitting(schema: Schema): boolean;
}

const fine = () => undefined;
const isText = (said: unknown) => (typeof said === "string" ? undefined : "has to be a text");
const isNumber = (said: unknown) => (asNumber(said) === undefined ? "has to be a number" : undefined);
const isCount = (said: unknown) =>
  Number.isInteger(said) && (said as number) >= 0 ? undefined : "has to be a whole number from 0 on";
const isList = (said: unknown) => (Array.isArray(said) && said.length > 0 ? undefined : "has to be a list");
const isObject = (said: unknown) => (asObject(said) === undefined ? "has to be an object" : undefined);
const isNames = (said: unknown) =>
  Array.isArray(said) && said.every((name) => typeof name === "string") ? undefined : "has to be a list of names";

const inList = (said: unknown) => asArray(said).map((inner, index): [string, unknown] => [`/${index}`, inner]);
const inFields = (said: unknown) =>
  Object.entries(asObject(said) ?? {}).map(([name, inner]): [string, unknown] => [`/${name}`, inner]);
const itself = (said: unknown): [string, unknown][] => [["", said]];

const note = (isRight: (said: unknown) => string | undefined = fine): Keyword => ({ problem: isRight });
const complain = ({ place, check }: Checking, what: string) => void check.problems.push(`${where(place)}: ${what}`);

/** A bound on a number that is taken from a value; undefined where the value has no such number. */
function bound(
  isRight: (said: unknown) => string | undefined,
  measure: (value: unknown) => number | undefined,
  { holds, words }: { holds(measured: number, limit: number): boolean; words(limit: number): string },
): Keyword {
  return {
    problem: isRight,
    check(checking) {
      const measured = measure(checking.place.value);
      const limit = checking.said as number;
      if (measured !== undefined && !holds(measured, limit)) complain(checking, words(limit));
    },
  };
}

const atLeast = (what: string) => ({
  holds: (measured: number, limit: number) => measured >= limit,
  words: (limit: number) => `has to have at least ${limit} ${what}`,
});
const atMost = (what: string) => ({
  holds: (measured: number, limit: number) => measured <= limit,
  words: (limit: number) => `may have at most ${limit} ${what}`,
});

const number = (value: unknown) => asNumber(value);
/** In characters as people count them. */
const length = (value: unknown) => (typeof value === "string" ? [...value].length : undefined);
const size = (value: unknown) => (Array.isArray(value) ? value.length : undefined);
const fields = (value: unknown) => {
  const object = asObject(value);
  return object === undefined ? undefined : Object.keys(object).length;
};

const TYPES: Record<string, (value: unknown) => boolean> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === "boolean",
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  array: Array.isArray,
  object: (value) => asObject(value) !== undefined,
};

export const KEYWORDS: Record<string, Keyword> = {
  $schema: note(isText),
  $id: note(isText),
  $comment: note(isText),
  title: note(isText),
  description: note(isText),
  default: note(),
  examples: note((said) => (Array.isArray(said) ? undefined : "has to be a list")),
  deprecated: note(),
  readOnly: note(),
  writeOnly: note(),
  format: note((said) =>
    FORMATS.includes(String(said)) ? undefined : `names no format Ralph knows: ${FORMATS.join(", ")}`,
  ),
  $defs: { problem: isObject, inside: inFields },
  definitions: { problem: isObject, inside: inFields },
  $ref: {
    problem: (said, root) =>
      resolveReference(root, asString(said) ?? "") === undefined
        ? "leads nowhere: only places in the same file are followed, like #/$defs/name"
        : undefined,
    check({ said, place, check, descend }) {
      const schema = resolveReference(check.root, String(said));
      if (schema !== undefined) descend(schema, place);
    },
  },
  type: {
    problem: (said) =>
      [said].flat().every((name) => Object.hasOwn(TYPES, String(name)))
        ? undefined
        : `has to be one of ${Object.keys(TYPES).join(", ")}`,
    check(checking) {
      const names = [checking.said].flat().map(String);
      if (!names.some((name) => TYPES[name]?.(checking.place.value)))
        complain(checking, `has to be ${names.join(" or ")}, not ${typeOf(checking.place.value)}`);
    },
  },
  enum: {
    problem: isList,
    check(checking) {
      const choices = asArray(checking.said);
      if (!choices.some((choice) => isEqual(choice, checking.place.value)))
        complain(checking, `has to be one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`);
    },
  },
  const: {
    problem: fine,
    check(checking) {
      if (!isEqual(checking.said, checking.place.value))
        complain(checking, `has to be ${JSON.stringify(checking.said)}`);
    },
  },
  minimum: bound(isNumber, number, {
    holds: (value, limit) => value >= limit,
    words: (limit) => `has to be ${limit} or more`,
  }),
  maximum: bound(isNumber, number, {
    holds: (value, limit) => value <= limit,
    words: (limit) => `may be ${limit} at most`,
  }),
  exclusiveMinimum: bound(isNumber, number, {
    holds: (value, limit) => value > limit,
    words: (limit) => `has to be above ${limit}`,
  }),
  exclusiveMaximum: bound(isNumber, number, {
    holds: (value, limit) => value < limit,
    words: (limit) => `has to be below ${limit}`,
  }),
  multipleOf: bound((said) => isNumber(said) ?? ((said as number) > 0 ? undefined : "has to be above 0"), number, {
    holds: (value, limit) => Math.abs(value / limit - Math.round(value / limit)) < 1e-9,
    words: (limit) => `has to be a multiple of ${limit}`,
  }),
  minLength: bound(isCount, length, atLeast("characters")),
  maxLength: bound(isCount, length, atMost("characters")),
  minItems: bound(isCount, size, atLeast("items")),
  maxItems: bound(isCount, size, atMost("items")),
  minProperties: bound(isCount, fields, atLeast("fields")),
  maxProperties: bound(isCount, fields, atMost("fields")),
  pattern: {
    problem: expressionProblem,
    check(checking) {
      const { value } = checking.place;
      if (typeof value === "string" && !new RegExp(String(checking.said), "u").test(value))
        complain(checking, `has to match ${checking.said}`);
    },
  },
  uniqueItems: {
    problem: (said) => (typeof said === "boolean" ? undefined : "has to be true or false"),
    check(checking) {
      const items = asArray(checking.place.value).map(sortedText);
      if (checking.said === true && new Set(items).size < items.length) complain(checking, "has the same item twice");
    },
  },
  required: {
    problem: isNames,
    check(checking) {
      const object = asObject(checking.place.value);
      if (object === undefined) return;
      for (const name of asArray(checking.said))
        if (!Object.hasOwn(object, String(name))) complain(checking, `${JSON.stringify(name)} is missing`);
    },
  },
  properties: {
    problem: isObject,
    inside: inFields,
    check({ said, place, descend }) {
      const object = asObject(place.value) ?? {};
      for (const [name, schema] of Object.entries(asObject(said) ?? {}))
        if (Object.hasOwn(object, name)) descend(schema as Schema, below(place, name, object[name]));
    },
  },
  patternProperties: {
    problem: (said) =>
      isObject(said) ??
      Object.keys(said as object)
        .map(expressionProblem)
        .find(Boolean),
    inside: inFields,
    check({ said, place, descend }) {
      for (const [expression, schema] of Object.entries(asObject(said) ?? {}))
        for (const [name, value] of Object.entries(asObject(place.value) ?? {}))
          if (new RegExp(expression, "u").test(name)) descend(schema as Schema, below(place, name, value));
    },
  },
  additionalProperties: {
    problem: fine,
    inside: itself,
    check({ said, schema, place, check, descend }) {
      const known = Object.keys(asObject(schema.properties) ?? {});
      const patterns = Object.keys(asObject(schema.patternProperties) ?? {}).map((source) => new RegExp(source, "u"));
      for (const [name, value] of Object.entries(asObject(place.value) ?? {})) {
        if (known.includes(name) || patterns.some((pattern) => pattern.test(name))) continue;
        if (said === false) check.problems.push(`${where(place)}: ${JSON.stringify(name)} is not allowed`);
        else descend(said as Schema, below(place, name, value));
      }
    },
  },
  propertyNames: {
    problem: fine,
    inside: itself,
    check({ said, place, descend }) {
      for (const name of Object.keys(asObject(place.value) ?? {}))
        descend(said as Schema, { value: name, path: `${place.path}/${name}` });
    },
  },
  prefixItems: {
    problem: isList,
    inside: inList,
    check({ said, place, descend }) {
      const items = asArray(place.value);
      for (const [index, schema] of asArray(said).entries())
        if (index < items.length) descend(schema as Schema, below(place, String(index), items[index]));
    },
  },
  items: {
    problem: fine,
    inside: itself,
    check({ said, schema, place, descend }) {
      const first = asArray(schema.prefixItems).length;
      for (const [index, item] of asArray(place.value).entries())
        if (index >= first) descend(said as Schema, below(place, String(index), item));
    },
  },
  allOf: {
    problem: isList,
    inside: inList,
    check({ said, place, descend }) {
      for (const schema of asArray(said)) descend(schema as Schema, place);
    },
  },
  anyOf: {
    problem: isList,
    inside: inList,
    check(checking) {
      const schemas = asArray(checking.said) as Schema[];
      if (!schemas.some((schema) => checking.isFitting(schema)))
        complain(checking, `fits none of the ${schemas.length} forms of anyOf`);
    },
  },
  oneOf: {
    problem: isList,
    inside: inList,
    check(checking) {
      const schemas = asArray(checking.said) as Schema[];
      const fitting = schemas.filter((schema) => checking.isFitting(schema)).length;
      if (fitting !== 1)
        complain(checking, `has to fit one of the ${schemas.length} forms of oneOf, and fits ${fitting}`);
    },
  },
  not: {
    problem: fine,
    inside: itself,
    check(checking) {
      if (checking.isFitting(checking.said as Schema)) complain(checking, "is what it must not be");
    },
  },
};

/** Said to the model, not checked: the draft leaves them to whoever reads the value. */
const FORMATS = [
  "date-time",
  "date",
  "time",
  "duration",
  "email",
  "uri",
  "uri-reference",
  "hostname",
  "ipv4",
  "ipv6",
  "uuid",
  "regex",
];

function below({ path }: Place, name: string, value: unknown): Place {
  return { path: `${path}/${name}`, value };
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function isEqual(one: unknown, other: unknown): boolean {
  return sortedText(one) === sortedText(other);
}

function sortedText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    const object = asObject(inner);
    return object === undefined
      ? inner
      : Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function expressionProblem(source: unknown): string | undefined {
  if (typeof source !== "string") return "has to be a text";
  try {
    new RegExp(source, "u");
    return undefined;
  } catch (error) {
    return `is no regular expression: ${error instanceof Error ? error.message : String(error)}`;
  }
}
