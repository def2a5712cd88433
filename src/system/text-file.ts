import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { type FileFailure, failure, fileFailure, notAFile } from "./file-failure.ts";

export type ReadTextResult = { ok: true; text: string } | FileFailure;

/**
 * The whole file as text, byte for byte (a byte order mark stays). Pipes, devices, sockets, directories and files above
 * `maxBytes` are refused without reading them. It does not wait for another thread: settings and prompts are small, and a
 * start reads several.
 */
export function readTextFile(path: string, { maxBytes }: { maxBytes: number }): ReadTextResult {
  let descriptor: number | undefined;
  try {
    const before = statSync(path);
    if (!before.isFile()) return notAFile(path, before);
    if (before.size > maxBytes) return tooLarge(path, maxBytes);
    // A pipe put in its place since then is opened without waiting for a writer, and refused.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const opened = fstatSync(descriptor);
    if (!opened.isFile()) return notAFile(path, opened);
    const bytes = readUpTo(descriptor, maxBytes + 1, opened.size);
    if (bytes.length > maxBytes) return tooLarge(path, maxBytes);
    return decode(path, bytes);
  } catch (error) {
    return fileFailure(path, error, "read");
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Files of /proc say they are empty and are not, so the end is where reading ends. */
function readUpTo(descriptor: number, limit: number, expected: number): Uint8Array {
  let buffer = Buffer.allocUnsafe(Math.min(limit, expected + 1024));
  let length = 0;
  while (length < limit) {
    if (length === buffer.length) buffer = Buffer.concat([buffer], Math.min(limit, buffer.length * 2));
    const bytesRead = readSync(descriptor, buffer, length, buffer.length - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

function decode(path: string, bytes: Uint8Array): ReadTextResult {
  if (bytes.includes(0)) return failure("not-text", `${path} is not a text file: it contains zero bytes.`);
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return failure("not-text", `${path} is not a text file: it is not valid UTF-8.`);
  }
}

function tooLarge(path: string, maxBytes: number): FileFailure {
  return failure("too-large", `${path} is larger than the limit of ${maxBytes} bytes.`);
}
