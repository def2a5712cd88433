import { asObject, type Json } from "../../protocol/json.ts";
import { canonicalJson } from "./canonical-hash.ts";

export interface AnswerError {
  /** JSON pointer; the answer itself is `/answer`. */
  path: string;
  keyword: string;
  message: string;
  expected?: Json;
}

/** What a keyword says of the value it was given, or of a member of it. */
export interface Finding {
  message: string;
  expected?: Json;
  segment?: string;
}

export interface Checking {
  /** The value of the keyword. */
  wanted: unknown;
  value: unknown;
  /** The schema the keyword stands in. */
  schema: Readonly<Record<string, unknown>>;
  /** What another schema says of the value, or with a segment of a member of it. */
  inner(schema: unknown, value: unknown, segment?: string | number): AnswerError[];
}

export interface Keyword {
  /** What its value must be, in words and as a test. */
  wants: string;
  isValid(value: unknown): boolean;
  /** The schemas in it, with their place below the keyword. */
  schemasIn?(value: unknown): (readonly [string, unknown])[];
  /** Says nothing about values it is not meant for. */
  check?(checking: Checking): Iterable<Finding | AnswerError>;
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: isNumber,
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  object: (value) => asObject(value) !== undefined,
  array: Array.isArray,
};

/** A map, because a name like `constructor` is no keyword. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ["type", { wants: `one of ${Object.keys(TYPES).join(", ")}`, isValid: isTypes, check: checkType }],
  ["enum", { wants: "a list of one or more values", isValid: isFilledList, check: checkEnum }],
  ["const", { wants: "a value", isValid: (value) => value !== undefined, check: checkConst }],
  ["properties", { wants: "an object of schemas", isValid: isObject, schemasIn: members, check: checkProperties }],
  ["required", { wants: "a list of names", isValid: isNames, check: checkRequired }],
  [
    "additionalProperties",
    {
      wants: "true, false or a schema",
      isValid: (value) => typeof value === "boolean" || isObject(value),
      schemasIn: (value) => (isObject(value) ? [["", value]] : []),
      check: checkAdditional,
    },
  ],
  ["items", { wants: "a schema", isValid: isObject, schemasIn: (value) => [["", value]], check: checkItems }],
  ["minLength", { wants: "a whole number from 0", isValid: isCount, check: checkMinLength }],
  ["maxLength", { wants: "a whole number from 0", isValid: isCount, check: checkMaxLength }],
  ["minimum", { wants: "a number", isValid: isNumber, check: checkMinimum }],
  ["maximum", { wants: "a number", isValid: isNumber, check: checkMaximum }],
  ["title", { wants: "a text", isValid: isText }],
  ["description", { wants: "a text", isValid: isText }],
  ["oneOf", { wants: "a list of one or more schemas", isValid: isFilledList, schemasIn: elements, check: checkOneOf }],
  ["anyOf", { wants: "a list of one or more schemas", isValid: isFilledList, schemasIn: elements, check: checkAnyOf }],
]);

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isObject(value: unknown): boolean {
  return asObject(value) !== undefined;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isFilledList(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

function isTypes(value: unknown): boolean {
  const names = Array.isArray(value) ? value : [value];
  return names.length > 0 && names.every((name) => isText(name) && Object.hasOwn(TYPES, name));
}

function members(value: unknown): (readonly [string, unknown])[] {
  return Object.entries(asObject(value) ?? {});
}

function elements(value: unknown): (readonly [string, unknown])[] {
  return Array.isArray(value) ? value.map((element, index) => [String(index), element] as const) : [];
}

function* checkType({ wanted, value }: Checking): Iterable<Finding> {
  const names = (Array.isArray(wanted) ? wanted : [wanted]).filter(isText);
  if (names.some((name) => TYPES[name]?.(value) === true)) return;
  yield { message: `must be ${names.join(" or ")}`, expected: wanted as Json };
}

function* checkEnum({ wanted, value }: Checking): Iterable<Finding> {
  const text = canonicalJson(value);
  if (Array.isArray(wanted) && wanted.some((allowed) => canonicalJson(allowed) === text)) return;
  yield { message: "must be one of the values it may have", expected: wanted as Json };
}

function* checkConst({ wanted, value }: Checking): Iterable<Finding> {
  if (canonicalJson(wanted) === canonicalJson(value)) return;
  yield { message: "must be the one value it may have", expected: wanted as Json };
}

function* checkProperties({ wanted, value, inner }: Checking): Iterable<AnswerError> {
  const object = asObject(value);
  if (object === undefined) return;
  for (const [name, schema] of members(wanted)) {
    if (Object.hasOwn(object, name)) yield* inner(schema, object[name], name);
  }
}

function* checkRequired({ wanted, value }: Checking): Iterable<Finding> {
  const object = asObject(value);
  if (object === undefined || !isNames(wanted)) return;
  for (const name of wanted) {
    if (!Object.hasOwn(object, name)) yield { message: "is missing", segment: name };
  }
}

function* checkAdditional({ wanted, value, schema, inner }: Checking): Iterable<Finding | AnswerError> {
  const object = asObject(value);
  if (object === undefined || wanted === true) return;
  const known = asObject(schema.properties) ?? {};
  for (const [name, member] of Object.entries(object)) {
    if (Object.hasOwn(known, name)) continue;
    if (wanted === false) yield { message: "is not a property it may have", segment: name };
    else yield* inner(wanted, member, name);
  }
}

function* checkItems({ wanted, value, inner }: Checking): Iterable<AnswerError> {
  if (!Array.isArray(value)) return;
  for (const [index, element] of value.entries()) yield* inner(wanted, element, index);
}

function* checkMinLength({ wanted, value }: Checking): Iterable<Finding> {
  if (isText(value) && isNumber(wanted) && lengthOf(value) < wanted)
    yield { message: `must have at least ${wanted} characters`, expected: wanted };
}

function* checkMaxLength({ wanted, value }: Checking): Iterable<Finding> {
  if (isText(value) && isNumber(wanted) && lengthOf(value) > wanted)
    yield { message: `must have at most ${wanted} characters`, expected: wanted };
}

/** In characters, not in UTF-16 units. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

function* checkMinimum({ wanted, value }: Checking): Iterable<Finding> {
  if (isNumber(value) && isNumber(wanted) && value < wanted)
    yield { message: `must be at least ${wanted}`, expected: wanted };
}

function* checkMaximum({ wanted, value }: Checking): Iterable<Finding> {
  if (isNumber(value) && isNumber(wanted) && value > wanted)
    yield { message: `must be at most ${wanted}`, expected: wanted };
}

function* checkOneOf({ wanted, value, inner }: Checking): Iterable<Finding> {
  const fitting = elements(wanted).filter(([, schema]) => inner(schema, value).length === 0).length;
  if (fitting !== 1) yield { message: `must fit exactly one of the alternatives, and fits ${fitting}`, expected: 1 };
}

function* checkAnyOf({ wanted, value, inner }: Checking): Iterable<Finding> {
  if (!elements(wanted).some(([, schema]) => inner(schema, value).length === 0))
    yield { message: "must fit at least one of the alternatives" };
}
