import type { ImagePart, Message, TextPart, ThinkingPart, ToolCallPart } from "../../protocol/messages.ts";
import type { SessionEntry, SessionHeader } from "../../protocol/session-entries.ts";
import { type SessionTotals, sessionTotals } from "../totals.ts";
import { buildTree, type SessionTree } from "../tree.ts";
import { createAllowance, type PageAllowance, type PageLimits } from "./page-allowance.ts";
import { type NoteWords, noteOf } from "./page-notes.ts";

// What a page shows of a session: what was said and done on every branch, without what only Ralph and providers need.

export type PagePart = { type: "text"; text: string } | ImagePart | { type: "absent"; text: string };
export type PageAnswerPart =
  | PagePart
  | { type: "thinking"; text: string }
  | { type: "call"; callId: string; name: string; fields: { name: string; text: string }[] };

export interface PageTokens {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

type PageBody =
  | { type: "user"; parts: PagePart[] }
  | {
      type: "answer";
      model: string;
      stop: string;
      tokens: PageTokens;
      cost?: number | undefined;
      parts: PageAnswerPart[];
    }
  | { type: "result"; callId: string; tool: string; isError: boolean; parts: PagePart[] }
  | ({ type: "note" } & NoteWords);

/** `parent` is a place in the list before this one; -1 where there is none. */
export type PageEntry = { parent: number; at: string; label?: string | undefined } & PageBody;

export interface PageData {
  version: 1;
  session: { id: string; name: string; cwd: string; at: string; model?: string | undefined };
  totals: SessionTotals;
  /** The last entry of the branch that is shown first; -1 where there is none. */
  current: number;
  leftOut: string[];
  entries: PageEntry[];
}

export interface PageSource {
  header: SessionHeader;
  entries: readonly SessionEntry[];
  /** The last entry of the branch that is shown first; the one appended last where absent. */
  leafId?: string | null | undefined;
  limits?: PageLimits | undefined;
}

export function pageData({ header, entries, leafId, limits }: PageSource): PageData {
  const tree = buildTree(entries);
  const end = leafId ?? tree.lastId;
  const allowance = createAllowance(limits);
  const bodies = bodiesOf(tree, end, allowance);
  const { list, placeOf } = placed(tree, bodies);
  const name = tree.entries.findLast((entry) => entry.type === "name")?.name ?? `Session ${header.id}`;
  const { id, cwd, at } = header;
  return {
    version: 1,
    session: { id, name, cwd, at, model: lastModel(tree.pathTo(end)) },
    totals: sessionTotals(tree.entries),
    current: end === null ? -1 : (placeOf.get(end) ?? -1),
    leftOut: allowance.leftOut(),
    entries: list,
  };
}

/** The branch that is shown first has the first claim on the room there is. */
function bodiesOf(tree: SessionTree, end: string | null, allowance: PageAllowance): Map<string, PageBody> {
  const sent = new Set(tree.entries.flatMap(settledMessage));
  const bodies = new Map<string, PageBody>();
  const add = (entry: SessionEntry): void => {
    const body = bodies.has(entry.id) ? undefined : bodyOf(entry, allowance, sent);
    if (body !== undefined) bodies.set(entry.id, body);
  };
  for (const entry of tree.pathTo(end)) add(entry);
  for (const entry of tree.entries) add(entry);
  return bodies;
}

/** The waiting message that was sent or taken back with this entry. */
function settledMessage(entry: SessionEntry): string[] {
  if (entry.type === "unqueued") return [entry.targetId];
  return entry.type === "message" && entry.queuedAs !== undefined ? [entry.queuedAs] : [];
}

function placed(tree: SessionTree, bodies: ReadonlyMap<string, PageBody>) {
  const labels = labelsIn(tree.entries);
  const placeOf = new Map<string, number>();
  const list: PageEntry[] = [];
  for (const { id, at } of tree.entries) {
    const parentId = tree.parentOf(id);
    const parent = parentId === null ? -1 : (placeOf.get(parentId) ?? -1);
    const body = bodies.get(id);
    // What hangs on an entry that is not shown hangs on the one before it.
    placeOf.set(id, body === undefined ? parent : list.length);
    if (body !== undefined) list.push({ parent, at, label: labels.get(id), ...body });
  }
  return { list, placeOf };
}

/** The newest label of an entry counts; null takes it away. */
function labelsIn(entries: readonly SessionEntry[]): Map<string, string> {
  const labels = new Map<string, string>();
  for (const entry of entries) {
    if (entry.type !== "label") continue;
    if (entry.label === null) labels.delete(entry.targetId);
    else labels.set(entry.targetId, entry.label);
  }
  return labels;
}

function lastModel(branch: readonly SessionEntry[]): string | undefined {
  for (const entry of branch.toReversed())
    if (entry.type === "message" && entry.message.role === "assistant")
      return `${entry.message.provider}/${entry.message.model}`;
  return undefined;
}

function bodyOf(entry: SessionEntry, allowance: PageAllowance, sent: ReadonlySet<string>): PageBody | undefined {
  if (entry.type === "message") {
    // What Ralph tells the model of commands a person ran stands in their own entries.
    return entry.commandIds === undefined ? messageBody(entry.message, entry.cost, allowance) : undefined;
  }
  const words = entry.type === "queued" && sent.has(entry.id) ? undefined : noteOf(entry);
  if (words === undefined) return undefined;
  const taken = (text: string | undefined) => (text === undefined ? undefined : allowance.take(text));
  return { type: "note", text: allowance.take(words.text), more: taken(words.more), output: taken(words.output) };
}

function messageBody(message: Message, cost: number | undefined, allowance: PageAllowance): PageBody {
  const partsOf = (parts: readonly (TextPart | ImagePart)[]) => parts.map((part) => contentPart(part, allowance));
  switch (message.role) {
    case "user":
      return { type: "user", parts: partsOf(message.content) };
    case "assistant": {
      const { input, output, cacheRead, cacheWrite } = message.usage;
      return {
        type: "answer",
        model: message.model,
        stop: message.stopReason,
        tokens: { input, output, cacheRead, cacheWrite },
        cost,
        parts: message.content.flatMap((part) => answerPart(part, allowance)),
      };
    }
    case "tool-result": {
      const { toolCallId: callId, toolName: tool, isError, content } = message;
      return { type: "result", callId, tool, isError, parts: partsOf(content) };
    }
  }
}

function contentPart(part: TextPart | ImagePart, allowance: PageAllowance): PagePart {
  if (part.type === "text") return { type: "text", text: allowance.take(part.text) };
  const { mediaType, data } = part;
  if (allowance.hasRoomFor(data)) return { type: "image", mediaType, data };
  return {
    type: "absent",
    text: `${mediaType}, left out of this page (${data.length.toLocaleString("en-US")} characters)`,
  };
}

/** Thinking that a provider hides has no text and is no part of the page; neither are signatures. */
function answerPart(part: TextPart | ThinkingPart | ToolCallPart, allowance: PageAllowance): PageAnswerPart[] {
  if (part.type === "text") return [{ type: "text", text: allowance.take(part.text) }];
  if (part.type === "thinking") return part.text === "" ? [] : [{ type: "thinking", text: allowance.take(part.text) }];
  return [{ type: "call", callId: part.id, name: part.name, fields: fieldsOf(part, allowance) }];
}

function fieldsOf({ input, invalidInput }: ToolCallPart, allowance: PageAllowance): { name: string; text: string }[] {
  if (invalidInput !== undefined) return [{ name: "not valid", text: allowance.take(invalidInput) }];
  return Object.entries(input).map(([name, value]) => ({
    name,
    text: allowance.take(typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "")),
  }));
}
