import { MAX_FRAME_BYTES } from "./decoder.ts";

export interface LineSplitter {
  /** The complete lines these bytes finish, without their line ends; undefined when a line is longer than allowed. */
  push(bytes: Uint8Array): string[] | undefined;
  /** The unfinished last line, empty if there is none. */
  rest(): string;
}

/**
 * Cuts UTF-8 into lines ended by LF, CRLF or CR. Pieces of an unfinished line are kept apart and joined once, so the cost
 * stays linear however small the pieces are.
 */
export function createLineSplitter(): LineSplitter {
  const decoder = new TextDecoder();
  let pending: string[] = [];
  let pendingLength = 0;
  let endedWithCarriageReturn = false;

  return {
    push(bytes) {
      let text = decoder.decode(bytes, { stream: true });
      if (text.length === 0) return [];
      if (endedWithCarriageReturn && text.charCodeAt(0) === LINE_FEED) text = text.slice(1);
      endedWithCarriageReturn = text.charCodeAt(text.length - 1) === CARRIAGE_RETURN;
      if (text.includes("\r")) text = text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
      const lastBreak = text.lastIndexOf("\n");
      if (lastBreak < 0) {
        pending.push(text);
        pendingLength += text.length;
        return pendingLength > MAX_FRAME_BYTES ? undefined : [];
      }
      pending.push(text.slice(0, lastBreak));
      const lines = pending.join("").split("\n");
      const rest = text.slice(lastBreak + 1);
      pending = rest === "" ? [] : [rest];
      pendingLength = rest.length;
      return lines;
    },
    rest: () => pending.join("") + decoder.decode(),
  };
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
