import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GitFailure } from "./git.ts";
import type { Repository } from "./repository.ts";

/** What git keeps under its id: a file's bytes, or a folder's list of what is in it. */
export interface GitObject {
  type: "blob" | "tree";
  id: string;
  bytes: Uint8Array;
}

type IdLength = Pick<Repository, "idLength">;

export function gitObject(repository: IdLength, type: GitObject["type"], bytes: Uint8Array): GitObject {
  const id = hasher(repository).update(`${type} ${bytes.length}\0`).update(bytes).digest("hex");
  return { type, id, bytes };
}

/** All of them with one git, however many they are. */
export async function storeObjects(
  repository: Repository,
  objects: readonly GitObject[],
): Promise<{ ok: true } | GitFailure> {
  if (objects.length === 0) return { ok: true };
  const stored = await repository.git({ arguments: ["unpack-objects", "-q"], stdin: packOf(repository, objects) });
  return stored.ok ? { ok: true } : stored;
}

/** Into a repository nobody else works in: `folder` is its `objects`. */
export function writeLooseObjects(folder: string, objects: readonly GitObject[]): void {
  for (const { type, id, bytes } of objects) {
    mkdirSync(join(folder, id.slice(0, 2)), { recursive: true });
    const whole = Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes]);
    writeFileSync(join(folder, id.slice(0, 2), id.slice(2)), compressed(whole), { mode: 0o444 });
  }
}

/** The pack format, version 2, without deltas. */
export function packOf(repository: IdLength, objects: readonly GitObject[]): Uint8Array {
  const header = Buffer.alloc(12);
  header.write("PACK");
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(objects.length, 8);
  const parts = [header, ...objects.flatMap((object) => [objectHeader(object), compressed(object.bytes)])];
  const hash = hasher(repository);
  for (const part of parts) hash.update(part);
  return Buffer.concat([...parts, hash.digest()]);
}

const PACKED_TYPES = { tree: 2, blob: 3 } as const;

/** Type and size: four bits of the size in the first byte, then seven in each; the top bit says that another byte follows. */
function objectHeader({ type, bytes }: GitObject): Buffer {
  const header = [(PACKED_TYPES[type] << 4) | (bytes.length & 0x0f)];
  for (let left = bytes.length >>> 4; left > 0; left >>>= 7) {
    header[header.length - 1] = (header.at(-1) ?? 0) | 0x80;
    header.push(left & 0x7f);
  }
  return Buffer.from(header);
}

/** The zlib format around what the runtime compresses; its own module for that format costs some 15 ms and 6 MB to load. */
function compressed(bytes: Uint8Array): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(Bun.hash.adler32(bytes));
  return Buffer.concat([ZLIB_HEADER, Bun.deflateSync(Buffer.from(bytes)), sum]);
}

const ZLIB_HEADER = Buffer.of(0x78, 0x9c);

function hasher({ idLength }: IdLength): Bun.CryptoHasher {
  return new Bun.CryptoHasher(idLength === 40 ? "sha1" : "sha256");
}
