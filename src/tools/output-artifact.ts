import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileFailure } from "../system/file-failure.ts";

/** The whole output of a command in a file, once it is too long to be shown whole. */
export interface OutputArtifact {
  /** Written before it returns, so that however fast output comes nothing piles up in memory. */
  add(bytes: Uint8Array): void;
  /** Undefined when everything was short enough to need no file. */
  written(): ArtifactState | undefined;
  close(): ArtifactState | undefined;
}

export interface ArtifactState {
  path: string;
  bytes: number;
  /** Why the file does not hold everything. */
  problem?: string;
}

export interface ArtifactPlace {
  folder: string;
  name: string;
  /** Up to here output needs no file. */
  spillAfter: number;
  limit?: number;
}

export const ARTIFACT_LIMIT = 1024 ** 3;

export function outputArtifact({ folder, name, spillAfter, limit = ARTIFACT_LIMIT }: ArtifactPlace): OutputArtifact {
  const path = join(folder, name);
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let descriptor: number | undefined;
  let state: ArtifactState | undefined;

  const append = (bytes: Uint8Array) => {
    if (descriptor === undefined || state === undefined || state.problem !== undefined) return;
    const part = bytes.subarray(0, limit - state.bytes);
    try {
      for (let offset = 0; offset < part.length; ) offset += writeSync(descriptor, part, offset);
      state.bytes += part.length;
    } catch (error) {
      state.problem = fileFailure(path, error, "written").message;
    }
    if (part.length < bytes.length) state.problem ??= `The file ends at its limit of ${limit} bytes.`;
  };

  const spill = () => {
    state = { path, bytes: 0 };
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      descriptor = openSync(path, "wx", 0o600);
    } catch (error) {
      state.problem = fileFailure(path, error, "created").message;
    }
    for (const bytes of waiting) append(bytes);
    waiting = [];
  };

  const written = () => (state === undefined ? undefined : { ...state });
  return {
    add(bytes) {
      if (state !== undefined) return append(bytes);
      waiting.push(bytes.slice());
      waitingBytes += bytes.length;
      if (waitingBytes > spillAfter) spill();
    },
    written,
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
      return written();
    },
  };
}
