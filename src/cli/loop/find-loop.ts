import { existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { loopFolder } from "../../loop/state/loop-folder.ts";
import { openRegistry, type RegisteredLoop } from "../../loop/state/registry.ts";
import { nearestChoices } from "../../system/nearest.ts";
import type { RunContext } from "../run-context.ts";

// Which loop a word on the command line means.

export interface FoundLoop {
  name: string;
  /** Where it keeps its journal. */
  folder: string;
  /** Absent where the registry does not know it. */
  row?: RegisteredLoop;
}

export type FindLoopResult = { ok: true; loop: FoundLoop } | { ok: false; message: string };

/** All loops the registry knows, newest first. */
export async function listLoops(context: RunContext): Promise<{ loops: RegisteredLoop[]; problem?: string }> {
  // Looking makes nothing.
  if (!existsSync(context.paths.database)) return { loops: [] };
  const opened = await openRegistry({ database: context.paths.database, now: context.clock.now });
  if (!opened.ok) return { loops: [], problem: opened.message };
  const listed = await opened.registry.list();
  await opened.registry.close();
  return listed.ok ? { loops: listed.loops } : { loops: [], problem: listed.message };
}

/** `word` is the name of a task or its folder. Of several with one name the running one is meant, then the newest. */
export async function findLoop(context: RunContext, word: string | undefined): Promise<FindLoopResult> {
  const { loops, problem } = await listLoops(context);
  if (problem !== undefined) context.note(problem);
  if (word === undefined || word === "") return { ok: false, message: `Name the task. ${known(loops)}` };
  const directory = realDirectory(resolve(context.cwd, word));
  const named = loops.filter(({ taskName }) => taskName === word);
  const row =
    named.find(({ status }) => status === "running") ??
    named[0] ??
    loops.find(({ taskDirectory }) => taskDirectory === directory);
  if (row !== undefined) return { ok: true, loop: { name: row.taskName, folder: row.folder, row } };
  const other = storedLoop(context.paths.loops, word, directory) ?? servedLoop(context.paths, word);
  if (other !== undefined) return { ok: true, loop: other };
  return { ok: false, message: unknownLoop(word, loops) };
}

/** Where the registry was lost, what the loop wrote down is still there. */
function storedLoop(loops: string, word: string, directory: string): FoundLoop | undefined {
  const names = namesIn(loops);
  const own = loopFolder(loops, { name: basename(directory), directory });
  if (names.includes(basename(own))) return { name: basename(directory), folder: own };
  const found = names.find((name) => name.slice(0, -9) === word && /^-[0-9a-f]{8}$/.test(name.slice(-9)));
  return found === undefined ? undefined : { name: word, folder: join(loops, found) };
}

/** A loop that answers although nobody wrote it down. */
function servedLoop({ sockets, loops }: RunContext["paths"], word: string): FoundLoop | undefined {
  if (!namesIn(sockets).includes(`${word}.sock`)) return undefined;
  return { name: word, folder: loopFolder(loops, { name: word, directory: word }) };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function realDirectory(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function unknownLoop(word: string, loops: readonly RegisteredLoop[]): string {
  const [close] = nearestChoices(
    word,
    loops.map(({ taskName }) => taskName),
    1,
  );
  const hint = close === undefined ? "" : ` Did you mean ${close}?`;
  return `No loop is called "${word}".${hint} ${known(loops)}`;
}

function known(loops: readonly RegisteredLoop[]): string {
  const running = loops.filter(({ status }) => status === "running").map(({ taskName }) => taskName);
  if (running.length === 0) return "None is running. Start one: ralph run TASK-FOLDER";
  const shown = running.slice(0, MOST_NAMES).join(", ");
  return `Running: ${shown}${running.length > MOST_NAMES ? ` and ${running.length - MOST_NAMES} more` : ""}.`;
}

const MOST_NAMES = 10;
