import { MAX_LINE_BYTES } from "../inbound-lines.ts";
import { parseStrictJson } from "../strict-json.ts";

export type OutgoingLine = { ok: true; line: string } | { ok: false; message: string };

/** A frame as its line. One that Ralph could only refuse without saying which it was is refused here. */
export function outgoingLine(frame: object): OutgoingLine {
  const line = JSON.stringify(frame);
  const bytes = Buffer.byteLength(line);
  if (bytes > MAX_LINE_BYTES)
    return { ok: false, message: `It has ${bytes} bytes; Ralph takes ${MAX_LINE_BYTES} in one line.` };
  const read = parseStrictJson(line);
  return read.ok ? { ok: true, line } : read;
}
