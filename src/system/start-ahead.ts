import { closeSync, writeSync } from "node:fs";
import { systemClock } from "./clock.ts";
import { openPipes, type Pipe } from "./open-pipes.ts";
import { firstChild, type ProcessEntry } from "./process-table.ts";
import { enclosedTree, treeIsGone } from "./process-tree.ts";
import { type Child, type ChildOptions, startChild } from "./start-child.ts";

// A program that is started before it is known what for. It says that it is ready by writing to `READY`, and then waits for one
// order in `ORDERS`. When Ralph is gone before there is one it reads an end of file.

export const ORDERS = 3;
export const READY = 4;

/** What a pipe takes at once, whole or not at all, and without a wait. */
export const LONGEST_ORDER = 4096;

export interface StartedAhead {
  pid: number;
  child: Child;
  /** Whether it has said so; no where it ended before, or took too long. */
  ready: Promise<boolean>;
  /** The first process of its namespace, once it is ready. */
  first(): ProcessEntry | undefined;
  /**
   * Hands the order over. False where there was one before, it is too long, or nobody is there to read it: then nothing of it
   * was read.
   */
  order(text: string): boolean;
  /** Ends it, with all that came from it, unless it has got its order. */
  end(): Promise<void>;
}

const MOST_SETUP_MS = 5000;
const MOST_END_MS = 1000;

/**
 * To be a program that makes a namespace for processes and has everything else run in it. Undefined where the system has no such
 * pipes, or the program cannot be started.
 */
export function startAhead(options: Omit<ChildOptions, "descriptors" | "stdin">): StartedAhead | undefined {
  const [orders, saying] = openPipes(2) ?? [];
  if (orders === undefined || saying === undefined) return undefined;
  const child = startQuietly({ ...options, descriptors: [orders.read, saying.write] });
  for (const descriptor of [orders.read, saying.write]) closeSync(descriptor);
  if (child === undefined) {
    for (const descriptor of [orders.write, saying.read]) closeSync(descriptor);
    return undefined;
  }
  // Nobody waits for a program that has nothing to do.
  child.process.unref();
  return waiting(child, { orders, saying });
}

function startQuietly(options: ChildOptions): Child | undefined {
  try {
    return startChild(options);
  } catch {
    return undefined;
  }
}

function waiting(started: Child, { orders, saying }: Record<"orders" | "saying", Pipe>): StartedAhead {
  const { pid } = started.process;
  let first: ProcessEntry | undefined;
  const child: Child = { ...started };
  let isOpen = true;
  const close = () => {
    isOpen = false;
    closeSync(orders.write);
  };
  const ready = saysSomething(saying.read).then((isReady) => {
    first = isReady ? firstChild(pid) : undefined;
    if (first !== undefined) child.tree = enclosedTree(started.tree, { root: pid, first });
    return isReady;
  });
  return {
    pid,
    child,
    ready,
    first: () => first,
    order(text) {
      const bytes = Buffer.from(text);
      if (!isOpen || bytes.length > LONGEST_ORDER) return false;
      const isWritten = writesWhole(orders.write, bytes);
      close();
      if (isWritten) child.process.ref();
      return isWritten;
    },
    async end() {
      if (!isOpen) return;
      close();
      // Not before: a program that is killed while it makes its namespace leaves a process in it that waits for ever.
      await ready;
      started.tree.signal("SIGKILL");
      await child.process.exited;
      await treeIsGone(child.tree, MOST_END_MS);
      for (const { descriptor } of [child.stdout, child.stderr]) if (descriptor !== undefined) closeSync(descriptor);
    },
  };
}

/** False where nobody reads any more. */
function writesWhole(descriptor: number, bytes: Uint8Array): boolean {
  try {
    return writeSync(descriptor, bytes) === bytes.length;
  } catch {
    return false;
  }
}

async function saysSomething(descriptor: number): Promise<boolean> {
  const reader = Bun.file(descriptor).stream().getReader();
  const late = Promise.withResolvers<false>();
  const stopTimer = systemClock.timer(MOST_SETUP_MS, () => late.resolve(false));
  const said = reader.read().then(
    ({ done }) => !done,
    () => false,
  );
  const isReady = await Promise.race([said, late.promise]);
  stopTimer();
  const close = () => closeSync(descriptor);
  void reader.cancel().then(close, close);
  return isReady;
}
