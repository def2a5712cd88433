import { type Decoder, MAX_FRAME_BYTES, type RawFrame } from "./decoder.ts";
import { createLineSplitter } from "./lines.ts";

/** Server-sent events: fields `event` and `data`, an empty line ends a frame, comments and other fields mean nothing. */
export function createSseDecoder(): Decoder {
  const splitter = createLineSplitter();
  let event = "";
  let data: string[] = [];
  let dataLength = 0;

  function readLine(line: string, frames: RawFrame[]): void {
    if (line === "") {
      if (data.length > 0) frames.push({ event, data: data.length === 1 ? (data[0] ?? "") : data.join("\n") });
      event = "";
      data = [];
      dataLength = 0;
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    if (field === "data") {
      const value = valueAfter(line, colon);
      data.push(value);
      dataLength += value.length;
    } else if (field === "event") {
      event = valueAfter(line, colon);
    }
  }

  return {
    push(bytes) {
      const frames: RawFrame[] = [];
      const lines = splitter.push(bytes);
      if (lines === undefined) return { frames, problem: TOO_LONG };
      for (const line of lines) readLine(line, frames);
      return dataLength > MAX_FRAME_BYTES ? { frames, problem: TOO_LONG } : { frames };
    },
    end() {
      // The specification drops an event whose empty line never came. Some servers forget it behind the very last event, and an
      // event that was cut in the middle does not parse, so it is handed on and judged there.
      const frames: RawFrame[] = [];
      const rest = splitter.rest();
      if (rest !== "") readLine(rest, frames);
      const cut = data.length > 0;
      readLine("", frames);
      return { frames, cut };
    },
  };
}

const TOO_LONG = `an event is longer than ${MAX_FRAME_BYTES} bytes`;

function valueAfter(line: string, colon: number): string {
  if (colon < 0) return "";
  return line.slice(line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1);
}

const SPACE = 32;
