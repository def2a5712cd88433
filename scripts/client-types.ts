// The types of the wire written out from the tables of src/rpc, for programs that have no schemas: the names of
// src/rpc/client/wire-types.ts, and the methods of the Python client.
import * as z from "zod";
import { hostScheme, hostTool } from "../src/rpc/command-shapes.ts";
import { RPC_COMMANDS } from "../src/rpc/commands.ts";
import { INBOUND_FRAMES, OUTBOUND_FRAMES } from "../src/rpc/frames.ts";
import { wireContent, wireImage, wireMessage } from "../src/rpc/wire-shapes.ts";

export type Schema = { [key: string]: unknown };

/** A shape as JSON Schema, with every shape that has a name put into `named`. */
export function schemaOf(shape: z.ZodType, named: Map<string, Schema>): Schema {
  const { $defs, ...schema } = z.toJSONSchema(shape, { unrepresentable: "any" }) as Schema;
  for (const [name, definition] of Object.entries(objectIn($defs))) named.set(name, objectIn(definition));
  const name = schema.id;
  if (typeof name !== "string") return schema;
  named.set(name, schema);
  return { $ref: `#/$defs/${name}` };
}

/** Declarations of everything `wire-types.ts` exports. */
export function wireDeclarations(): string {
  const named = new Map<string, Schema>();
  const type = (shape: z.ZodType) => typeText(schemaOf(shape, named));
  const commands = Object.entries(RPC_COMMANDS).map(
    ([name, { params, result, description }]) =>
      `  /** ${description} */\n  ${name}: { params: ${type(params)}; result: ${type(result)} };`,
  );
  const frames = Object.entries(OUTBOUND_FRAMES).map(
    ([name, { shape, description }]) => `  /** ${description} */\n  ${name}: ${type(shape)};`,
  );
  const own = {
    UiResponseFrame: type(INBOUND_FRAMES.extension_ui_response.shape),
    UriResultFrame: type(INBOUND_FRAMES.host_uri_result.shape),
    ToolResultFrame: type(INBOUND_FRAMES.host_tool_result.shape),
    Message: type(wireMessage),
    Image: type(wireImage),
    Content: type(wireContent),
    HostTool: type(hostTool),
    HostScheme: type(hostScheme),
  };
  const shapes = [...named].map(([name, schema]) => [name, typeText(schema)] as const);
  const declared = new Map([...Object.entries(own), ...shapes]);
  return [
    `type Commands = {\n${commands.join("\n")}\n};`,
    `type OutboundFrames = {\n${frames.join("\n")}\n};`,
    ...[...declared].map(([name, text]) => `type ${name} = ${text};`),
  ].join("\n");
}

function typeText(schema: Schema): string {
  if (typeof schema.$ref === "string") return schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((choice) => JSON.stringify(choice)).join(" | ");
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0) return alternatives.map(typeText).join(" | ");
  if (schema.type === "array") return listText(schema);
  if (schema.type === "object") return objectText(schema);
  const plain = Array.isArray(schema.type) ? schema.type : [schema.type];
  return plain.map((name) => PLAIN[String(name)] ?? "unknown").join(" | ");
}

const PLAIN: Record<string, string> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

function listText({ items, prefixItems }: Schema): string {
  if (Array.isArray(prefixItems) && prefixItems.length === 0) return "[]";
  return `(${typeText(objectIn(items))})[]`;
}

function objectText(schema: Schema): string {
  const members = membersOf(schema).map(
    ({ name, isRequired, schema: member }) => `${name}${isRequired ? "" : "?"}: ${typeText(member)}`,
  );
  const isOpen = schema.additionalProperties !== false;
  if (members.length === 0) return isOpen ? "Record<string, unknown>" : "Record<string, never>";
  return `{ ${[...members, ...(isOpen ? ["[key: string]: unknown"] : [])].join("; ")} }`;
}

export function alternativesOf({ anyOf, oneOf }: Schema): Schema[] {
  return [anyOf, oneOf].flatMap((each) => (Array.isArray(each) ? each.map(objectIn) : []));
}

export function membersOf({ properties, required }: Schema): { name: string; isRequired: boolean; schema: Schema }[] {
  const names = Array.isArray(required) ? required : [];
  return Object.entries(objectIn(properties)).map(([name, schema]) => ({
    name,
    isRequired: names.includes(name),
    schema: objectIn(schema),
  }));
}

export function objectIn(value: unknown): Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}
