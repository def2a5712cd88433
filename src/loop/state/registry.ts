import type { VerdictName } from "../../protocol/verdicts.ts";
import { findProcess } from "../../system/process-table.ts";
import { openRalphDatabase } from "../../system/ralph-database.ts";
import type { Database } from "../../system/sqlite.ts";
import type { LoopStatusName } from "../control/loop-controls.ts";

// The loops of this user: one row for each task, about its newest run.

export interface RegisteredLoop {
  /** Where the loop keeps its journal; one folder, one row. */
  folder: string;
  taskName: string;
  taskDirectory: string;
  pid: number;
  /** Of the process: with the pid it names one process for ever. */
  processStarted: string;
  agent: string;
  status: LoopStatusName;
  verdict?: VerdictName;
  reason?: string;
  /** Wall clock, milliseconds. */
  startedAt: number;
  updatedAt: number;
  iteration: number;
  maxIterations: number;
  currentStory?: string;
  /** Absent where the loop has no control socket. */
  socket?: string;
}

export type NewLoop = Omit<RegisteredLoop, "pid" | "processStarted" | "status" | "verdict" | "reason" | "updatedAt">;
export type LoopChange = Partial<
  Pick<RegisteredLoop, "agent" | "status" | "verdict" | "reason" | "iteration" | "currentStory">
>;

export type RegistryResult = { ok: true } | { ok: false; message: string };
export type LoopListResult = { ok: true; loops: RegisteredLoop[] } | { ok: false; message: string };

export interface LoopRegistry {
  /** This process runs the loop from now on. */
  begin(loop: NewLoop): Promise<RegistryResult>;
  /** What is undefined in the change is taken away, what is absent stays. Only the process that runs the loop changes its row. */
  change(folder: string, change: LoopChange): Promise<RegistryResult>;
  /** Newest first. Loops whose process is gone are settled as failed before. */
  list(): Promise<LoopListResult>;
  close(): Promise<void>;
}

export interface RegistryOptions {
  database: string;
  now: () => number;
  /** The process that writes; this one where absent. */
  pid?: number;
}

export type OpenRegistryResult = { ok: true; registry: LoopRegistry } | { ok: false; message: string };

export async function openRegistry(options: RegistryOptions): Promise<OpenRegistryResult> {
  const opened = await openRalphDatabase(options.database);
  if (!opened.ok) return { ok: false, message: opened.message };
  const { database } = opened;
  const { now, pid = process.pid } = options;
  const processStarted = findProcess(pid)?.started ?? "";
  return {
    ok: true,
    registry: {
      begin: (loop) => begin(database, { ...loop, pid, processStarted, status: "running", updatedAt: now() }),
      change: (folder, change) => update(database, { folder, pid, processStarted }, { ...change, updatedAt: now() }),
      list: () => listSettled(database, now),
      close: () => database.close(),
    },
  };
}

/** The names of the fields in the table. */
const COLUMNS = {
  folder: "folder",
  taskName: "task_name",
  taskDirectory: "task_dir",
  pid: "pid",
  processStarted: "process_started",
  agent: "agent",
  status: "status",
  verdict: "verdict",
  reason: "reason",
  startedAt: "started_at",
  updatedAt: "updated_at",
  iteration: "iteration",
  maxIterations: "max_iterations",
  currentStory: "current_story",
  socket: "socket",
} as const satisfies Record<keyof RegisteredLoop, string>;

type Field = keyof RegisteredLoop;
type Owner = Pick<RegisteredLoop, "folder" | "pid" | "processStarted">;

const FIELDS = Object.keys(COLUMNS) as Field[];

async function begin(database: Database, loop: RegisteredLoop): Promise<RegistryResult> {
  const columns = FIELDS.map((field) => COLUMNS[field]).join(", ");
  const places = FIELDS.map(() => "?").join(", ");
  const values = FIELDS.map((field) => loop[field] ?? null);
  return outcome(
    await database.write((connection) => {
      connection.run(`INSERT OR REPLACE INTO loops (${columns}) VALUES (${places})`, values);
    }),
  );
}

async function update(
  database: Database,
  { folder, pid, processStarted }: Owner,
  change: Partial<RegisteredLoop>,
): Promise<RegistryResult> {
  const fields = FIELDS.filter((field) => Object.hasOwn(change, field));
  const assignments = fields.map((field) => `${COLUMNS[field]} = ?`).join(", ");
  const values = fields.map((field) => change[field] ?? null);
  return outcome(
    await database.write((connection) => {
      connection.run(`UPDATE loops SET ${assignments} WHERE folder = ? AND pid = ? AND process_started = ?`, [
        ...values,
        folder,
        pid,
        processStarted,
      ]);
    }),
  );
}

async function listSettled(database: Database, now: () => number): Promise<LoopListResult> {
  const read = readAll(database);
  if (!read.ok) return read;
  const stale = read.loops.filter(isStale);
  if (stale.length === 0) return read;
  const change = { status: "failed", reason: GONE, updatedAt: now() } as const;
  for (const loop of stale) {
    const settled = await update(database, loop, change);
    if (!settled.ok) return settled;
  }
  return readAll(database);
}

const GONE = "Its process ended without a verdict. Run it again: it goes on where it was.";

/** A process of the same number that was started at another time is another one. */
function isStale({ status, pid, processStarted }: RegisteredLoop): boolean {
  return status === "running" && findProcess(pid)?.started !== processStarted;
}

function readAll(database: Database): LoopListResult {
  const columns = FIELDS.map((field) => `${COLUMNS[field]} AS ${field}`).join(", ");
  const read = database.read((connection) =>
    connection.query(`SELECT ${columns} FROM loops ORDER BY started_at DESC, folder`).all(),
  );
  if (!read.ok) return { ok: false, message: read.message };
  return { ok: true, loops: read.value.map((row) => withoutNulls(row as Record<string, unknown>)) };
}

function withoutNulls(row: Record<string, unknown>): RegisteredLoop {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as unknown as RegisteredLoop;
}

function outcome(result: { ok: true } | { ok: false; message: string }): RegistryResult {
  return result.ok ? { ok: true } : { ok: false, message: result.message };
}
