import type { Pointer } from "bun:ffi";
import { closeSync, constants, openSync } from "node:fs";
import { cLibrary, foreignFunctions } from "./c-library.ts";

export interface Pipe {
  read: number;
  write: number;
}

/**
 * Real pipes for the output of a child. The runtime's own are sockets, and on Linux a socket cannot be opened by name, so that
 * `> /dev/stderr` fails in the child. Undefined where the runtime's own will do or no pipe can be made.
 */
export function openPipes(count: number): Pipe[] | undefined {
  if (process.platform !== "linux") return undefined;
  const pipes: Pipe[] = [];
  try {
    while (pipes.length < count) pipes.push(openPipe(makePipe()));
    return pipes;
  } catch {
    for (const { read, write } of pipes) for (const descriptor of [read, write]) closeSync(descriptor);
    return undefined;
  }
}

/** Both ends wait: the child expects that of its own, and ours is opened anew. */
function openPipe([waiting, write]: [number, number]): Pipe {
  try {
    return { read: openSync(`/proc/self/fd/${waiting}`, constants.O_RDONLY | constants.O_NONBLOCK), write };
  } catch (error) {
    closeSync(write);
    throw error;
  } finally {
    closeSync(waiting);
  }
}

const CLOSE_ON_EXEC = 0o2000000;

/** Throws where no pipe can be made. */
function makePipe(): [read: number, write: number] {
  const ends = new Int32Array(2);
  library ??= cLibrary({ pipe2: { args: ["ptr", "i32"], returns: "i32" } });
  if (library.pipe2(foreignFunctions().ptr(ends), CLOSE_ON_EXEC) !== 0) throw new Error("no pipe could be made");
  const [read = -1, write = -1] = ends;
  return [read, write];
}

let library: { pipe2: (ends: Pointer, flags: number) => number } | undefined;
