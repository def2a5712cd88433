import * as z from "zod";
import { RPC_COMMANDS, type RpcCommandName } from "./commands.ts";
import { SESSION_EVENTS, type SessionEvent } from "./session-event-shapes.ts";
import { wireContent } from "./wire-shapes.ts";

// Every line that is no command: what Ralph sends, and what a host answers it with.

const text = z.string();
const id = z.string().min(1).max(256);
const json = z.record(z.string(), z.unknown());

/** The kind of failure for programs, words for people, and whatever else belongs to that kind. */
const typedError = z.looseObject({ code: text, message: text });

const event = z.union(Object.values(SESSION_EVENTS).map(({ shape }) => shape)).meta({ id: "SessionEvent" });

const uiRequest = z.discriminatedUnion("method", [
  z.strictObject({
    type: z.literal("extension_ui_request"),
    id,
    method: z.literal("select"),
    title: text,
    message: text.optional(),
    options: z.array(text),
    timeout: z.number().optional(),
  }),
  z.strictObject({
    type: z.literal("extension_ui_request"),
    id,
    method: z.literal("confirm"),
    title: text,
    message: text,
    timeout: z.number().optional(),
  }),
  z.strictObject({ type: z.literal("extension_ui_request"), id, method: z.literal("input"), title: text }),
  z.strictObject({ type: z.literal("extension_ui_request"), id, method: z.literal("cancel"), targetId: text }),
  z.strictObject({ type: z.literal("extension_ui_request"), id, method: z.literal("setTitle"), title: text }),
  z.strictObject({
    type: z.literal("extension_ui_request"),
    id,
    method: z.literal("open_url"),
    url: text,
    instructions: text,
  }),
]);

export const OUTBOUND_FRAMES = {
  ready: {
    description: "The first line: commands are read from here on.",
    shape: z.strictObject({ type: z.literal("ready") }),
  },
  response: {
    description:
      "The answer to a command, with the `id` of the command. Without an `id` it is about a line that could not be taken.",
    shape: z.union([
      z.strictObject({
        id: id.optional(),
        type: z.literal("response"),
        command: text,
        success: z.literal(true),
        data: z.unknown().optional(),
      }),
      z.strictObject({
        id: id.optional(),
        type: z.literal("response"),
        command: text,
        success: z.literal(false),
        error: z.union([text, typedError]),
      }),
    ]),
  },
  event: {
    description: "What happens in a session. `seq` counts those of the session from 1 on, without gaps.",
    shape: z.strictObject({
      type: z.literal("event"),
      protocol_version: z.literal(2),
      session_id: text,
      seq: z.number().int().positive(),
      frame_id: text,
      payload: z.strictObject({ event_type: text, event }),
    }),
  },
  workflow_gate: {
    description: "The work waits for an answer that a program can give: `workflow_gate_response` gives it.",
    shape: z.strictObject({
      type: z.literal("workflow_gate"),
      gate_id: text,
      stage: text,
      kind: z.enum(["question", "approval", "execution"]),
      schema: json,
      schema_hash: text,
      options: z.array(z.unknown()).optional(),
      context: json,
      created_at: text,
      required: z.literal(true),
    }),
  },
  extension_ui_request: {
    description:
      "The same for a host that shows it to a person, with the same id; `cancel` takes a request back, `setTitle` and `open_url` want no answer.",
    shape: uiRequest,
  },
  host_tool_call: {
    description: "A tool of the host is to run.",
    shape: z.strictObject({
      type: z.literal("host_tool_call"),
      id,
      toolCallId: text,
      toolName: text,
      arguments: json,
    }),
  },
  host_tool_cancel: {
    description: "Nobody waits for that call any more.",
    shape: z.strictObject({ type: z.literal("host_tool_cancel"), id, targetId: text }),
  },
  host_uri_request: {
    description: "An address of the host is to be read, or written with `content`.",
    shape: z.strictObject({
      type: z.literal("host_uri_request"),
      id,
      operation: z.enum(["read", "write"]),
      url: text,
      content: text.optional(),
    }),
  },
  host_uri_cancel: {
    description: "Nobody waits for that request any more.",
    shape: z.strictObject({ type: z.literal("host_uri_cancel"), id, targetId: text }),
  },
  extension_error: {
    description: "An extension failed. It is sent where extensions run; the work goes on.",
    shape: z.strictObject({ type: z.literal("extension_error"), extensionPath: text, event: text, error: text }),
  },
} as const satisfies Record<string, { description: string; shape: z.ZodType }>;

const toolOutput = z.strictObject({ content: z.array(wireContent).max(100), details: z.unknown().optional() });

export const INBOUND_FRAMES = {
  extension_ui_response: {
    description: "Answers a request by its `id`: with a `value`, with `confirmed`, or with `cancelled: true`.",
    shape: z.union([
      z.strictObject({ type: z.literal("extension_ui_response"), id, value: text }),
      z.strictObject({ type: z.literal("extension_ui_response"), id, confirmed: z.boolean() }),
      z.strictObject({
        type: z.literal("extension_ui_response"),
        id,
        cancelled: z.literal(true),
        timedOut: z.boolean().optional(),
      }),
    ]),
  },
  host_tool_update: {
    description: "What the tool has to show so far.",
    shape: z.strictObject({ type: z.literal("host_tool_update"), id, partialResult: toolOutput }),
  },
  host_tool_result: {
    description: "The end of the call. With `isError` the model is told that the tool failed.",
    shape: z.strictObject({
      type: z.literal("host_tool_result"),
      id,
      result: toolOutput,
      isError: z.boolean().optional(),
    }),
  },
  host_uri_result: {
    description: "What was read, or that it was written. With `isError`, `error` or `content` says why not.",
    shape: z.strictObject({
      type: z.literal("host_uri_result"),
      id,
      content: text.optional(),
      contentType: z.string().max(200).optional(),
      notes: z.array(z.string().max(2000)).max(20).optional(),
      immutable: z.boolean().optional(),
      isError: z.boolean().optional(),
      error: text.optional(),
    }),
  },
} as const satisfies Record<string, { description: string; shape: z.ZodType }>;

export type InboundName = keyof typeof INBOUND_FRAMES;
export type Inbound<Name extends InboundName> = z.infer<(typeof INBOUND_FRAMES)[Name]["shape"]>;
export type AnyInbound = { [Name in InboundName]: Inbound<Name> }[InboundName];

export type OutboundName = keyof typeof OUTBOUND_FRAMES;
export type Outbound<Name extends OutboundName> = z.infer<(typeof OUTBOUND_FRAMES)[Name]["shape"]>;
export type UiRequest = z.infer<typeof uiRequest>;
/** What is sent as it is; events get their numbers where they are sent. */
export type FlatFrame = Outbound<Exclude<OutboundName, "event">>;
export type EventFrame = Omit<Outbound<"event">, "payload"> & {
  payload: { event_type: SessionEvent["type"]; event: SessionEvent };
};

/** What every command may carry beside its own fields. */
export const commandId = id.optional();

export function isCommandName(name: string): name is RpcCommandName {
  return Object.hasOwn(RPC_COMMANDS, name);
}

export function isInboundName(name: string): name is InboundName {
  return Object.hasOwn(INBOUND_FRAMES, name);
}
