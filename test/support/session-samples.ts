import fc from "fast-check";
import { EFFORTS } from "../../src/protocol/effort.ts";
import type { AssistantMessage, Message, ToolCallPart } from "../../src/protocol/messages.ts";
import type { FileState, SessionEntry, ShellSnapshot } from "../../src/protocol/session-entries.ts";
import type { EntryDraft, Session, SessionResult } from "../../src/sessions/session.ts";
import type { SessionPlaces } from "../../src/sessions/session-name.ts";

export const USAGE = { input: 10, output: 5, cacheRead: 2, cacheWrite: 1 };

export function placesIn(directory: string): SessionPlaces {
  return { sessions: `${directory}/sessions`, blobs: `${directory}/blobs`, cache: `${directory}/cache` };
}

export function opened(result: SessionResult): Session {
  if (!result.ok) throw new Error(result.message);
  return result.session;
}

export async function stored(session: Session, draft: EntryDraft): Promise<SessionEntry> {
  const result = await session.append(draft);
  if (!result.ok) throw new Error(result.message);
  return result.entry;
}

export function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

export function call(id: string, name = "bash"): ToolCallPart {
  return { type: "tool-call", id, name, input: { command: "ls" } };
}

export function answer(text: string, ...calls: ToolCallPart[]): AssistantMessage {
  const content: AssistantMessage["content"] = text === "" ? calls : [{ type: "text", text }, ...calls];
  const stopReason = calls.length > 0 ? "tool-use" : "stop";
  return {
    role: "assistant",
    content,
    provider: "acme",
    api: "openai-completions",
    model: "one",
    stopReason,
    usage: USAGE,
  };
}

export function result(toolCallId: string, text = "done"): Message {
  return { role: "tool-result", toolCallId, toolName: "bash", content: [{ type: "text", text }], isError: false };
}

/** Entries that hang on each other in the order of the list, named e1, e2, … */
export function chain(...drafts: EntryDraft[]): SessionEntry[] {
  return drafts.map((draft, index) => {
    const parentId = index === 0 ? null : `e${index}`;
    return { id: `e${index + 1}`, parentId, at: "2026-01-02T03:04:05.000Z", ...draft } as SessionEntry;
  });
}

export function said(message: Message): EntryDraft {
  return { type: "message", message };
}

const text = fc.constantFrom("", " ", "hello", "ü\n```\nx", "```` four");
const callId = fc.constantFrom("a", "b", "c");
const entryId = fc.integer({ min: 0, max: 14 }).map((number) => `e${number}`);
const toolCall = callId.map((id) => call(id));
const image = fc.record({
  type: fc.constant("image" as const),
  mediaType: fc.constant("image/png"),
  data: fc.constantFrom("", "AAAA"),
});
const textPart = text.map((value) => ({ type: "text" as const, text: value }));
const content = fc.array(fc.oneof(textPart, image), { maxLength: 3 });
const thinking = text.map((value) => ({ type: "thinking" as const, text: value, signature: "s" }));

export const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  content.map((parts): Message => ({ role: "user", content: parts })),
  fc
    .array(fc.oneof(textPart, thinking, toolCall), { maxLength: 4 })
    .map((parts): Message => ({ ...answer(""), content: parts })),
  fc.record({ id: callId, parts: content, isError: fc.boolean() }).map(
    ({ id, parts, isError }): Message => ({
      role: "tool-result",
      toolCallId: id,
      toolName: "bash",
      content: parts,
      isError,
    }),
  ),
);

const hash = fc.constantFrom("0".repeat(64), "0123456789abcdef".repeat(4));
const fileState: fc.Arbitrary<FileState> = fc.oneof(
  fc.constant<FileState>({ type: "missing" }),
  fc.record({ type: fc.constant("file" as const), hash, size: fc.nat(), mode: fc.nat(), isKept: fc.boolean() }),
  fc.record({ type: fc.constant("directory" as const), mode: fc.nat() }),
  fc.record({ type: fc.constant("link" as const), target: text }),
  fc.record({ type: fc.constant("not-kept" as const), why: text }),
);
const files = fc.array(fc.record({ path: text, state: fileState }), { maxLength: 3 });
const snapshot: fc.Arbitrary<ShellSnapshot> = fc.oneof(
  fc.record({ type: fc.constant("git" as const), manifest: hash, index: fc.option(hash) }),
  fc.record({ type: fc.constant("folder" as const), manifest: hash }),
  fc.record({ type: fc.constant("none" as const), why: text }),
);

export const anyDraft: fc.Arbitrary<EntryDraft> = fc.oneof(
  { weight: 6, arbitrary: anyMessage.map(said) },
  toolCall.map((part): EntryDraft => ({ type: "tool-started", call: part })),
  text.map((output): EntryDraft => ({ type: "command", command: "ls", output, ending: "Exit code 0.", exitCode: 0 })),
  fc
    .array(entryId, { maxLength: 2 })
    .map((commandIds): EntryDraft => ({ type: "message", message: user("ran"), commandIds })),
  fc
    .array(text, { maxLength: 2 })
    .map(
      (names): EntryDraft => ({ type: "rules-injected", names, message: { role: "user", content: [] }, usage: USAGE }),
    ),
  content.map(
    (told): EntryDraft => ({ type: "rules-injected", names: ["r"], message: { role: "user", content: told } }),
  ),
  fc.boolean().map((temporary): EntryDraft => ({ type: "model-changed", model: "acme/two", temporary })),
  fc.constantFrom(...EFFORTS).map((effort): EntryDraft => ({ type: "effort-changed", effort })),
  text.map((mode): EntryDraft => ({ type: "mode-changed", mode })),
  text.map((value): EntryDraft => ({ type: "system-prompt", text: value })),
  fc
    .record({ summary: text, firstKeptId: entryId, pinned: content })
    .map((fields): EntryDraft => ({ type: "compaction", tokensBefore: 9, ...fields })),
  fc.record({ summary: text, firstKeptId: entryId, items: text }).map(({ items, ...fields }): EntryDraft => {
    const server = { provider: "acme", api: "openai-responses", model: "one", items };
    return { type: "compaction", tokensBefore: 9, server, ...fields };
  }),
  fc
    .record({ entryIds: fc.array(entryId, { maxLength: 3 }), keep: fc.constantFrom(0, 2000) })
    .map((fields): EntryDraft => ({ type: "pruned", tokensBefore: 9, tokensAfter: 5, ...fields })),
  fc
    .array(entryId, { maxLength: 2 })
    .map((targetIds): EntryDraft => ({ type: "compaction-undone", targetIds, tokens: 9 })),
  text.map((reason): EntryDraft => ({ type: "compaction-failed", reason, tokens: 9 })),
  fc.record({ summary: text, fromId: entryId }).map((fields): EntryDraft => ({ type: "branch-summary", ...fields })),
  entryId.map((targetId): EntryDraft => ({ type: "label", targetId, label: null })),
  text.map((name): EntryDraft => ({ type: "name", name })),
  fc
    .record({ turnId: entryId, files })
    .map((fields): EntryDraft => ({ type: "files-before", ...fields, fromSnapshot: true })),
  fc
    .record({ turnId: entryId, files })
    .map((fields): EntryDraft => ({ type: "files-after", ...fields, isSettled: true, problem: "p" })),
  fc
    .record({ turnId: entryId, files })
    .map((fields): EntryDraft => ({ type: "files-after", ...fields, isUncertain: true })),
  fc.record({ turnId: entryId, snapshot }).map((fields): EntryDraft => ({ type: "shell-snapshot", ...fields })),
  entryId.map((undoes): EntryDraft => ({ type: "undo-started", undoes })),
  fc
    .record({ turnId: entryId, left: fc.array(fc.record({ path: text, why: text }), { maxLength: 2 }) })
    .map((fields): EntryDraft => ({ type: "undo-ended", ...fields })),
  fc.jsonValue().map((data): EntryDraft => ({ type: "custom", kind: "note", data })),
);

/** Also those no Ralph would write: repeated ids, parents that are missing or come later. */
export const anyEntries: fc.Arbitrary<SessionEntry[]> = fc.array(
  fc
    .record({ id: entryId, parentId: fc.option(entryId, { freq: 8 }), draft: anyDraft })
    .map(({ id, parentId, draft }) => ({ id, parentId, at: "2026-01-02T03:04:05.000Z", ...draft }) as SessionEntry),
  { maxLength: 14 },
);
