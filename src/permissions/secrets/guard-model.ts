import type { AssistantMessage, AssistantPart } from "../../protocol/messages.ts";
import type { ModelEnd, ModelEvent } from "../../protocol/model-events.ts";
import type { ModelRequest, StreamModel } from "../../protocol/model-request.ts";
import { mapItems, mapMessage, mapPart } from "./map-message.ts";
import { mapStrings } from "./map-strings.ts";
import type { Obfuscation, Obfuscator } from "./obfuscate.ts";
import type { StreamRestorer } from "./restore-placeholders.ts";

/**
 * The same model, which never gets to see a secret: what is sent is hidden, what comes back is restored before anybody sees it.
 * Pictures and documents are sent as they are.
 */
export function guardModel(streamModel: StreamModel, obfuscator: Obfuscator): StreamModel {
  return async (request, options) => {
    const texts = obfuscator.begin();
    const hidden = hideRequest(request, texts);
    const problem = texts.problem();
    if (problem !== undefined) return refuse(problem, options.emit);
    const restored = (end: ModelEnd) => (request.compact === true ? compactedEnd : restoredEnd)(end, texts);
    const answer = createAnswer(texts, restored, options.emit);
    const end = await streamModel(hidden, { ...options, emit: answer.take });
    return answer.end() ?? restored(end);
  };
}

function refuse(message: string, emit: (event: ModelEvent) => void): ModelEnd {
  const end: ModelEnd = { type: "error", error: { kind: "invalid-request", message, retryable: false } };
  emit(end);
  return end;
}

/** In the order in which a provider caches: what stands behind never changes how something before it is written. */
function hideRequest(request: ModelRequest, { hide }: Obfuscation): ModelRequest {
  const base = hide(request.system.base);
  const tools = request.tools.map((tool) => ({ ...mapStrings(tool, hide), name: tool.name }));
  const messages = request.messages.map((message) => mapMessage(message, hide));
  const { dynamic } = request.system;
  return {
    ...request,
    tools,
    messages,
    system: { base, ...(dynamic === undefined ? {} : { dynamic: hide(dynamic) }) },
  };
}

interface Answer {
  take(event: ModelEvent): void;
  /** The end that was told. */
  end(): ModelEnd | undefined;
}

type DeltaType = Extract<ModelEvent, { type: `${string}-delta` }>["type"];

function createAnswer(
  texts: Obfuscation,
  restored: (end: ModelEnd) => ModelEnd,
  emit: (event: ModelEvent) => void,
): Answer {
  const open = new Map<number, { type: DeltaType; restorer: StreamRestorer }>();
  let last: ModelEnd | undefined;
  const flush = (index: number) => {
    const part = open.get(index);
    const text = part?.restorer.flush() ?? "";
    open.delete(index);
    if (part !== undefined && text !== "") emit({ type: part.type, index, text });
  };
  const grow = (type: DeltaType, index: number, text: string) => {
    const restorer = open.get(index)?.restorer ?? texts.restoreStream({ inJson: type === "tool-call-delta" });
    open.set(index, { type, restorer });
    const restored = restorer.push(text);
    if (restored !== "") emit({ type, index, text: restored });
  };
  const take = (event: ModelEvent) => {
    if (event.type === "text-delta" || event.type === "thinking-delta" || event.type === "tool-call-delta")
      return grow(event.type, event.index, event.text);
    if (event.type === "attempt-retry") open.clear();
    if (event.type === "done" || event.type === "error") {
      for (const index of [...open.keys()]) flush(index);
      last = restored(event);
      return emit(last);
    }
    if ("index" in event) flush(event.index);
    emit(event.type === "tool-call-end" ? { ...event, input: mapStrings(event.input, texts.restore) } : event);
  };
  return { take, end: () => last };
}

/** The answer to a request to shorten the conversation. */
function compactedEnd(end: ModelEnd, texts: Obfuscation): ModelEnd {
  if (end.type !== "done") return end;
  const content = end.message.content.map((part) => {
    if (part.type !== "thinking" || part.encrypted === undefined) return part;
    return { ...part, encrypted: mapItems(part.encrypted, (text) => texts.restore(text)) };
  });
  return { ...end, message: { ...end.message, content } };
}

function restoredEnd(end: ModelEnd, texts: Obfuscation): ModelEnd {
  if (end.type === "done") return { ...end, message: restoredMessage(end.message, texts) };
  return end.partial === undefined ? end : { ...end, partial: restoredMessage(end.partial, texts) };
}

function restoredMessage(message: AssistantMessage, texts: Obfuscation): AssistantMessage {
  return { ...message, content: message.content.map((part) => restoredPart(part, texts)) };
}

function restoredPart(part: AssistantPart, texts: Obfuscation): AssistantPart {
  const restored = mapPart(part, (text) => texts.restore(text));
  if (part.type !== "thinking" || restored.type !== "thinking" || part.signature === undefined) return restored;
  if (texts.hide(restored.text) === part.text) return restored;
  // The provider takes signed thinking back only byte for byte, and without a signature not at all.
  const { signature: _, ...unsigned } = restored;
  return unsigned;
}
