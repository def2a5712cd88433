import type { Pointer } from "bun:ffi";
import { closeSync, constants, openSync } from "node:fs";

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

/** The runtime has no call for it, so the system's library is asked. Throws where that is not possible. */
function makePipe(): [read: number, write: number] {
  const { ptr } = foreign();
  const ends = new Int32Array(2);
  pipe2 ??= loadPipe2();
  if (pipe2(ptr(ends), CLOSE_ON_EXEC) !== 0) throw new Error("no pipe could be made");
  const [read = -1, write = -1] = ends;
  return [read, write];
}

type Pipe2 = (ends: Pointer, flags: number) => number;
let pipe2: Pipe2 | undefined;

function loadPipe2(): Pipe2 {
  const { dlopen } = foreign();
  const wanted = { pipe2: { args: ["ptr", "i32"], returns: "i32" } } as const;
  try {
    return dlopen("libc.so.6", wanted).symbols.pipe2;
  } catch {
    // A system with musl has its library under the name of the machine.
    return dlopen(`libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`, wanted).symbols.pipe2;
  }
}

/** Loaded when it is first needed: it takes longer than many a command. */
function foreign(): typeof import("bun:ffi") {
  return process.getBuiltinModule("bun:ffi") as typeof import("bun:ffi");
}
