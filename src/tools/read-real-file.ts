import { closeSync, constants, fstatSync, readFileSync } from "node:fs";
import { openReal } from "../system/open-real.ts";

/** The bytes of a regular file that really stands at the path, reached over no link; undefined for anything else or more. */
export function readRealFile(path: string, mostBytes: number): Uint8Array | undefined {
  const opened = openReal(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if (!opened.ok) return undefined;
  try {
    const stats = fstatSync(opened.descriptor);
    return stats.isFile() && stats.size <= mostBytes ? readFileSync(opened.descriptor) : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(opened.descriptor);
  }
}
