import type { Message, ToolCallPart } from "../../../protocol/messages.ts";
import type { Model } from "../../../protocol/models.ts";

/** How calls that another provider or API made are told: as call items like our own, or in plain text. */
export type ForeignCalls = "items" | "text";

export interface ToldCall {
  call: ToolCallPart;
  form: ForeignCalls;
}

/**
 * How each call of a conversation is told, by its id. An item goes as `function_call`, its result as `function_call_output`. A
 * result whose call is told in text, or is not in the conversation, goes as text: the API refuses an output without its call.
 *
 * The ChatGPT backend refuses calls it did not make, so there the calls of another provider or API become text. Its own calls
 * stay items, which models follow better. A change of the model within one API changes nothing: the bytes already sent stay.
 */
export function callForms(messages: Message[], model: Model, foreignCalls: ForeignCalls): Map<string, ToldCall> {
  const told = new Map<string, ToldCall>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    const isOwn = message.provider === model.provider && message.api === model.api;
    for (const part of message.content) {
      if (part.type === "tool-call") told.set(part.id, { call: part, form: isOwn ? "items" : foreignCalls });
    }
  }
  return told;
}
