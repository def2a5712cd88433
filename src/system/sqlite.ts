import type { Database as Connection } from "bun:sqlite";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { systemClock } from "./clock.ts";
import { errorCode, fileFailure } from "./file-failure.ts";
import { type DatabaseFailure, databaseFailure } from "./sqlite-failure.ts";
import { type Change, type DatabaseResult, groupWriter } from "./sqlite-writer.ts";

/** SQL, or a function for what SQL cannot say. Its place in the list, counted from 1, is the version it leads to. */
export type Migration = string | ((connection: Connection) => void);

export interface Database {
  /**
   * Runs the change in a transaction and resolves when it would survive a power cut. Errors of SQLite are values; any other
   * error the change throws rejects, and undoes that change alone.
   */
  write<T>(change: Change<T>): Promise<DatabaseResult<T>>;
  /** Sees everything that was committed. Cannot change anything. */
  read<T>(query: (connection: Connection) => T): DatabaseResult<T>;
  /** Waits for what was asked to be written. */
  close(): Promise<void>;
}

export interface OpenDatabaseOptions {
  migrations: readonly Migration[];
  /** How long another process may hold the file before a write fails. */
  busyMs?: number;
}

export type OpenDatabaseResult = { ok: true; database: Database } | DatabaseFailure;

/** Older versions can damage a database that two processes write to at the same time. */
export const SQLITE_MINIMUM = "3.53.0";
const DEFAULT_BUSY_MS = 5000;
const BUSY_STEP_MS = 50;
const BUSY_PAUSE_MS = 20;

/** Opens the database, readable by the user only, and brings it to the newest version. SQLite is loaded only now. */
export async function openDatabase(path: string, options: OpenDatabaseOptions): Promise<OpenDatabaseResult> {
  const { migrations, busyMs = DEFAULT_BUSY_MS } = options;
  const notMade = await makeFile(path);
  if (notMade !== undefined) return notMade;
  const sqlite = await import("bun:sqlite");
  const end = systemClock.monotonic() + busyMs;
  for (;;) {
    const result = openConnection(path, migrations, sqlite.Database);
    if (result.ok) return { ok: true, database: databaseOf(result.value, path, busyMs) };
    if (result.reason !== "busy" || systemClock.monotonic() >= end) return result;
    await systemClock.sleep(BUSY_PAUSE_MS);
  }
}

/** The version of the SQLite that Bun brings, or on macOS of the one the system brings. */
export async function sqliteVersion(): Promise<string> {
  const { Database } = await import("bun:sqlite");
  const connection = new Database(":memory:");
  const version = libraryVersion(connection);
  connection.close();
  return version;
}

/** Why this version of SQLite must not be used, or undefined. */
export function versionProblem(version: string): string | undefined {
  if (Bun.semver.order(version, SQLITE_MINIMUM) >= 0) return undefined;
  return `SQLite ${version} is too old: ${SQLITE_MINIMUM} or newer is needed, because older ones can damage a database that several processes use. Update Bun (on macOS: the system, whose SQLite Bun uses).`;
}

/** Only a missing file is touched: opening and closing one that is in use would drop the locks of this process. */
async function makeFile(path: string): Promise<DatabaseFailure | undefined> {
  try {
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    await handle.close();
    return undefined;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return undefined;
    return { ok: false, reason: "cannot-open", message: fileFailure(path, error, "opened").message };
  }
}

function openConnection(
  path: string,
  migrations: readonly Migration[],
  SqliteDatabase: typeof Connection,
): DatabaseResult<Connection> {
  let connection: Connection | undefined;
  try {
    connection = new SqliteDatabase(path, { readwrite: true, strict: true });
    const problem = prepare(connection, migrations, path);
    if (problem === undefined) return { ok: true, value: connection };
    connection.close();
    return problem;
  } catch (error) {
    connection?.close();
    const failure = databaseFailure(path, error);
    if (failure === undefined) throw error;
    return failure;
  }
}

function prepare(connection: Connection, migrations: readonly Migration[], path: string): DatabaseFailure | undefined {
  const unsupported = versionProblem(libraryVersion(connection));
  if (unsupported !== undefined) return { ok: false, reason: "unsupported", message: unsupported };
  connection.run(`PRAGMA busy_timeout = ${BUSY_STEP_MS}`);
  const tooNew = newerThan(connection, migrations.length, path);
  if (tooNew !== undefined) return tooNew;
  connection.run("PRAGMA journal_mode = WAL");
  connection.run("PRAGMA synchronous = FULL");
  connection.run("PRAGMA journal_size_limit = 16777216");
  // Foreign keys come after the migrations: a table can only be rebuilt without them.
  migrate(connection, migrations);
  connection.run("PRAGMA foreign_keys = ON");
  connection.run("PRAGMA query_only = ON");
  return undefined;
}

function newerThan(connection: Connection, known: number, path: string): DatabaseFailure | undefined {
  const version = schemaVersion(connection);
  if (version <= known) return undefined;
  return {
    ok: false,
    reason: "too-new",
    message: `The database ${path} has version ${version}, and this Ralph knows versions up to ${known}. Update Ralph.`,
  };
}

/** Each migration is one transaction. The version is read again inside it, because another process may have been faster. */
function migrate(connection: Connection, migrations: readonly Migration[]): void {
  while (schemaVersion(connection) < migrations.length) {
    connection
      .transaction(() => {
        const version = schemaVersion(connection);
        const migration = migrations[version];
        if (migration === undefined) return;
        if (typeof migration === "string") connection.run(migration);
        else migration(connection);
        connection.run(`PRAGMA user_version = ${version + 1}`);
      })
      .immediate();
  }
}

function libraryVersion(connection: Connection): string {
  return String(firstValue(connection, "SELECT sqlite_version()"));
}

function schemaVersion(connection: Connection): number {
  return Number(firstValue(connection, "PRAGMA user_version"));
}

function firstValue(connection: Connection, sql: string): unknown {
  return connection.query(sql).values()[0]?.[0];
}

function databaseOf(connection: Connection, path: string, busyMs: number): Database {
  const writer = groupWriter(connection, { path, busyMs });
  const closedFailure: DatabaseFailure = { ok: false, reason: "closed", message: `The database ${path} is closed.` };
  let closed = false;
  return {
    write: async (change) => (closed ? closedFailure : writer.write(change)),
    read(query) {
      if (closed) return closedFailure;
      try {
        return { ok: true, value: query(connection) };
      } catch (error) {
        const failure = databaseFailure(path, error);
        if (failure === undefined) throw error;
        return failure;
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      await writer.idle();
      connection.close();
    },
  };
}
