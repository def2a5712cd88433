/** What Ralph reads as one line: docs/rpc.md, "Lines". */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
const MAX_LEVELS = 64;

export type OutgoingLine = { ok: true; line: string } | { ok: false; message: string };

/** A frame as its line. One that Ralph could only answer without saying which it was is refused here. */
export function outgoingLine(frame: object): OutgoingLine {
  const line = JSON.stringify(frame);
  if (Buffer.byteLength(line) > MAX_LINE_BYTES)
    return { ok: false, message: `The line is longer than ${MAX_LINE_BYTES} bytes.` };
  if (isDeeper(frame, MAX_LEVELS)) return { ok: false, message: `The line has more than ${MAX_LEVELS} levels.` };
  return { ok: true, line };
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}
