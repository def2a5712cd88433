import * as z from "zod";
import { EFFORTS } from "./effort.ts";
import { imagePart, message, textPart, toolCallPart } from "./messages.ts";

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
  z.strictObject({
    ...place,
    type: z.literal("message"),
    message,
    /** What the answer cost in US dollars, where a price was known when it came. */
    cost: z.number().optional(),
  }),
  z.strictObject({ ...place, type: z.literal("tool-started"), call: toolCallPart }),
  z.strictObject({ ...place, type: z.literal("model-changed"), model: z.string(), temporary: z.boolean().optional() }),
  z.strictObject({ ...place, type: z.literal("effort-changed"), effort: z.enum(EFFORTS) }),
  z.strictObject({ ...place, type: z.literal("mode-changed"), mode: z.string() }),
  /** The stable instructions of the session, so that a resumed one sends the same bytes. */
  z.strictObject({ ...place, type: z.literal("system-prompt"), text: z.string() }),
  z.strictObject({
    ...place,
    type: z.literal("compaction"),
    summary: z.string(),
    /** The first entry that is still sent word for word. */
    firstKeptId: z.string(),
    tokensBefore: z.number(),
    /** What stays word for word behind the summary: goal, latest request, rules, open work. */
    pinned: z.array(z.discriminatedUnion("type", [textPart, imagePart])).optional(),
  }),
  z.strictObject({ ...place, type: z.literal("branch-summary"), fromId: z.string(), summary: z.string() }),
  z.strictObject({ ...place, type: z.literal("label"), targetId: z.string(), label: z.string().nullable() }),
  z.strictObject({ ...place, type: z.literal("name"), name: z.string() }),
  z.strictObject({ ...place, type: z.literal("custom"), kind: z.string(), data: z.unknown() }),
]);

export type SessionHeader = z.infer<typeof sessionHeader>;
export type SessionEntry = z.infer<typeof sessionEntry>;

/**
 * A long string of an entry that is kept in `blobs/<sha256>`. In the stored line the string at `path` is empty; beside the
 * entry's own fields stands `blobs`, a list of these.
 */
export const blobReference = z.strictObject({
  blob: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.number(),
  path: z.array(z.union([z.string(), z.number()])).nonempty(),
});

export type BlobReference = z.infer<typeof blobReference>;
/** An entry as its line holds it. */
export type StoredEntry = SessionEntry & { blobs?: BlobReference[] };
