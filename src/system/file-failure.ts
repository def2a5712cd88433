import type { Stats } from "node:fs";

// What can go wrong with a file, as a value.

export type FileFailureReason =
  | "missing"
  | "denied"
  | "not-a-file"
  | "not-a-directory"
  | "not-text"
  | "too-large"
  | "exists"
  | "changed"
  | "no-space"
  | "failed";

/** `message` is one line for a person and names the path. */
export interface FileFailure {
  ok: false;
  reason: FileFailureReason;
  message: string;
}

/** What a failed call to the operating system means, as a value. `done` is what should have happened: "read", "written". */
export function fileFailure(path: string, error: unknown, done: string): FileFailure {
  const code = errorCode(error);
  const known = code === undefined ? undefined : MEANINGS[code];
  if (known !== undefined) return failure(known.reason, `${path} could not be ${done}: ${known.text}.`);
  const detail = error instanceof Error ? error.message : String(error);
  return failure("failed", `${path} could not be ${done}: ${detail}`);
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

const MEANINGS: Record<string, { reason: FileFailureReason; text: string }> = {
  ENOENT: { reason: "missing", text: "it does not exist" },
  EACCES: { reason: "denied", text: "permission denied" },
  EPERM: { reason: "denied", text: "the system does not permit it" },
  EROFS: { reason: "denied", text: "the file system is read-only" },
  EISDIR: { reason: "not-a-file", text: "it is a directory" },
  ENOTDIR: { reason: "not-a-directory", text: "a part of the path is not a directory" },
  ELOOP: { reason: "failed", text: "its symbolic links form a loop" },
  ENAMETOOLONG: { reason: "failed", text: "the name is too long" },
  EEXIST: { reason: "exists", text: "it already exists" },
  ENOSPC: { reason: "no-space", text: "the disk is full" },
  EDQUOT: { reason: "no-space", text: "the disk quota is used up" },
};

/** `stats` are those of what stands there instead. */
export function notAFile(path: string, stats: Stats): FileFailure {
  return failure("not-a-file", `${path} is ${kindOf(stats)}, not a regular file.`);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a directory";
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  return "a device";
}

export function failure(reason: FileFailureReason, message: string): FileFailure {
  return { ok: false, reason, message };
}
