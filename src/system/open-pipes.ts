import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
  if (spare.length < count) spare.push(...makePipes(Math.max(count, MADE_AT_ONCE)));
  return spare.length < count ? undefined : spare.splice(0, count);
}

/**
 * Making pipes takes a program, and it makes many as fast as one: the next commands find theirs here, open. The runtime closes
 * them in every child.
 */
const MADE_AT_ONCE = 16;
const spare: Pipe[] = [];

function makePipes(count: number): Pipe[] {
  const pipes: Pipe[] = [];
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(tmpdir(), "ralph-pipes-"));
    const paths = Array.from({ length: count }, (_, index) => join(folder ?? "", String(index)));
    if (Bun.spawnSync(["mkfifo", ...paths]).success) for (const path of paths) pipes.push(openPipe(path));
    return pipes;
  } catch {
    return pipes;
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** The reading end first: a pipe that nobody reads cannot be opened for writing without waiting. */
function openPipe(path: string): Pipe {
  const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { read, write: openSync(path, constants.O_WRONLY) };
  } catch (error) {
    closeSync(read);
    throw error;
  }
}
