import { chmod, lstat, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, fileFailure } from "../../system/file-failure.ts";
import { ensureDirectory } from "../../system/files.ts";

// Where the control socket of a task lies, and whether it may be put there.

export type Refusal = { ok: false; message: string };

const TASK_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** The system keeps the path of a socket in a field of fixed size, with a zero behind it. */
const LONGEST_PATH: Partial<Record<NodeJS.Platform, number>> = { linux: 107, android: 107 };
const LONGEST_ELSEWHERE = 103;
/** A socket is made under such a name and then moved to its own. */
const TEMPORARY_NAME = /^\.[0-9a-f]{8}$/;
const TEMPORARY_LENGTH = 9;
const ABANDONED_MS = 60_000;

export function socketPath(directory: string, name: string): string {
  return join(directory, `${name}.sock`);
}

export function temporarySocketPath(directory: string): string {
  return join(directory, `.${crypto.randomUUID().slice(0, 8)}`);
}

/** The path, or why there can be none. */
export function checkedSocketPath(
  directory: string,
  name: string,
  platform: NodeJS.Platform,
): { ok: true; path: string } | Refusal {
  if (!TASK_NAME.test(name)) {
    const rules = "letters, digits, dots, dashes and underscores, at most 64, beginning with a letter or digit";
    return { ok: false, message: `"${name}" cannot name a loop: a name is made of ${rules}. Choose one with --name.` };
  }
  const path = socketPath(directory, name);
  const longest = LONGEST_PATH[platform] ?? LONGEST_ELSEWHERE;
  const length = Math.max(Buffer.byteLength(path), Buffer.byteLength(directory) + 1 + TEMPORARY_LENGTH);
  if (length <= longest) return { ok: true, path };
  return {
    ok: false,
    message: `The control socket ${path} cannot be made: its path has ${length} bytes and the system allows ${longest}. Choose a shorter --name, or a shorter folder with RALPH_HOME.`,
  };
}

/** Makes the folder, for the user alone. One that others could change is refused, or closed to them where it is the user's. */
export async function prepareDirectory(directory: string): Promise<{ ok: true } | Refusal> {
  const made = await ensureDirectory(directory, 0o700);
  if (!made.ok) return made;
  try {
    const stats = await lstat(directory);
    if (stats.isSymbolicLink()) return refused(directory, "it is a link. Put a folder there");
    if (!stats.isDirectory()) return refused(directory, "it is not a folder. Remove it");
    if (stats.uid !== process.getuid?.()) return refused(directory, "it belongs to another user. Remove it");
    if ((stats.mode & 0o077) !== 0) await chmod(directory, 0o700);
    await sweep(directory);
    return { ok: true };
  } catch (error) {
    return fileFailure(directory, error, "used for control sockets");
  }
}

function refused(directory: string, why: string): Refusal {
  return { ok: false, message: `${directory} cannot hold control sockets: ${why} and try again.` };
}

/** What a program that was killed in the middle left behind. */
async function sweep(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!TEMPORARY_NAME.test(name)) continue;
    const path = join(directory, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isSocket() && Date.now() - stats.mtimeMs > ABANDONED_MS) await unlink(path).catch(() => undefined);
  }
}

/** Whether a socket can be put there: nothing is there, or one that nobody serves any more. */
export async function checkVacant(path: string, name: string): Promise<{ ok: true } | Refusal> {
  try {
    const stats = await lstat(path);
    if (!stats.isSocket())
      return { ok: false, message: `${path} is in the way: it is not a socket. Remove it, or choose another --name.` };
  } catch (error) {
    return errorCode(error) === "ENOENT" ? { ok: true } : fileFailure(path, error, "looked at");
  }
  if (!(await isServed(path))) return { ok: true };
  return {
    ok: false,
    message: `A loop named ${name} is running already: ${path} answers. Look at it: ralph status ${name}. End it: ralph stop ${name}. Or start this one under another --name.`,
  };
}

/** Only a refusal proves that nobody serves it: a server that is busy or stopped still has its place. */
async function isServed(path: string): Promise<boolean> {
  try {
    const socket = await Bun.connect({ unix: path, socket: { data() {} } });
    socket.terminate();
    return true;
  } catch (error) {
    const code = errorCode(error);
    return code !== "ECONNREFUSED" && code !== "ENOENT";
  }
}
