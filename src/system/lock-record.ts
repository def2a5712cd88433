import { readFileSync, readlinkSync } from "node:fs";
import { stat } from "node:fs/promises";
import { hostname } from "node:os";
import { asNumber, asObject, asString, parseJson } from "../protocol/json.ts";
import { errorCode } from "./file-failure.ts";
import { findProcess } from "./process-table.ts";
import { readTextFile } from "./text-file.ts";

/** Who holds a lock, as the lock file says. */
export interface LockRecord {
  version: 1;
  /** Names this one acquisition; no other ever has the same. */
  token: string;
  owner: string;
  pid: number;
  /** The start of the process, which tells it from a later one with the same pid. */
  processStart: string;
  host: string;
  /** Changes with every start of the machine; empty where the platform does not say. */
  boot: string;
  /** Processes are only visible to those of the same namespace; empty where the platform has none. */
  namespace: string;
  /** Wall clock, milliseconds. */
  acquiredAt: number;
}

/** A lock file as it was found. A file that is no record of ours was damaged by a power cut: nobody holds it. */
export interface FoundLock {
  token: string;
  record: LockRecord | undefined;
}

export function newRecord(owner: string): LockRecord {
  return {
    version: 1,
    token: Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString("hex"),
    owner,
    pid: process.pid,
    processStart: findProcess(process.pid)?.started ?? "",
    host: hostname(),
    ...machine(),
    acquiredAt: Date.now(),
  };
}

const MAX_BYTES = 64 * 1024;

/** Undefined when there is no such file. */
export async function readLock(path: string): Promise<FoundLock | undefined> {
  const file = readTextFile(path, { maxBytes: MAX_BYTES });
  if (!file.ok && file.reason === "missing") return undefined;
  if (!file.ok && file.reason !== "not-text") throw new Error(file.message);
  const record = file.ok ? parseRecord(file.text) : undefined;
  if (record !== undefined) return { token: record.token, record };
  try {
    const { ino, mtimeMs } = await stat(path);
    return { token: `damaged-${ino}-${mtimeMs}`, record: undefined };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Whether nobody can be holding this lock any more. In doubt somebody is. */
export function isAbandoned({ record }: FoundLock): boolean {
  if (record === undefined) return true;
  const here = machine();
  if (record.host !== hostname()) return false;
  if (record.boot !== here.boot) return true;
  if (record.namespace !== here.namespace) return false;
  const running = findProcess(record.pid);
  if (running === undefined) return !isForeign(record.pid);
  return record.processStart !== "" && running.started !== record.processStart;
}

function parseRecord(text: string): LockRecord | undefined {
  const object = asObject(parseJson(text));
  const token = asString(object?.token);
  const pid = asNumber(object?.pid);
  // A newer Ralph may have added fields; what makes a holder is still there.
  if (
    object === undefined ||
    asNumber(object.version) === undefined ||
    token === undefined ||
    !/^[0-9a-f]+$/.test(token) ||
    pid === undefined
  )
    return undefined;
  return {
    version: 1,
    token,
    owner: asString(object.owner) ?? "",
    pid,
    processStart: asString(object.processStart) ?? "",
    host: asString(object.host) ?? "",
    boot: asString(object.boot) ?? "",
    namespace: asString(object.namespace) ?? "",
    acquiredAt: asNumber(object.acquiredAt) ?? 0,
  };
}

/** What tells whether the ids of processes mean the same there and here. */
export function machine(): Pick<LockRecord, "boot" | "namespace"> {
  if (process.platform !== "linux") return { boot: "", namespace: "" };
  return {
    boot: orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    namespace: orEmpty(() => readlinkSync("/proc/self/ns/pid")),
  };
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

/** Somebody else's process, which the system may hide from us. */
export function isForeign(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}
