import type {
  AssistantMessage,
  ImagePart,
  Message,
  TextPart,
  ToolCallPart,
  ToolResultMessage,
} from "../protocol/messages.ts";

// A history any provider takes: it begins with the user, no message is empty, and every tool call has exactly one result
// directly behind its answer, in the order of the calls.

export const INTERRUPTED_TEXT = "interrupted: Ralph was stopped while this ran; it may or may not have taken effect";
const LOST_BEGINNING = "[The beginning of this conversation could not be read.]";

export interface Settled {
  messages: Message[];
  /** The calls that have no result of their own. */
  interrupted: ToolCallPart[];
}

/** Results nobody asked for are left out, and of several for one call the first counts. */
export function settleCalls(history: readonly Message[]): Settled {
  const turns = history.flatMap(turnOf);
  giveResults(history, turns);
  const messages: Message[] = [];
  const interrupted: ToolCallPart[] = [];
  for (const { message, calls } of turns) {
    messages.push(message);
    for (const { call, result } of calls) {
      if (result === undefined) interrupted.push(call);
      messages.push(result ?? interruptedResult(call));
    }
  }
  if (messages.length > 0 && messages[0]?.role !== "user") messages.unshift(userText(LOST_BEGINNING));
  return { messages, interrupted };
}

export function interruptedResult({ id, name }: ToolCallPart): ToolResultMessage {
  const content = [{ type: "text" as const, text: INTERRUPTED_TEXT }];
  return { role: "tool-result", toolCallId: id, toolName: name, content, isError: true };
}

export function userText(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

interface OpenCall {
  call: ToolCallPart;
  result?: ToolResultMessage;
}

interface Turn {
  /** The message as it stands in the history, to find the turn again. */
  source: Message;
  message: Message;
  calls: OpenCall[];
}

function turnOf(source: Message): Turn[] {
  if (source.role === "tool-result") return [];
  if (source.role === "user") return source.content.some(isVisible) ? [{ source, message: source, calls: [] }] : [];
  const message = withoutRepeatedCalls(source);
  const calls = message.content.filter((part) => part.type === "tool-call").map((call) => ({ call }));
  if (calls.length === 0 && !message.content.some((part) => part.type === "text" && isVisible(part))) return [];
  return [{ source, message, calls }];
}

/** Each result goes to the nearest answer before it that made this call. */
function giveResults(history: readonly Message[], turns: readonly Turn[]): void {
  const open = new Map<string, OpenCall>();
  let next = 0;
  for (const message of history) {
    const turn = turns[next];
    if (turn?.source === message) {
      next++;
      for (const call of turn.calls) open.set(call.call.id, call);
    }
    if (message.role !== "tool-result") continue;
    const asked = open.get(message.toolCallId);
    if (asked === undefined || asked.result !== undefined) continue;
    asked.result = message;
  }
}

function withoutRepeatedCalls(message: AssistantMessage): AssistantMessage {
  const seen = new Set<string>();
  const content = message.content.filter((part) => {
    if (part.type !== "tool-call") return true;
    const isNew = !seen.has(part.id);
    seen.add(part.id);
    return isNew;
  });
  return content.length === message.content.length ? message : { ...message, content };
}

function isVisible(part: TextPart | ImagePart): boolean {
  return part.type === "image" ? part.data !== "" : part.text.trim() !== "";
}
