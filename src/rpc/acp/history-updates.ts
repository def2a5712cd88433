import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { Message } from "../../protocol/messages.ts";
import type { CallIds } from "./call-ids.ts";
import { changedFile, plannedDiff, resultContent, shapeOf } from "./tool-shapes.ts";

/** More than anybody scrolls through; what is before it stays in the session. */
export const MOST_REPLAYED = 2000;

/** What was said in a session, as an editor gets it that opens the session again. */
export function historyUpdates(messages: readonly Message[], replay: Replay): SessionUpdate[] {
  return messages.flatMap((message) => updatesOf(message, replay));
}

interface Replay {
  cwd: string;
  ids: CallIds;
}

function updatesOf(message: Message, replay: Replay): SessionUpdate[] {
  if (message.role === "tool-result") {
    const status = message.isError ? "failed" : "completed";
    const content = resultContent(message);
    return [{ sessionUpdate: "tool_call_update", toolCallId: replay.ids.now(message.toolCallId), status, content }];
  }
  return message.content.flatMap((part): SessionUpdate[] => {
    if (part.type === "tool-call") return [callUpdate(part, replay)];
    if (part.type === "image") {
      const content = { type: "image", data: part.data, mimeType: part.mediaType } as const;
      return [{ sessionUpdate: "user_message_chunk", content }];
    }
    if (part.text === "") return [];
    const sessionUpdate =
      part.type === "thinking"
        ? "agent_thought_chunk"
        : message.role === "user"
          ? "user_message_chunk"
          : "agent_message_chunk";
    return [{ sessionUpdate, content: { type: "text", text: part.text } }];
  });
}

type CallPart = Extract<Extract<Message, { role: "assistant" }>["content"][number], { type: "tool-call" }>;

function callUpdate(call: CallPart, { cwd, ids }: Replay): SessionUpdate {
  const file = changedFile(call, cwd);
  return {
    sessionUpdate: "tool_call",
    toolCallId: ids.open(call.id),
    name: call.name,
    ...shapeOf(call, cwd),
    status: "pending",
    content: file === undefined ? [] : plannedDiff(call, file, undefined),
    rawInput: call.input,
  };
}
