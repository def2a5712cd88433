import * as z from "zod";
import { asArray, asObject, asString } from "../src/protocol/json.ts";
import { RPC_COMMANDS } from "../src/rpc/commands.ts";
import { INBOUND_FRAMES, OUTBOUND_FRAMES } from "../src/rpc/frames.ts";
import { SESSION_EVENTS } from "../src/rpc/session-event-shapes.ts";

// The tables of docs/rpc.md, made from the tables the server works with.

export const BEGIN_MARK = "<!-- made from src/rpc by scripts/rpc-reference.ts: begin -->";
export const END_MARK = "<!-- end -->";

/** The page with its tables made anew; undefined where it has no place for them. */
export function withReference(page: string): string | undefined {
  const [before, rest] = cutAt(page, BEGIN_MARK);
  const [, after] = cutAt(rest ?? "", END_MARK);
  if (rest === undefined || after === undefined) return undefined;
  return `${before}${BEGIN_MARK}\n\n${referenceTables()}\n\n${END_MARK}${after}`;
}

function cutAt(text: string, mark: string): [before: string, after: string | undefined] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + mark.length)];
}

function referenceTables(): string {
  const shapes = new Map<string, string>();
  const commands = Object.entries(RPC_COMMANDS).map(([name, { scope, description, params, result }]) => [
    code(name),
    fieldsOf(params, shapes),
    fieldsOf(result, shapes),
    scope === null ? "–" : code(scope),
    description,
  ]);
  const frames = (table: typeof OUTBOUND_FRAMES | typeof INBOUND_FRAMES | typeof SESSION_EVENTS) =>
    Object.entries(table).map(([name, { shape, description }]) => [code(name), fieldsOf(shape, shapes), description]);
  const sections = [
    `### Commands\n\n${table(["command", "fields", "data", "scope", "what it does"], commands)}`,
    `### Frames Ralph sends\n\n${table(["type", "fields", "meaning"], frames(OUTBOUND_FRAMES))}`,
    `### Frames a host sends beside commands\n\n${table(["type", "fields", "meaning"], frames(INBOUND_FRAMES))}`,
    `### Events of a session\n\n${table(["event", "fields", "meaning"], frames(SESSION_EVENTS))}`,
  ];
  const named = [...shapes]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, text]) => [code(name), text]);
  return [...sections, `### Shapes\n\n${table(["name", "shape"], named)}`].join("\n\n");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function code(text: string): string {
  return `\`${text}\``;
}

type Schema = Record<string, unknown>;

const TABLE_OF_ITS_OWN = "SessionEvent";

/** The fields of an object, or of each alternative; those every frame of its kind has are left out. */
function fieldsOf(shape: z.ZodType, shapes: Map<string, string>): string {
  const schema = z.toJSONSchema(shape, { unrepresentable: "any" }) as Schema;
  for (const [name, definition] of Object.entries(asObject(schema.$defs) ?? {}))
    if (name !== TABLE_OF_ITS_OWN) shapes.set(name, code(typeOf(asObject(definition) ?? {})));
  const alternatives = alternativesOf(schema);
  return (alternatives.length === 0 ? [schema] : alternatives).map(oneOf).join("<br>");
}

function oneOf(schema: Schema): string {
  if (schema.type === "null") return "null";
  if (asString(schema.$ref) !== undefined || schema.type !== "object") return code(typeOf(schema));
  const fields = membersOf(schema).filter((member) => !member.startsWith("type: "));
  return fields.length === 0 ? "–" : fields.map(code).join(", ");
}

function alternativesOf(schema: Schema): Schema[] {
  return [...asArray(schema.anyOf), ...asArray(schema.oneOf)].map((each) => asObject(each) ?? {});
}

function membersOf(schema: Schema): string[] {
  const required = asArray(schema.required);
  return Object.entries(asObject(schema.properties) ?? {}).map(
    ([name, member]) => `${name}${required.includes(name) ? "" : "?"}: ${typeOf(asObject(member) ?? {})}`,
  );
}

/** A schema as one reads a type. */
function typeOf(schema: Schema): string {
  const reference = asString(schema.$ref);
  if (reference !== undefined) return reference.slice(reference.lastIndexOf("/") + 1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const choices = asArray(schema.enum);
  if (choices.length > 0) return choices.map((choice) => JSON.stringify(choice)).join(" | ");
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0) return alternatives.map(typeOf).join(" | ");
  if (schema.type === "array") return listType(schema);
  if (Array.isArray(schema.type)) return schema.type.join(" | ");
  if (schema.type !== "object") return asString(schema.type) ?? "any";
  const members = membersOf(schema);
  return members.length === 0 ? "object" : `{ ${members.join(", ")} }`;
}

function listType({ items, prefixItems }: Schema): string {
  if (Array.isArray(prefixItems) && prefixItems.length === 0) return "[]";
  const item = typeOf(asObject(items) ?? {});
  return item.includes(" ") ? `(${item})[]` : `${item}[]`;
}
