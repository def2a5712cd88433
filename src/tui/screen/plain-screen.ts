import { printPlain } from "../style/print-line.ts";
import type { Line } from "../style/styled-line.ts";
import type { Screen } from "./screen.ts";

/** Finished lines as plain text, one after the other, each as soon as it is committed. */
export function createPlainScreen(write: (text: string) => boolean): Screen {
  let isStopped = false;
  return {
    start() {},
    commit(lines: readonly Line[]) {
      if (!isStopped && lines.length > 0) write(lines.map((line) => `${printPlain(line)}\n`).join(""));
    },
    draw() {},
    resized() {},
    drained() {},
    returned() {},
    suspend() {},
    resume() {},
    stop() {
      isStopped = true;
    },
  };
}
