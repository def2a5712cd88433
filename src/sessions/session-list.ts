import { findSessionFiles, type SessionFile } from "./session-files.ts";
import { type IndexRow, readIndex, type SessionIndex, writeIndex } from "./session-index.ts";
import { isSessionId, type SessionPlaces } from "./session-name.ts";
import { type SessionSummary, summarizeSession } from "./session-summary.ts";

export interface ListOptions {
  places: SessionPlaces;
  /** Only the sessions of this directory. */
  cwd?: string;
}

/** Newest first. Sessions in which nothing was said, and files that cannot be read, are left out. */
export async function listSessions(options: ListOptions): Promise<SessionSummary[]> {
  return (await surveySessions(options)).sessions;
}

export interface SessionSurvey {
  sessions: SessionSummary[];
  /** Files that have the name of a session and cannot be read, one sentence each. */
  problems: string[];
}

/** The list, and what is missing in it. */
export async function surveySessions(options: ListOptions): Promise<SessionSurvey> {
  const looked = await lookThrough(options);
  return {
    sessions: looked.flatMap(({ session }) => session ?? []),
    problems: looked.flatMap(({ problem }) => problem ?? []),
  };
}

interface LookedAt {
  file: SessionFile;
  /** Absent where nothing was said in it, or it cannot be read. */
  session?: SessionSummary;
  problem?: string;
}

/** Newest first. */
async function lookThrough({ places, cwd }: ListOptions): Promise<LookedAt[]> {
  const files = await findSessionFiles(places, cwd);
  const index = readIndex(places.cache);
  const { isChanged, problems } = await refreshIndex(index, files);
  const isPruned = cwd === undefined && prune(index, files);
  if (isChanged || isPruned) await writeIndex(places.cache, index);
  return files.map((file) => {
    const session = summaryOf(file, index.get(file.path));
    const problem = problems.get(file.path);
    return { file, ...(session !== undefined && { session }), ...(problem !== undefined && { problem }) };
  });
}

export interface FindOptions extends ListOptions {
  /** An id or the beginning of one; without it the most recent session is meant. */
  id?: string;
}

export type FindSessionResult =
  | { ok: true; id: string; path: string }
  | { ok: false; reason: "bad-id" | "unknown" | "ambiguous" | "unreadable"; message: string };

/** The session with this id, or the only one whose id begins so. One of `cwd` goes before others. */
export async function findSession({ places, cwd, id }: FindOptions): Promise<FindSessionResult> {
  if (id === undefined) return findRecent({ places, cwd });
  if (!isSessionId(id)) return { ok: false, reason: "bad-id", message: badId(id) };
  const here = cwd === undefined ? [] : matching(await findSessionFiles(places, cwd), id);
  const found = here.length > 0 ? here : matching(await findSessionFiles(places), id);
  const [first, second] = found;
  if (first === undefined) {
    const message = `There is no session whose id begins with ${id}. Leave the id out to go on with the most recent one.`;
    return { ok: false, reason: "unknown", message };
  }
  return second === undefined ? { ok: true, id: first.id, path: first.path } : ambiguous(id, found);
}

/** The one written to last. Where that cannot be read, an older one is not meant. */
async function findRecent(options: ListOptions): Promise<FindSessionResult> {
  const newest = (await lookThrough(options)).find(({ session, problem }) => (session ?? problem) !== undefined);
  if (newest?.problem !== undefined)
    return {
      ok: false,
      reason: "unreadable",
      message: `The newest session here cannot be read: ${newest.problem} Name another one with -r ID; see: ralph sessions`,
    };
  if (newest !== undefined) return { ok: true, id: newest.file.id, path: newest.file.path };
  const where = options.cwd === undefined ? "" : ` in ${options.cwd}`;
  return { ok: false, reason: "unknown", message: `There is no session${where} to go on with yet. Start one first.` };
}

function ambiguous(id: string, found: readonly SessionFile[]): FindSessionResult {
  const some = found.slice(0, SHOWN_IDS).map((file) => file.id);
  const rest = found.length > SHOWN_IDS ? ", …" : "";
  const message = `${found.length} sessions begin with ${id} (${some.join(", ")}${rest}). Give more of the id.`;
  return { ok: false, reason: "ambiguous", message };
}

const SHOWN_IDS = 5;

function badId(text: string): string {
  return `${JSON.stringify(text.slice(0, 80))} is not the id of a session: ids are made of small letters and digits.`;
}

function matching(files: readonly SessionFile[], text: string): SessionFile[] {
  const exact = files.filter(({ id }) => id === text);
  return exact.length > 0 ? exact : files.filter(({ id }) => id.startsWith(text));
}

/** Each is held in memory while it is read. */
const READ_AT_ONCE = 4;

/** Reads the files that changed since they were looked at. */
async function refreshIndex(
  index: SessionIndex,
  files: readonly SessionFile[],
): Promise<{ isChanged: boolean; problems: Map<string, string> }> {
  const stale = files.filter(({ path, size, modified }) => {
    const row = index.get(path);
    return row?.size !== size || row.modified !== modified;
  });
  const problems = new Map<string, string>();
  let isChanged = false;
  for (let start = 0; start < stale.length; start += READ_AT_ONCE) {
    const batch = stale.slice(start, start + READ_AT_ONCE);
    for (const [place, read] of (await Promise.all(batch.map(({ path }) => summarizeSession(path)))).entries()) {
      const file = batch[place];
      if (file === undefined) continue;
      const { path, size, modified } = file;
      if (read.ok) index.set(path, { size, modified, summary: read.summary });
      else problems.set(path, read.message);
      isChanged = read.ok || index.delete(path) || isChanged;
    }
  }
  return { isChanged, problems };
}

function prune(index: SessionIndex, files: readonly SessionFile[]): boolean {
  const present = new Set(files.map(({ path }) => path));
  const gone = [...index.keys()].filter((path) => !present.has(path));
  for (const path of gone) index.delete(path);
  return gone.length > 0;
}

/** The id is that of the file's name, by which the session is found, whatever its header says. */
function summaryOf({ path, id, modified }: SessionFile, row: IndexRow | undefined): SessionSummary | undefined {
  if (row === undefined || row.summary.messageCount === 0) return undefined;
  return { ...row.summary, id, path, updatedAt: modified };
}
