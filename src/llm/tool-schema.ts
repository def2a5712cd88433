import { asArray, asObject, asString, type Json, type JsonObject } from "../protocol/json.ts";
import { allowsNull, resolveLocalRef } from "./schema-reading.ts";

// A tool's JSON Schema in the narrow forms that providers enforce while they decode ("strict" tools). A schema that such a form
// cannot express gives undefined: that tool is then sent as it is, without the strict flag. What a form cannot say but a reader
// can use (a pattern, a default) moves into the description. Arguments are checked against the original schema in any case.

type Schema = Record<string, unknown>;

/** What a provider's decoder takes. */
interface Form {
  /** Every property is listed as required and the optional ones take null instead of being left out. */
  requireAll: boolean;
  /** Keywords passed on unchanged; the predicate says for which values. */
  kept: Readonly<Record<string, (value: unknown) => boolean>>;
}

interface Walk {
  form: Form;
  root: Schema;
  /** How many objects this node is inside of. */
  level: number;
  /** Nodes and enum values that may still be visited. The whole walk shares it, so a schema that contains itself ends too. */
  budget: { left: number };
}

const MAX_OBJECT_LEVELS = 10;
const MAX_NODES = 1000;
const MAX_NOTE_LENGTH = 200;

const FORMATS = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
const isNumber = (value: unknown) => typeof value === "number";

const ALL_REQUIRED: Form = {
  requireAll: true,
  kept: {
    format: (value) => FORMATS.includes(asString(value) ?? ""),
    minimum: isNumber,
    maximum: isNumber,
    exclusiveMinimum: isNumber,
    exclusiveMaximum: isNumber,
    multipleOf: isNumber,
    minItems: isNumber,
    maxItems: isNumber,
  },
};
const CLOSED: Form = {
  requireAll: false,
  kept: {
    format: (value) => [...FORMATS, "uri"].includes(asString(value) ?? ""),
    minItems: (value) => value === 0 || value === 1,
  },
};

const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"];
/** Keywords whose meaning would be lost without them: such a schema has no strict form. */
const REFUSED = [
  ...["not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies"],
  ...["patternProperties", "prefixItems", "additionalItems", "contains", "$dynamicRef", "$recursiveRef"],
];
const SHAPES = ["properties", "items", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"];
/** Keywords that only say something to a reader; one standing beside a reference or a single `allOf` wins over the inner one. */
const ANNOTATIONS = ["description", "title", "default", "examples", "deprecated", "$comment", "readOnly", "writeOnly"];
const NOTED = [
  ...["default", "examples", "format", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum"],
  ...["exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"],
];

/** Anthropic's strict form: every object closed, optional properties stay optional. */
export function closeObjects(schema: Schema): JsonObject | undefined {
  return strictForm(schema, CLOSED);
}

/** OpenAI's strict form: every object closed, every property required, optional ones nullable. */
export function requireAll(schema: Schema): JsonObject | undefined {
  return strictForm(schema, ALL_REQUIRED);
}

/**
 * Arguments as the original schema wants them: a null that stands for "left out" in the form of `requireAll` is removed again.
 * A null the schema itself allows stays.
 */
export function dropOptionalNulls(input: Record<string, unknown>, schema: Schema): Record<string, unknown> {
  return asObject(withoutOptionalNulls(input, schema, { root: schema, level: 0 })) ?? input;
}

/** Every request of a session carries the same schemas, so each is converted once. Nobody changes what is given back. */
function strictForm(schema: Schema, form: Form): JsonObject | undefined {
  const known = converted.get(form) ?? new WeakMap<Schema, { form: JsonObject | undefined }>();
  converted.set(form, known);
  const entry = known.get(schema) ?? { form: convertWhole(schema, form) };
  known.set(schema, entry);
  return entry.form;
}

const converted = new Map<Form, WeakMap<Schema, { form: JsonObject | undefined }>>();

function convertWhole(schema: Schema, form: Form): JsonObject | undefined {
  const walk: Walk = { form, root: schema, level: 0, budget: { left: MAX_NODES } };
  const isBareObject = schema.type === "object" && SHAPES.every((key) => schema[key] === undefined);
  const result = convert(isBareObject ? { ...schema, properties: {} } : schema, walk);
  return result?.type === "object" ? result : undefined;
}

function convert(value: unknown, walk: Walk): JsonObject | undefined {
  const node = asObject(value);
  walk.budget.left -= 1;
  if (node === undefined || walk.budget.left < 0 || REFUSED.some((key) => node[key] !== undefined)) return undefined;
  if (node.$ref !== undefined) return convertReference(node, walk);
  if (node.allOf !== undefined) return convertSingleAllOf(node, walk);
  const shape = convertShape(node, walk);
  if (shape === undefined) return undefined;
  const described = { ...shape, ...keptKeywords(node, walk.form), ...description(node, walk.form) };
  return node.nullable === true ? nullable(described) : described;
}

function convertReference(node: Schema, walk: Walk): JsonObject | undefined {
  const { $ref: reference, ...beside } = node;
  const target = resolveLocalRef(asString(reference) ?? "", walk.root);
  const merged = target && mergeAnnotations(target, beside);
  return merged && convert(merged, walk);
}

function convertSingleAllOf(node: Schema, walk: Walk): JsonObject | undefined {
  const { allOf, ...beside } = node;
  const [only, ...others] = asArray(allOf);
  const inner = asObject(only);
  const merged = inner && others.length === 0 ? mergeAnnotations(inner, beside) : undefined;
  return merged && convert(merged, walk);
}

/** Undefined where both say something about the value itself: two shapes cannot be laid over each other. */
function mergeAnnotations(inner: Schema, beside: Schema): Schema | undefined {
  const clash = Object.keys(beside).some((key) => inner[key] !== undefined && !ANNOTATIONS.includes(key));
  return clash ? undefined : { ...inner, ...beside };
}

function convertShape(node: Schema, walk: Walk): JsonObject | undefined {
  const branches = node.anyOf ?? node.oneOf;
  if (branches !== undefined) return convertUnion(node, asArray(branches), walk);
  const types = typesOf(node);
  if (types === undefined) return undefined;
  const type = types.length === 1 ? (types[0] ?? null) : types;
  const values = enumValues(node);
  if (values !== undefined) {
    walk.budget.left -= values.length;
    return values.every(isPrimitive) ? { type, enum: [...values] as Json[] } : undefined;
  }
  const object = types.includes("object") ? convertObject(node, walk) : {};
  const array = types.includes("array") ? convertArray(node, walk) : {};
  return object && array && { type, ...object, ...array };
}

function convertUnion(node: Schema, branches: unknown[], walk: Walk): JsonObject | undefined {
  const shapes = SHAPES.filter((key) => node[key] !== undefined);
  if (shapes.length !== 1 || node.type !== undefined || branches.length === 0) return undefined;
  const converted = convertAll(branches, walk);
  return converted && { anyOf: converted };
}

function convertAll(nodes: unknown[], walk: Walk): JsonObject[] | undefined {
  const converted: JsonObject[] = [];
  for (const node of nodes) {
    const result = convert(node, walk);
    if (result === undefined) return undefined;
    converted.push(result);
  }
  return converted;
}

function convertObject(node: Schema, walk: Walk): JsonObject | undefined {
  if (isOpenMap(node) || walk.level >= MAX_OBJECT_LEVELS) return undefined;
  const properties = asObject(node.properties) ?? {};
  const names = Object.keys(properties);
  const required = asArray(node.required);
  if (!required.every((name) => typeof name === "string" && Object.hasOwn(properties, name))) return undefined;
  const schemas = convertAll(Object.values(properties), { ...walk, level: walk.level + 1 });
  if (schemas === undefined) return undefined;
  const entries = schemas.map((schema, index): [string, Json] => {
    const name = names[index] ?? "";
    return [name, walk.form.requireAll && !required.includes(name) ? nullable(schema) : schema];
  });
  return {
    // Object.fromEntries defines keys and never assigns them, so a property called __proto__ is only a property.
    properties: Object.fromEntries(entries),
    required: names.filter((name) => walk.form.requireAll || required.includes(name)),
    additionalProperties: false,
  };
}

/** An object whose keys are not known beforehand. A missing `additionalProperties` beside named properties counts as closed. */
function isOpenMap(node: Schema): boolean {
  if (node.additionalProperties === false || node.unevaluatedProperties === false) return false;
  const open = node.additionalProperties !== undefined || node.unevaluatedProperties !== undefined;
  return open || asObject(node.properties) === undefined;
}

function convertArray(node: Schema, walk: Walk): JsonObject | undefined {
  const items = convert(node.items, walk);
  return items && { items };
}

function nullable(schema: JsonObject): JsonObject {
  if (allowsNull(schema, schema)) return schema;
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, { type: "null" }] };
  const types = [schema.type ?? "null"].flat() as Json[];
  if (types.includes("object") || types.includes("array")) return nullableShape(schema);
  const either: JsonObject = { ...schema, type: [...new Set([...types, "null"])] };
  return Array.isArray(schema.enum) ? { ...either, enum: [...new Set([...schema.enum, null])] } : either;
}

function nullableShape(schema: JsonObject): JsonObject {
  const { description: text, ...shape } = schema;
  const union: JsonObject = { anyOf: [shape, { type: "null" }] };
  return text === undefined ? union : { ...union, description: text };
}

/** The types a node names, or those its other keywords imply; undefined for a node that takes anything. */
function typesOf(node: Schema): string[] | undefined {
  const named = Array.isArray(node.type) ? node.type : [node.type];
  if (node.type !== undefined)
    return named.every((type) => TYPES.includes(type as string)) ? (named as string[]) : undefined;
  if (asObject(node.properties) !== undefined) return ["object"];
  if (node.items !== undefined) return ["array"];
  const values = enumValues(node);
  return values?.length ? [...new Set(values.map(typeOfValue))] : undefined;
}

function typeOfValue(value: unknown): string {
  return value === null ? "null" : typeof value;
}

function enumValues(node: Schema): unknown[] | undefined {
  if (Array.isArray(node.enum)) return node.enum;
  return node.const === undefined ? undefined : [node.const];
}

function isPrimitive(value: unknown): boolean {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

function keptKeywords(node: Schema, form: Form): JsonObject {
  const kept = Object.entries(form.kept).filter(([key, fits]) => node[key] !== undefined && fits(node[key]));
  return Object.fromEntries(kept.map(([key]) => [key, node[key] as Json]));
}

function description(node: Schema, form: Form): JsonObject {
  const lost = NOTED.filter((key) => node[key] !== undefined && !form.kept[key]?.(node[key]));
  const notes = lost
    .map((key) => `${key}: ${JSON.stringify(node[key])}`)
    .filter((note) => note.length <= MAX_NOTE_LENGTH);
  const said = asString(node.description) ?? "";
  const text = notes.length === 0 ? said : `${said} (${notes.join(", ")})`.trim();
  return text === "" ? {} : { description: text };
}

interface NullWalk {
  root: Schema;
  level: number;
}

const MAX_INPUT_LEVELS = 64;

function withoutOptionalNulls(value: unknown, schema: unknown, walk: NullWalk): unknown {
  const node = shapeFor(value, schema, walk.root);
  if (node === undefined || walk.level >= MAX_INPUT_LEVELS) return value;
  const inner = { ...walk, level: walk.level + 1 };
  if (Array.isArray(value)) return value.map((item) => withoutOptionalNulls(item, node.items, inner));
  const object = asObject(value);
  const properties = asObject(node.properties);
  if (object === undefined || properties === undefined) return value;
  const required = asArray(node.required);
  const property = (name: string) => (Object.hasOwn(properties, name) ? properties[name] : undefined);
  const isLeftOut = ([name, item]: [string, unknown]) =>
    item === null && property(name) !== undefined && !required.includes(name) && !allowsNull(property(name), walk.root);
  const entries = Object.entries(object).filter((entry) => !isLeftOut(entry));
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutOptionalNulls(item, property(name), inner)]));
}

const MAX_INDIRECTIONS = 16;

/** The node that describes this value, behind references, single `allOf`s and unions. */
function shapeFor(value: unknown, schema: unknown, root: Schema): Schema | undefined {
  let node = asObject(schema);
  for (let hop = 0; node !== undefined && hop < MAX_INDIRECTIONS; hop += 1) {
    if (typeof node.$ref === "string") node = resolveLocalRef(node.$ref, root);
    else if (Array.isArray(node.allOf) && node.allOf.length === 1) node = asObject(node.allOf[0]);
    else if (node.anyOf === undefined && node.oneOf === undefined) return node;
    else node = branchFor(value, asArray(node.anyOf ?? node.oneOf), root);
  }
  return undefined;
}

/** The first branch this value was written for: it knows all of its keys and its fixed values are the value's. */
function branchFor(value: unknown, branches: unknown[], root: Schema): Schema | undefined {
  const resolved = branches.map((branch) => {
    const reference = asString(asObject(branch)?.$ref);
    return reference === undefined ? asObject(branch) : resolveLocalRef(reference, root);
  });
  const object = asObject(value);
  if (object === undefined) return resolved.find((branch) => Array.isArray(value) && branch?.items !== undefined);
  return resolved.find((branch) => {
    const properties = asObject(branch?.properties);
    return properties !== undefined && Object.entries(object).every(([name, item]) => mayHold(properties, name, item));
  });
}

function mayHold(properties: Schema, name: string, item: unknown): boolean {
  const schema = Object.hasOwn(properties, name) ? asObject(properties[name]) : undefined;
  return schema !== undefined && (enumValues(schema)?.includes(item) ?? true);
}
