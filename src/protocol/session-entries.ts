import * as z from "zod";
import { EFFORTS } from "./effort.ts";
import { listedTask } from "./listed-tasks.ts";
import { compactedHistory, imagePart, message, textPart, toolCallPart, usage, userMessage } from "./messages.ts";

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

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * How a path was found. The content of a file is the blob with its hash, where `isKept`; what could not be kept at all says
 * why, in words for a person.
 */
export const fileState = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("missing") }),
  z.strictObject({
    type: z.literal("file"),
    hash: sha256,
    size: z.number(),
    mode: z.number(),
    isKept: z.boolean(),
  }),
  z.strictObject({ type: z.literal("directory"), mode: z.number() }),
  z.strictObject({ type: z.literal("link"), target: z.string() }),
  z.strictObject({ type: z.literal("not-kept"), why: z.string() }),
]);

/** `path` is relative to the session's `cwd`, links resolved; absolute for what lies outside, which is never kept. */
export const fileRecord = z.strictObject({ path: z.string(), state: fileState });

/** What there was before the first shell command of a turn. `manifest` and `index` are blobs. */
export const shellSnapshot = z.discriminatedUnion("type", [
  /** `index` is a copy of git's index; null where there was none. */
  z.strictObject({ type: z.literal("git"), manifest: sha256, index: sha256.nullable() }),
  z.strictObject({ type: z.literal("folder"), manifest: sha256 }),
  z.strictObject({ type: z.literal("none"), why: z.string() }),
]);

/** `parentId` is null for the first entry. */
const place = { id: z.string(), parentId: z.string().nullable(), at: z.string() };

/** What asking for summaries used; `cost` in US dollars, where a price was known. */
const spent = { usage: usage.optional(), cost: z.number().optional() };

export const sessionEntry = z.discriminatedUnion("type", [
  z.strictObject({
    ...place,
    type: z.literal("message"),
    message,
    /** What the answer cost in US dollars, where a price was known when it came. */
    cost: z.number().optional(),
    /** The `queued` entry this message waited as; it waits no longer. */
    queuedAs: z.string().optional(),
    /** It tells the model what these `command` entries hold; the words are Ralph's, not the person's. */
    commandIds: z.array(z.string()).optional(),
  }),
  /**
   * A command the person ran themselves. The model is told of it with the next thing the person says. `ending` says how it ended;
   * `exitCode` is absent where it did not end by itself. `artifact` is the file with everything it printed.
   */
  z.strictObject({
    ...place,
    type: z.literal("command"),
    command: z.string(),
    output: z.string(),
    ending: z.string(),
    exitCode: z.number().optional(),
    artifact: z.string().optional(),
  }),
  /**
   * Rules the model was told because it broke them: in `message`, which is Ralph's and not the person's, or in front of the tool
   * result before this entry. `usage` and `cost` are those of an answer that was stopped for them and not kept.
   */
  z.strictObject({
    ...place,
    type: z.literal("rules-injected"),
    names: z.array(z.string()),
    message: userMessage.optional(),
    ...spent,
  }),
  /** What a person said while the agent worked: kept at once, sent when its moment comes. */
  z.strictObject({
    ...place,
    type: z.literal("queued"),
    kind: z.enum(["steering", "follow-up"]),
    message: userMessage,
  }),
  /** The person took a waiting message back. */
  z.strictObject({ ...place, type: z.literal("unqueued"), targetId: z.string() }),
  z.strictObject({ ...place, type: z.literal("tool-started"), call: toolCallPart }),
  z.strictObject({ ...place, type: z.literal("model-changed"), model: z.string(), temporary: z.boolean().optional() }),
  z.strictObject({ ...place, type: z.literal("effort-changed"), effort: z.enum(EFFORTS) }),
  /** A mode a person chose is not left by the model alone. */
  z.strictObject({
    ...place,
    type: z.literal("mode-changed"),
    mode: z.string(),
    by: z.enum(["person", "model"]).optional(),
  }),
  /** Whether only tools that look are offered. */
  z.strictObject({ ...place, type: z.literal("safe-changed"), safe: z.boolean() }),
  /** The names of all tools the model sees from here on, in their order. */
  z.strictObject({ ...place, type: z.literal("tools-advertised"), names: z.array(z.string()) }),
  z.strictObject({ ...place, type: z.literal("tasks-changed"), tasks: z.array(listedTask) }),
  /** The stable instructions of the session, so that a resumed one sends the same bytes. */
  z.strictObject({ ...place, type: z.literal("system-prompt"), text: z.string() }),
  z.strictObject({
    ...place,
    type: z.literal("compaction"),
    summary: z.string(),
    /** The first entry that is still sent word for word. */
    firstKeptId: z.string(),
    tokensBefore: z.number(),
    /** What stays word for word behind the summary: goal, latest request, decisions, changed files, open work. */
    pinned: z.array(z.discriminatedUnion("type", [textPart, imagePart])).optional(),
    tokensAfter: z.number().optional(),
    /** Who wrote the summary, as `provider/id`; absent where it is a list of what was left out. */
    model: z.string().optional(),
    /**
     * What the provider made of the messages; `summary` is a list of them then. For any other model this entry counts for nothing:
     * it gets the messages themselves.
     */
    server: compactedHistory.optional(),
    ...spent,
  }),
  /** From here on the model sees these tool results shortened to `keep` characters each. The results themselves stay. */
  z.strictObject({
    ...place,
    type: z.literal("pruned"),
    entryIds: z.array(z.string()),
    keep: z.number(),
    tokensBefore: z.number(),
    tokensAfter: z.number(),
  }),
  /** No summary was good enough. Nothing is tried again before the conversation has grown well beyond `tokens`. */
  z.strictObject({
    ...place,
    type: z.literal("compaction-failed"),
    reason: z.string(),
    tokens: z.number(),
    ...spent,
  }),
  /** These `compaction` and `pruned` entries count for nothing from here on; the conversation then has `tokens`. */
  z.strictObject({
    ...place,
    type: z.literal("compaction-undone"),
    targetIds: z.array(z.string()),
    tokens: z.number(),
  }),
  z.strictObject({ ...place, type: z.literal("branch-summary"), fromId: z.string(), summary: z.string() }),
  z.strictObject({ ...place, type: z.literal("label"), targetId: z.string(), label: z.string().nullable() }),
  z.strictObject({ ...place, type: z.literal("name"), name: z.string() }),
  /**
   * Undo. `turnId` is the entry that began the turn: the message of a person, or `undo-started`. Of several states before, the
   * first of a path counts, unless a later one comes `fromSnapshot`.
   */
  z.strictObject({
    ...place,
    type: z.literal("files-before"),
    turnId: z.string(),
    files: z.array(fileRecord),
    fromSnapshot: z.literal(true).optional(),
  }),
  /**
   * Of several states after, the last counts. `isSettled`: nothing more of this turn follows. `isUncertain`: these were found by
   * a Ralph that came after the one that ran the commands, so a person may have made them; they stand beside the others.
   */
  z.strictObject({
    ...place,
    type: z.literal("files-after"),
    turnId: z.string(),
    files: z.array(fileRecord),
    isSettled: z.literal(true).optional(),
    isUncertain: z.literal(true).optional(),
    /** Why effects of shell commands could not be found. */
    problem: z.string().optional(),
  }),
  z.strictObject({ ...place, type: z.literal("shell-snapshot"), turnId: z.string(), snapshot: shellSnapshot }),
  /** A turn of its own that takes back the turn `undoes`. */
  z.strictObject({ ...place, type: z.literal("undo-started"), undoes: z.string() }),
  /** The undo that `turnId` began went through all files. `left` are those that are not as they were, and why. */
  z.strictObject({
    ...place,
    type: z.literal("undo-ended"),
    turnId: z.string(),
    left: z.array(z.strictObject({ path: z.string(), why: z.string() })),
  }),
  z.strictObject({ ...place, type: z.literal("custom"), kind: z.string(), data: z.unknown() }),
]);

export type SessionHeader = z.infer<typeof sessionHeader>;
export type FileState = z.infer<typeof fileState>;
export type FileRecord = z.infer<typeof fileRecord>;
export type ShellSnapshot = z.infer<typeof shellSnapshot>;
export type SessionEntry = z.infer<typeof sessionEntry>;

/**
 * A long string of an entry that is kept in `blobs/<sha256>`. In the stored line the string at `path` is empty; beside the
 * entry's own fields stands `blobs`, a list of these.
 */
export const blobReference = z.strictObject({
  blob: sha256,
  bytes: z.number(),
  path: z.array(z.union([z.string(), z.number()])).nonempty(),
});

export type BlobReference = z.infer<typeof blobReference>;
/** An entry as its line holds it. */
export type StoredEntry = SessionEntry & { blobs?: BlobReference[] };
