import * as z from "zod";
import { EFFORTS } from "./effort.ts";
import { message, toolCallPart } from "./messages.ts";

// The lines of a session file: a header, then entries that form a tree by `parentId`. Entries are only ever appended.

export const SESSION_VERSION = 1;

export const sessionHeader = z.strictObject({
  type: z.literal("session"),
  version: z.literal(SESSION_VERSION),
  id: z.string(),
  /** ISO 8601 in UTC. */
  at: z.string(),
  cwd: z.string(),
  /** The session this one was forked from. */
  parentSession: z.string().optional(),
});

/** `parentId` is null for the first entry. */
const place = { id: z.string(), parentId: z.string().nullable(), at: z.string() };

export const sessionEntry = z.discriminatedUnion("type", [
  z.strictObject({ ...place, type: z.literal("message"), message }),
  z.strictObject({ ...place, type: z.literal("tool-started"), call: toolCallPart }),
  z.strictObject({ ...place, type: z.literal("model-changed"), model: z.string(), temporary: z.boolean().optional() }),
  z.strictObject({ ...place, type: z.literal("effort-changed"), effort: z.enum(EFFORTS) }),
  z.strictObject({ ...place, type: z.literal("mode-changed"), mode: z.string() }),
  z.strictObject({
    ...place,
    type: z.literal("compaction"),
    summary: z.string(),
    /** The first entry that is still sent word for word. */
    firstKeptId: z.string(),
    tokensBefore: z.number(),
  }),
  z.strictObject({ ...place, type: z.literal("branch-summary"), fromId: z.string(), summary: z.string() }),
  z.strictObject({ ...place, type: z.literal("label"), targetId: z.string(), label: z.string().nullable() }),
  z.strictObject({ ...place, type: z.literal("name"), name: z.string() }),
  z.strictObject({ ...place, type: z.literal("custom"), kind: z.string(), data: z.unknown() }),
]);

export type SessionHeader = z.infer<typeof sessionHeader>;
export type SessionEntry = z.infer<typeof sessionEntry>;
