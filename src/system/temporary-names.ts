import { readdirSync, unlinkSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isForeign, machine } from "./lock-record.ts";
import { lookAt } from "./look-at.ts";
import { findProcess } from "./process-table.ts";

// The names under which files are written before they take their place. A name says which process of which machine is at it, so
// that what a killed process left can be told from what another one is just writing.

export function temporaryName(): string {
  return `.ralph-${process.pid}-${ownMachine()}-${crypto.randomUUID()}.tmp`;
}

/** Removes from a folder what processes that are gone left there. Whatever is in doubt stays. */
export function removeStaleTemporaries(folder: string, now: number): void {
  for (const name of namesIn(folder)) {
    const [, pid, maker] = TEMPORARY.exec(name) ?? [];
    if (pid === undefined || maker === undefined) continue;
    const path = join(folder, name);
    const isGone = maker === ownMachine() ? isProcessGone(Number(pid)) : isOld(path, now);
    if (isGone && isOwn(path)) removeQuietly(path);
  }
}

const TEMPORARY = /^\.ralph-(\d{1,10})-([0-9a-z]{1,16})-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

let known: string | undefined;

/** Processes can be looked for only from where they are visible: the same start of the same machine, in the same namespace. */
function ownMachine(): string {
  if (known === undefined) {
    const { boot, namespace } = machine();
    known = Bun.hash(`${hostname()}\n${boot}\n${namespace}`).toString(36);
  }
  return known;
}

function isProcessGone(pid: number): boolean {
  return findProcess(pid) === undefined && !isForeign(pid);
}

/** Nobody writes one file for so long. */
const OLD_MS = 24 * 60 * 60 * 1000;

function isOld(path: string, now: number): boolean {
  const stats = lookAt(path);
  return stats !== undefined && now - stats.mtimeMs > OLD_MS;
}

function isOwn(path: string): boolean {
  const stats = lookAt(path);
  return stats !== undefined && (stats.isFile() || stats.isSymbolicLink()) && stats.uid === process.getuid?.();
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // it stays for the next time
  }
}
