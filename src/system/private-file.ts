import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode, type FileFailure, failure, fileFailure, notAFile } from "./file-failure.ts";

export type ReadPrivateResult = { ok: true; text: string } | FileFailure;

/**
 * The text of a file that nobody but the user may read or replace. A link, a file of somebody else, one that others can read and
 * one in a folder others can write to are refused, and the message says what to do.
 */
export function readPrivateFile(path: string, { maxBytes }: { maxBytes: number }): ReadPrivateResult {
  let descriptor: number | undefined;
  try {
    // A pipe in its place is opened without waiting for a writer, and refused.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return notAFile(path, stats);
    const problem = privacyProblem(path, stats);
    if (problem !== undefined) return failure("denied", problem);
    if (stats.size > maxBytes)
      return failure("too-large", `${path} is larger than the limit of ${maxBytes} bytes, so it is not read.`);
    return { ok: true, text: readFileSync(descriptor, "utf8") };
  } catch (error) {
    if (errorCode(error) !== "ELOOP") return fileFailure(path, error, "read");
    return failure("denied", `${path} is a link, so it is not read. Put the file itself in its place.`);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function privacyProblem(path: string, file: Stats): string | undefined {
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  if (file.uid !== user) return `${path} belongs to another user, so it is not read. Remove it, or run as its owner.`;
  if ((file.mode & OTHERS) !== 0)
    return `${path} can be read by other users, so it is not used. Repair it: chmod 600 ${path}`;
  const folder = statSync(dirname(path));
  if ((folder.mode & OTHERS_WRITE) === 0) return undefined;
  return `Other users can replace files in ${dirname(path)}, so ${path} is not used. Repair it: chmod 700 ${dirname(path)}`;
}

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
