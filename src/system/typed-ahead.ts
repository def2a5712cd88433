import { cLibrary } from "./c-library.ts";

const INPUT_QUEUE = process.platform === "darwin" ? 1 : 0;

/**
 * Forgets what was typed into a terminal and not read yet: whoever typed it did not know the question that comes now. Where the
 * system has no such call, nothing happens.
 */
export function dropTypedAhead(descriptor: number): void {
  try {
    library ??= cLibrary({ tcflush: { args: ["i32", "i32"], returns: "i32" } });
    library.tcflush(descriptor, INPUT_QUEUE);
  } catch {}
}

let library: { tcflush: (descriptor: number, queue: number) => number } | undefined;
