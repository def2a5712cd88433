import type * as z from "zod";
import { asObject, asString } from "../protocol/json.ts";
import { RPC_COMMANDS, type RpcCommandName, type RpcParams } from "./commands.ts";
import { type AnyInbound, commandId, INBOUND_FRAMES, isCommandName, isInboundName } from "./frames.ts";
import { type InboundLine, MAX_LINE_BYTES } from "./inbound-lines.ts";
import { parseStrictJson } from "./strict-json.ts";
import type { TypedError } from "./typed-error.ts";

/** A command with its checked fields. */
export type RpcCommand = {
  [Name in RpcCommandName]: { name: Name; id: string | undefined; params: RpcParams<Name> };
}[RpcCommandName];

export type ReadLine =
  | { type: "blank" }
  | { type: "command"; command: RpcCommand }
  | { type: "frame"; frame: AnyInbound }
  /** `id` is known where the line is a command that has one. */
  | { type: "refused"; command: string; id?: string; error: TypedError };

/** What one line says. Whatever it holds, this never throws. */
export function readLine(line: InboundLine): ReadLine {
  if (line.type === "too-long")
    return unreadable("line_too_long", `The line is longer than ${MAX_LINE_BYTES} bytes. It was left out.`);
  if (line.type === "not-utf8") return unreadable("parse_error", "The line is not UTF-8.");
  if (line.text.trim() === "") return { type: "blank" };
  const parsed = parseStrictJson(line.text);
  if (!parsed.ok) return unreadable("parse_error", parsed.message);
  const fields = asObject(parsed.value);
  if (fields === undefined) return unreadable("parse_error", "The line is not a JSON object.");
  const { type: rawType, ...others } = fields;
  const type = asString(rawType);
  if (type === undefined) return unreadable("parse_error", 'The line has no "type", which is a string.');
  if (isCommandName(type)) return readCommand(type, others);
  if (isInboundName(type)) return readFrame(type, fields);
  const shown = type.slice(0, SHOWN_CHARACTERS);
  return { type: "refused", command: shown, error: { code: "unknown_command", message: `Unknown command: ${shown}` } };
}

const SHOWN_CHARACTERS = 100;

function unreadable(code: string, message: string): ReadLine {
  return { type: "refused", command: "parse", error: { code, message } };
}

function readCommand(name: RpcCommandName, { id: rawId, ...params }: Record<string, unknown>): ReadLine {
  const id = commandId.safeParse(rawId);
  if (!id.success) return { type: "refused", command: name, error: invalid(name, [{ path: "id", message: BAD_ID }]) };
  const checked = RPC_COMMANDS[name].params.safeParse(params);
  const known = id.data === undefined ? {} : { id: id.data };
  if (!checked.success)
    return { type: "refused", command: name, ...known, error: invalid(name, mistakesOf(checked.error)) };
  return { type: "command", command: { name, id: id.data, params: checked.data } as RpcCommand };
}

const BAD_ID = "must be a string of 1 to 256 characters";

/** An `id` in these names what is answered; so nothing that is said about them carries one. */
function readFrame(name: keyof typeof INBOUND_FRAMES, fields: Record<string, unknown>): ReadLine {
  const checked = INBOUND_FRAMES[name].shape.safeParse(fields);
  if (!checked.success) return { type: "refused", command: name, error: invalid(name, mistakesOf(checked.error)) };
  return { type: "frame", frame: checked.data };
}

interface Mistake {
  path: string;
  message: string;
}

const MOST_MISTAKES = 20;

function mistakesOf({ issues }: z.ZodError): Mistake[] {
  return issues.slice(0, MOST_MISTAKES).map(({ path, message }) => ({
    path: path.map(String).join(".").slice(0, SHOWN_CHARACTERS),
    message: message.slice(0, 2 * SHOWN_CHARACTERS),
  }));
}

function invalid(name: string, errors: readonly Mistake[]): TypedError {
  const [first] = errors;
  const where = first === undefined ? "" : `: ${first.path === "" ? "" : `${first.path}: `}${first.message}`;
  return { code: "invalid_fields", message: `${name}${where}`, errors: errors.map((error) => ({ ...error })) };
}
