import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseSessionFileName, type SessionPlaces, sessionDirectory } from "./session-name.ts";

export interface SessionFile {
  path: string;
  /** As its name says. */
  id: string;
  size: number;
  modified: number;
}

/** The session files of one directory, or of all: the one written to last comes first. */
export async function findSessionFiles(places: Pick<SessionPlaces, "sessions">, cwd?: string): Promise<SessionFile[]> {
  const folders = cwd === undefined ? await foldersIn(places.sessions) : [sessionDirectory(places, cwd)];
  const found = await Promise.all(folders.map(filesIn));
  return found.flat().sort(newestFirst);
}

async function foldersIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(directory, entry.name));
}

async function filesIn(folder: string): Promise<SessionFile[]> {
  const names = await readdir(folder).catch(() => []);
  const files = await Promise.all(names.map((name) => fileOf(join(folder, name))));
  return files.filter((file) => file !== undefined);
}

async function fileOf(path: string): Promise<SessionFile | undefined> {
  const name = parseSessionFileName(path);
  if (name === undefined) return undefined;
  const stats = await stat(path).catch(() => undefined);
  return stats?.isFile() ? { path, id: name.id, size: stats.size, modified: stats.mtimeMs } : undefined;
}

/** Two of the same moment go by their names, which begin with the time of their making. */
function newestFirst(one: SessionFile, other: SessionFile): number {
  return other.modified - one.modified || (one.path < other.path ? 1 : -1);
}
