import * as z from "zod";
import { agentEvent, agentOutcome } from "./agent-events.ts";
import { EFFORTS } from "./effort.ts";
import { imagePart, textPart, userMessage } from "./messages.ts";
import { modelEvent } from "./model-events.ts";
import { model } from "./models.ts";

// The lines of a recording: a header, then everything that came into a run and everything it did, in the order in which it
// happened. What came in is played back; what it did is compared.

export const RECORDING_VERSION = 1;
/** A recording stops growing there. */
export const MAX_RECORDING_BYTES = 1_000_000_000;

const digest = z.string().regex(/^[0-9a-f]{16,64}$/);

export const recordingHeader = z.strictObject({
  type: z.literal("recording"),
  version: z.literal(RECORDING_VERSION),
  ralph: z.string(),
  /** ISO 8601 in UTC: the clock of the run where it goes into a prompt. */
  at: z.iso.datetime(),
  cwd: z.string(),
  /** Of the names and values of variables that change a run. */
  environment: digest,
  model,
  effort: z.enum(EFFORTS),
  message: userMessage,
  /** What was asked after it. */
  more: z.array(userMessage).optional(),
  /** The schema the last answer had to fit. */
  outputSchema: z.union([z.boolean(), z.record(z.string(), z.unknown())]).optional(),
  /** The flags of the run, but no key. */
  flags: z.record(z.string(), z.union([z.string(), z.literal(true)])),
  /** Settings that reach a request or decide when a conversation is shortened. */
  settings: z.record(z.string(), z.unknown()),
  session: z.strictObject({ id: z.string(), isKept: z.boolean() }),
  /** Somebody could be asked. */
  hasPerson: z.boolean(),
  /** Standard output was a terminal. */
  isTerminal: z.boolean(),
});

/** Milliseconds since the run began. */
const at = { ms: z.number() };
const call = { ...at, callId: z.string() };
const request = { ...at, request: z.number() };

const toolOutput = z.strictObject({
  content: z.array(z.discriminatedUnion("type", [textPart, imagePart])),
  details: z.unknown().optional(),
  isError: z.boolean().optional(),
});

const reader = z.enum(["agent", "face"]);

/** What came into the run. */
const comesIn = [
  z.strictObject({ ...request, type: z.literal("model"), event: modelEvent }),
  /** The request is over; its end is the last event. */
  z.strictObject({ ...request, type: z.literal("answered") }),
  /** What the gate said to a call. `stale` is why it did not count any more when the call began. */
  z.strictObject({ ...call, type: z.literal("verdict"), deny: z.string().optional() }),
  z.strictObject({ ...call, type: z.literal("stale"), reason: z.string() }),
  z.strictObject({ ...call, type: z.literal("update"), text: z.string() }),
  /** `broke` is what a tool with a defect threw. */
  z.strictObject({
    ...call,
    type: z.literal("output"),
    output: toolOutput.optional(),
    broke: z.string().optional(),
  }),
  /** An entry of the session was stored, counted from 1, or why it was not. */
  z.strictObject({ ...at, type: z.literal("stored"), entry: z.number(), problem: z.string().optional() }),
  /** Told by the gate or the sandbox, which are not there when it is played back. */
  z.strictObject({ ...at, type: z.literal("event"), event: agentEvent }),
  /** What a person said to a question; nothing where nobody answered. */
  z.strictObject({
    ...at,
    type: z.literal("answer"),
    questionId: z.string(),
    answers: z.array(z.string()).optional(),
  }),
  /** Another model took over. */
  z.strictObject({ ...at, type: z.literal("opened"), model, effort: z.enum(EFFORTS) }),
  z.strictObject({ ...at, type: z.literal("interrupted") }),
  /** What the agent and the face read for themselves: how the two follow each other is no part of the run. */
  z.strictObject({ ...at, type: z.literal("clock"), of: reader, value: z.number() }),
  z.strictObject({ ...at, type: z.literal("id"), of: reader, value: z.string() }),
] as const;

/** What the run did. */
const goesOut = [
  z.strictObject({
    ...request,
    type: z.literal("request"),
    digest,
    /** The name and digest of every part, in order. */
    parts: z.array(z.tuple([z.string(), digest])),
    /** By digest: the parts no earlier line of the recording has. */
    texts: z.record(z.string(), z.string()),
  }),
  z.strictObject({
    ...call,
    type: z.literal("call"),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  /** An event as every face sees it; `text` is its beginning, and absent for what grows with every token. */
  z.strictObject({ ...at, type: z.literal("told"), event: z.string(), digest, text: z.string().optional() }),
  z.strictObject({ ...at, type: z.literal("wrote"), text: z.string() }),
] as const;

export const recordingEntry = z.discriminatedUnion("type", [
  ...comesIn,
  ...goesOut,
  /** The bound is reached: what follows is not here. */
  z.strictObject({ ...at, type: z.literal("full") }),
  z.strictObject({ ...at, type: z.literal("end"), outcome: agentOutcome }),
]);

export type RecordingHeader = z.infer<typeof recordingHeader>;
export type RecordingEntry = z.infer<typeof recordingEntry>;
export type RecordedRequest = Extract<RecordingEntry, { type: "request" }>;
type WithoutTime<T> = T extends unknown ? Omit<T, "ms"> : never;
export type RecordingDraft = WithoutTime<RecordingEntry>;
