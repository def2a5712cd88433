import type { AnswerWatch } from "../protocol/answer-watch.ts";
import type { AssistantMessage } from "../protocol/messages.ts";
import type { ModelEnd, ModelEvent } from "../protocol/model-events.ts";
import type { ModelRequest, StreamModel, StreamOptions } from "../protocol/model-request.ts";

export interface WatchedAnswerOptions extends StreamOptions {
  streamModel: StreamModel;
  watch: AnswerWatch | undefined;
}

/** `isStopped`: the watch wanted it so. Such an answer ends with an error, and no tool call of it is left. */
export interface WatchedAnswer {
  end: ModelEnd;
  isStopped: boolean;
}

export async function watchedAnswer(request: ModelRequest, options: WatchedAnswerOptions): Promise<WatchedAnswer> {
  const { streamModel, watch, ...streaming } = options;
  if (watch === undefined) return { end: await streamModel(request, streaming), isStopped: false };
  const { signal, emit } = streaming;
  const stop = new AbortController();
  const abort = () => stop.abort();
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  let isStopped = false;
  watch.begin();
  const see = (event: ModelEvent) => {
    // What came in the same piece as the end of the answer was not said any more.
    if (isStopped && event.type !== "error" && event.type !== "done") return;
    emit(isStopped && event.type === "done" ? stoppedEnd(event) : event);
    if (isStopped || !watch.see(event)) return;
    isStopped = true;
    abort();
  };
  const end = await streamModel(request, { ...streaming, signal: stop.signal, emit: see });
  signal.removeEventListener("abort", abort);
  // A person who stops everything comes first.
  return signal.aborted || !isStopped ? { end, isStopped: false } : { end: stoppedEnd(end), isStopped };
}

/** A provider may have sent the whole answer before it could be stopped. */
function stoppedEnd(end: ModelEnd): ModelEnd {
  if (end.type === "error") return end;
  const error = { kind: "aborted" as const, message: "The answer was stopped for a rule.", retryable: false };
  return { type: "error", error, partial: withoutCalls(end.message) };
}

function withoutCalls(message: AssistantMessage): AssistantMessage {
  return { ...message, content: message.content.filter((part) => part.type !== "tool-call"), stopReason: "cut" };
}
