import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { ensureDirectory, writeFileAtomic } from "./files.ts";

export interface PackedProgram {
  name: string;
  /** Where it is unpacked to; made where it is missing. */
  directory: string;
  /** Where its content is read from. */
  path: string;
  bytes: number;
  sha256: string;
}

const OWN_PROGRAM = 0o755;
const OTHERS_MAY_WRITE = 0o022;

/**
 * Puts a program that is part of Ralph where the system can run it, and gives the path; undefined where that is not possible.
 * The content is part of the name, so that two versions never fight over a file, and it is compared each time: what somebody
 * else put there, or what was damaged, is replaced. Several processes may do this at once.
 */
export async function unpackProgram(program: PackedProgram): Promise<string | undefined> {
  const path = join(program.directory, `${program.name}-${program.sha256.slice(0, 16)}`);
  if (await isOurs(path, program)) return path;
  const content = await contentOf(program.path, program);
  if (content === undefined) return undefined;
  if (!(await ensureDirectory(program.directory, 0o700)).ok) return undefined;
  if (!(await writeFileAtomic(path, content, { mode: OWN_PROGRAM })).ok) return undefined;
  return (await isOurs(path, program)) ? path : undefined;
}

async function isOurs(path: string, program: PackedProgram): Promise<boolean> {
  const [folder, file] = await Promise.all([statOf(program.directory), statOf(path)]);
  if (!folder?.isDirectory() || !onlyWeMayWrite(folder)) return false;
  if (!file?.isFile() || !onlyWeMayWrite(file) || (file.mode & 0o100) === 0) return false;
  return (await contentOf(path, program)) !== undefined;
}

/** A link is seen as a link, not as what it names. */
async function statOf(path: string): Promise<Stats | undefined> {
  return lstat(path).catch(() => undefined);
}

function onlyWeMayWrite({ uid, mode }: Stats): boolean {
  const user = process.getuid?.();
  return (user === undefined || uid === user) && (mode & OTHERS_MAY_WRITE) === 0;
}

async function contentOf(path: string, { bytes, sha256 }: PackedProgram): Promise<Uint8Array | undefined> {
  try {
    const file = Bun.file(path);
    if (file.size !== bytes) return undefined;
    const content = await file.bytes();
    return new Bun.CryptoHasher("sha256").update(content).digest("hex") === sha256 ? content : undefined;
  } catch {
    return undefined;
  }
}
