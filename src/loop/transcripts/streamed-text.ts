// Text that arrives in pieces and then once more as a whole. Finished lines are shown as they come; the whole adds only what was
// not shown. Never changed in place.

/** How much of what was shown is remembered, to compare it with the whole; a longer line without an end is shown in pieces. */
export const MAX_STREAMED_CHARACTERS = 16_384;

export interface StreamedText {
  tag: "AI" | "THINK";
  /** Characters that were shown and are not remembered any more. */
  forgotten: number;
  /** Shown since, with its line ends. */
  shown: string;
  /** Not shown yet: the line is not finished. */
  pending: string;
}

export interface StreamedStep {
  stream: StreamedText;
  /** Finished lines, without the last line end. */
  text?: string;
}

export function startStream(tag: StreamedText["tag"]): StreamedText {
  return { tag, forgotten: 0, shown: "", pending: "" };
}

export function growStream(stream: StreamedText, piece: string): StreamedStep {
  const end = piece.lastIndexOf("\n");
  if (end === -1 && stream.pending.length + piece.length <= MAX_STREAMED_CHARACTERS)
    return { stream: { ...stream, pending: stream.pending + piece } };
  const cut = end === -1 ? piece.length : end + 1;
  const ready = stream.pending + piece.slice(0, cut);
  return {
    stream: remember({ ...stream, pending: piece.slice(cut) }, ready),
    text: end === -1 ? ready : ready.slice(0, -1),
  };
}

function remember(stream: StreamedText, ready: string): StreamedText {
  const { forgotten, shown } = stream;
  return shown.length + ready.length <= MAX_STREAMED_CHARACTERS
    ? { ...stream, shown: shown + ready }
    : { ...stream, forgotten: forgotten + shown.length + ready.length, shown: "" };
}

/** What of the whole is still to be shown; all of it where it is not what had been streamed. */
export function restOf({ forgotten, shown, pending }: StreamedText, whole: string): string | undefined {
  if (!whole.startsWith(shown + pending, forgotten)) return whole;
  const rest = whole.slice(forgotten + shown.length);
  return rest === "" ? undefined : rest;
}

/** Nothing more is added: the last line is finished without an end of its own. */
export function finishStream(stream: StreamedText): StreamedStep {
  const { shown, pending } = stream;
  return pending === "" ? { stream } : { stream: { ...stream, shown: shown + pending, pending: "" }, text: pending };
}

/** What is left when no whole comes. */
export function pendingOf({ pending }: StreamedText): string | undefined {
  return pending === "" ? undefined : pending;
}
