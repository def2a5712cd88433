import type { Database as Connection } from "bun:sqlite";
import { systemClock } from "./clock.ts";
import { type DatabaseFailure, databaseFailure } from "./sqlite-failure.ts";

export type DatabaseResult<T> = { ok: true; value: T } | DatabaseFailure;

/** Changes the database. It must not wait for anything: the transaction is open while it runs. */
export type Change<T> = (connection: Connection) => T;

export interface GroupWriter {
  write<T>(change: Change<T>): Promise<DatabaseResult<T>>;
  /** Resolves when nothing waits any more. */
  idle(): Promise<void>;
}

interface Job {
  change: Change<unknown>;
  settle: (outcome: Outcome) => void;
}

type Outcome = DatabaseResult<unknown> | { ok: "thrown"; error: unknown };

/** One transaction never holds the file longer than these take. */
const MAX_BATCH = 500;
const BUSY_PAUSE_MS = 10;

export interface WriterOptions {
  path: string;
  /** How long another process may hold the file. */
  busyMs: number;
}

/** Changes that were asked for in the same moment share one transaction and one flush. One that fails undoes only itself. */
export function groupWriter(connection: Connection, options: WriterOptions): GroupWriter {
  const queue: Job[] = [];
  let running: Promise<void> | undefined;

  const runAll = async () => {
    while (queue.length > 0) {
      await nextTick();
      const failure = await begin(connection, options);
      const batch = queue.splice(0, MAX_BATCH);
      const outcomes = failure ? batch.map(() => failure) : commit(connection, batch, options.path);
      for (const [index, outcome] of outcomes.entries()) batch[index]?.settle(outcome);
      queue.unshift(...batch.slice(outcomes.length));
    }
    running = undefined;
  };

  return {
    write<T>(change: Change<T>) {
      return new Promise<DatabaseResult<T>>((resolve, reject) => {
        const settle = (outcome: Outcome) => {
          if (outcome.ok === "thrown") reject(outcome.error);
          else resolve(outcome as DatabaseResult<T>);
        };
        queue.push({ change, settle });
        running ??= runAll();
      });
    },
    idle: async () => running,
  };
}

/** SQLite waits without letting anything else run, so it only waits a moment at a time and the rest is waited here. */
async function begin(connection: Connection, { path, busyMs }: WriterOptions): Promise<DatabaseFailure | undefined> {
  const end = systemClock.monotonic() + busyMs;
  for (;;) {
    const failure = attempt(path, () => {
      connection.run("PRAGMA query_only = OFF");
      connection.run("BEGIN IMMEDIATE");
    });
    if (failure !== undefined) connection.run("PRAGMA query_only = ON");
    if (failure?.reason !== "busy" || systemClock.monotonic() >= end) return failure;
    await systemClock.sleep(BUSY_PAUSE_MS);
  }
}

/** Afterwards the connection refuses changes again, so that nobody changes anything outside of a write. */
function commit(connection: Connection, batch: readonly Job[], path: string): Outcome[] {
  try {
    return runBatch(connection, batch, path);
  } finally {
    connection.run("PRAGMA query_only = ON");
  }
}

/** An outcome for each job that ran; those behind an error that ended the transaction did not. */
function runBatch(connection: Connection, batch: readonly Job[], path: string): Outcome[] {
  const outcomes: Outcome[] = [];
  for (const { change } of batch) {
    const outcome = runChange(connection, change, path);
    outcomes.push(outcome);
    // Some errors (a full disk, for one) make SQLite undo everything.
    if (!connection.inTransaction) return allFailed(outcomes, outcome, path);
  }
  const failure = attempt(path, () => connection.run("COMMIT"));
  if (failure === undefined) return outcomes;
  if (connection.inTransaction) attempt(path, () => connection.run("ROLLBACK"));
  return allFailed(outcomes, failure, path);
}

function runChange(connection: Connection, change: Change<unknown>, path: string): Outcome {
  try {
    connection.run("SAVEPOINT change");
    const value = change(connection);
    if (value instanceof Promise) throw new TypeError("A change of the database must not be asynchronous.");
    connection.run("RELEASE change");
    return { ok: true, value };
  } catch (error) {
    attempt(path, () => {
      connection.run("ROLLBACK TO change");
      connection.run("RELEASE change");
    });
    return databaseFailure(path, error) ?? { ok: "thrown", error };
  }
}

/** What had succeeded is undone as well. What failed keeps its own reason. */
function allFailed(outcomes: Outcome[], cause: Outcome, path: string): Outcome[] {
  const failure: DatabaseFailure =
    cause.ok === false
      ? cause
      : { ok: false, reason: "failed", message: `The database ${path} undid the transaction.` };
  return outcomes.map((outcome) => (outcome.ok === true ? failure : outcome));
}

function attempt(path: string, action: () => void): DatabaseFailure | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    const failure = databaseFailure(path, error);
    if (failure === undefined) throw error;
    return failure;
  }
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
