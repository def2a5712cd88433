import { fstatSync } from "node:fs";
import type { Clock } from "../../system/clock.ts";

export type PipedText = { ok: true; text: string } | { ok: false; message: string };

export const MAX_INPUT_BYTES = 10_000_000;
const PATIENCE_MS = 3000;

/**
 * What was piped or redirected into Ralph, to its end; empty for a terminal. Something that is slow to write is waited for,
 * because what was sent must not be lost; after a while a note says so.
 */
export async function readStandardInput(clock: Clock, note: (line: string) => void): Promise<PipedText> {
  if (!isPiped()) return { ok: true, text: "" };
  const stopNote = clock.timer(PATIENCE_MS, () =>
    note("Waiting for the end of standard input. If nothing is meant to come, start with </dev/null."),
  );
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of Bun.stdin.stream()) {
      pieces.push(piece);
      length += piece.byteLength;
      if (length > MAX_INPUT_BYTES)
        return {
          ok: false,
          message: `Standard input is longer than ${MAX_INPUT_BYTES} bytes. Send less, or name a file in the prompt.`,
        };
    }
    return { ok: true, text: new TextDecoder().decode(Buffer.concat(pieces)) };
  } catch (error) {
    return {
      ok: false,
      message: `Standard input cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    };
  } finally {
    stopNote();
  }
}

/** A pipe, a file or a socket; not a terminal and not a device such as /dev/null. */
function isPiped(): boolean {
  try {
    const stats = fstatSync(0);
    return stats.isFIFO() || stats.isFile() || stats.isSocket();
  } catch {
    return false;
  }
}
