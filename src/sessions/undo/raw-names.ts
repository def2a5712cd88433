import { lstatSync, type Stats } from "node:fs";
import { notKept } from "./observe-file.ts";

// Files whose names are no UTF-8. They cannot be written back under the same name, so all that is known of them is whether they
// were touched.

/** By the path as it is shown, with a stamp that changes when the file is touched. */
export type RawNames = ReadonlyMap<string, string>;

export const RAW_NAME = notKept("its name is not UTF-8");

/** What was made, changed or removed between the two. */
export function touchedRawNames(then: RawNames, now: RawNames): string[] {
  return [...new Set([...then.keys(), ...now.keys()])].filter((path) => then.get(path) !== now.get(path));
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Undefined for what is no UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The text, with `\xNN` for each byte that is none. */
export function shownText(bytes: Uint8Array): string {
  const whole = textOf(bytes);
  if (whole !== undefined) return whole;
  let shown = "";
  for (let at = 0; at < bytes.length; ) {
    const length = LENGTHS.find((count) => textOf(bytes.subarray(at, at + count)) !== undefined);
    const piece = bytes.subarray(at, at + (length ?? 1));
    shown += length === undefined ? `\\x${(piece[0] ?? 0).toString(16).padStart(2, "0")}` : textOf(piece);
    at += piece.length;
  }
  return shown;
}

/** So many bytes a character can have. */
const LENGTHS = [1, 2, 3, 4];

/** A folder is touched with what is in it, which is looked at by itself. */
export function rawStamp(path: Buffer): { stamp: string; isDirectory: boolean } {
  const stats = look(path);
  if (stats === undefined) return { stamp: "missing", isDirectory: false };
  const { mode, ino, size, mtimeMs, ctimeMs } = stats;
  const isDirectory = stats.isDirectory();
  return { stamp: isDirectory ? `${mode} ${ino}` : `${size} ${mode} ${ino} ${mtimeMs} ${ctimeMs}`, isDirectory };
}

function look(path: Buffer): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}
