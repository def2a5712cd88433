import { type Decoder, MAX_FRAME_BYTES } from "./decoder.ts";
import { createLineSplitter } from "./lines.ts";

/** One JSON value per line; empty lines mean nothing. */
export function createJsonLinesDecoder(): Decoder {
  const splitter = createLineSplitter();
  return {
    push(bytes) {
      const lines = splitter.push(bytes);
      if (lines === undefined) return { frames: [], problem: `a line is longer than ${MAX_FRAME_BYTES} bytes` };
      return { frames: lines.filter((line) => line.trim() !== "").map((data) => ({ event: "", data })) };
    },
    end() {
      const rest = splitter.rest().trim();
      return rest === "" ? { frames: [], cut: false } : { frames: [{ event: "", data: rest }], cut: true };
    },
  };
}
