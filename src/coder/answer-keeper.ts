import type { AgentEvent } from "../protocol/agent-events.ts";
import type { Message } from "../protocol/messages.ts";
import type { Model } from "../protocol/models.ts";
import type { AnswerDraft } from "../sessions/drafts/answer-draft.ts";
import type { Session } from "../sessions/session.ts";

/** Keeps what arrives of an answer beside the session until the answer is stored, so that no kill takes what was shown. */
export interface AnswerKeeper {
  /** Before anybody is told of it. */
  note(event: AgentEvent): void;
  stored(event: AgentEvent): void;
  notStored(event: AgentEvent): void;
}

export function createAnswerKeeper(session: Session, model: () => Model): AnswerKeeper {
  let growing: AnswerDraft | undefined;
  /** Answers that have ended and are on their way to the disk; the next one may begin meanwhile. */
  const ended = new WeakMap<Message, AnswerDraft>();
  const end = (message?: Message) => {
    if (message === undefined) growing?.remove();
    else if (growing !== undefined) ended.set(message, growing);
    growing = undefined;
  };
  return {
    note(event) {
      if (event.type === "message-update") return growing?.see(event.event);
      switch (event.type) {
        case "message-start":
          if (event.role !== "assistant") return;
          end();
          growing = session.draftAnswer(answererOf(model()));
          return;
        case "message-end":
          return event.message.role === "assistant" ? end(event.message) : undefined;
        // Of an answer that has not ended by now nothing is kept.
        case "rules-triggered":
        case "turn-end":
        case "agent-end":
          return end();
      }
    },
    stored(event) {
      if (event.type === "message-end") ended.get(event.message)?.remove();
    },
    notStored(event) {
      if (event.type === "message-end") ended.get(event.message)?.save();
    },
  };
}

function answererOf({ provider, api, id }: Model) {
  return { provider, api, model: id };
}
