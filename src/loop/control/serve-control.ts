import type { LoopEntry } from "../../protocol/loop-entries.ts";
import type { Clock } from "../../system/clock.ts";
import { fileFailure } from "../../system/file-failure.ts";
import { acquireLock } from "../../system/lock.ts";
import { removeLockRemains } from "../../system/lock-takeover.ts";
import { ClientConnection } from "./client-connection.ts";
import { EventFanOut } from "./event-fan-out.ts";
import type { LoopControls } from "./loop-controls.ts";
import { changingFields } from "./methods.ts";
import { cutLine, RecentOutput } from "./recent-output.ts";
import { listenAt } from "./socket-listener.ts";
import { checkedSocketPath, checkVacant, prepareDirectory, type Refusal } from "./socket-place.ts";

export interface ServeControlOptions {
  /** Where the sockets lie; made where it is missing. */
  directory: string;
  /** Of the task. */
  name: string;
  controls: LoopControls;
  clock: Clock;
}

/** What the loop tells its clients. Nothing here waits for any of them. */
export interface ControlServer {
  path: string;
  /** A line the agent printed, without its end. */
  output(line: string): void;
  /** The status may have changed: what is different from the last time is announced. */
  stateChanged(): void;
  /** An entry, after the journal has it. */
  entry(entry: LoopEntry): void;
  /** What the program in the terminal printed, after its screen has it. A character may be cut anywhere. */
  pty(bytes: Uint8Array): void;
  /** Sends what waits, ends the connections and removes the socket where it is still this one. */
  stop(): Promise<void>;
}

export type ServeControlResult = { ok: true; server: ControlServer } | Refusal;

export const MAX_CLIENTS = 64;
const FULL = `${MAX_CLIENTS} clients are connected already; close one and connect again`;
/** How long somebody else may take to start or stop a loop of the same name. */
const LOCK_WAIT_MS = 3000;
/** How long clients may take for what they were sent before the end. */
const LAST_WORDS_MS = 1000;

/** Answers clients over `<directory>/<name>.sock` until it is stopped. */
export async function serveControl(options: ServeControlOptions): Promise<ServeControlResult> {
  const { directory, name } = options;
  const checked = checkedSocketPath(directory, name, process.platform);
  if (!checked.ok) return checked;
  const prepared = await prepareDirectory(directory);
  if (!prepared.ok) return prepared;
  const { path } = checked;
  // Between looking whether the place is free and taking it nobody else may take it.
  const lock = await acquireLock(`${path}.lock`, { owner: `a loop named ${name}`, waitMs: LOCK_WAIT_MS });
  if (!lock.ok) return lock;
  await removeLockRemains(`${path}.lock`);
  try {
    const vacant = await checkVacant(path, name);
    if (!vacant.ok) return vacant;
    return { ok: true, server: startServer(options, path) };
  } catch (error) {
    return fileFailure(path, error, "served");
  } finally {
    await lock.release();
  }
}

function startServer({ directory, controls, clock }: ServeControlOptions, path: string): ControlServer {
  const clients = new Set<ClientConnection>();
  const recent = new RecentOutput();
  const decoder = new TextDecoder();
  let ptySequence = 0;
  const events = new EventFanOut(clients, clock.now);
  let announced = changingFields(controls.status());
  const stateChanged = () => {
    const fields = changingFields(controls.status());
    const changed = Object.entries(fields).filter(([key, value]) => announced[key] !== value);
    announced = fields;
    if (changed.length > 0) events.publish("state_change", Object.fromEntries(changed));
  };
  const world = {
    controls,
    stateChanged,
    clock,
    recentOutput: () => recent.list(),
    ptySequence: () => ptySequence,
    announce: (data: Readonly<Record<string, unknown>>) => events.publish("state_change", data),
    flushEvents: () => events.flush(),
  };
  const listener = listenAt(directory, path, {
    connected: (socket) => {
      const client = new ClientConnection(socket, world);
      if (clients.size >= MAX_CLIENTS) client.dismiss(FULL);
      else clients.add(client);
      return client;
    },
    closed: (client) => void clients.delete(client),
  });

  return {
    path,
    output(text) {
      const line = cutLine(text);
      recent.add(line);
      events.publish("output", { line });
    },
    stateChanged,
    entry: (entry) => events.publish("x/entry", entry),
    pty(bytes) {
      const data = decoder.decode(bytes, { stream: true });
      events.publish("x/pty", { data, sequence: ++ptySequence });
    },
    async stop() {
      events.flush();
      listener.refuse();
      for (const client of clients) client.end();
      const late = new AbortController();
      await Promise.race([listener.emptied(), clock.sleep(LAST_WORDS_MS, late.signal)]);
      late.abort();
      listener.close();
    },
  };
}
