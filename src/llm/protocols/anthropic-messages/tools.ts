import { asArray, asObject, type JsonObject } from "../../../protocol/json.ts";
import type { Model } from "../../../protocol/models.ts";
import type { ToolChoice, ToolDefinition } from "../../../protocol/tools.ts";
import { closeObjects } from "../../tool-schema.ts";

export function toolDefinitions(tools: ToolDefinition[], model: Model): JsonObject[] {
  const takeStrict = createStrictAllowance();
  return tools.map(({ name, description, parameters }): JsonObject => {
    const closed = model.disableStrictTools === true ? undefined : closeObjects(parameters);
    if (closed === undefined || !takeStrict(closed))
      return { name, description, input_schema: parameters as JsonObject };
    return { name, description, input_schema: closed, strict: true };
  });
}

export function toolChoice(choice: ToolChoice): JsonObject {
  if (typeof choice === "object") return { type: "tool", name: choice.name };
  return { type: choice === "required" ? "any" : choice };
}

/** What one request may hold of strict tools, optional properties and unions in all of them; more is refused as a whole. */
const STRICT_LIMITS = { tools: 20, optional: 24, unions: 16 };

/**
 * Says for each tool, in the order of the list, whether it may still be strict. A tool's answer depends only on those before
 * it, so adding tools at the end changes nothing that is already in the provider's cache.
 */
function createStrictAllowance(): (schema: JsonObject) => boolean {
  const left = { ...STRICT_LIMITS };
  return (schema) => {
    const { optional, unions } = costOf(schema);
    if (left.tools < 1 || left.optional < optional || left.unions < unions) return false;
    left.tools -= 1;
    left.optional -= optional;
    left.unions -= unions;
    return true;
  };
}

/** The same few schemas go with every request. */
const COSTS = new WeakMap<JsonObject, { optional: number; unions: number }>();

function costOf(schema: JsonObject): { optional: number; unions: number } {
  const known = COSTS.get(schema);
  if (known !== undefined) return known;
  const unions = countIn(schema, (node) => (Array.isArray(node.anyOf) || Array.isArray(node.type) ? 1 : 0));
  const cost = { optional: countIn(schema, optionalProperties), unions };
  COSTS.set(schema, cost);
  return cost;
}

/** The sum of `count` over a closed schema and all schemas inside it. */
function countIn(schema: unknown, count: (node: Record<string, unknown>) => number): number {
  const node = asObject(schema);
  if (node === undefined) return 0;
  const inner = [...Object.values(asObject(node.properties) ?? {}), node.items, ...asArray(node.anyOf)];
  return inner.reduce<number>((sum, child) => sum + countIn(child, count), count(node));
}

function optionalProperties(node: Record<string, unknown>): number {
  const required = asArray(node.required);
  return Object.keys(asObject(node.properties) ?? {}).filter((name) => !required.includes(name)).length;
}
