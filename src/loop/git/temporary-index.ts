import { rmSync } from "node:fs";
import { join } from "node:path";
import { ensureDirectory } from "../../system/files.ts";
import type { GitFailure, GitResult } from "./git.ts";
import { encodePath } from "./path-bytes.ts";
import type { Repository } from "./repository.ts";

/** What a tree has at a path; `undefined` in an edit takes the path out. */
export interface TreeValue {
  mode: string;
  id: string;
}

export type TreeEdits = ReadonlyMap<string, TreeValue | undefined>;

/** Calls `work` with an index file that holds `tree`, and removes the file afterwards. The person's own index is never touched. */
export async function withTemporaryIndex<Result>(
  repository: Repository,
  tree: string | undefined,
  work: (indexFile: string) => Promise<Result>,
): Promise<Result | GitFailure> {
  const made = await ensureDirectory(repository.scratch, 0o700);
  if (!made.ok) return { ok: false, reason: "failed", message: made.message };
  const indexFile = join(repository.scratch, `index-${crypto.randomUUID()}`);
  try {
    const read = await repository.git({
      arguments: tree === undefined ? ["read-tree", "--empty"] : ["read-tree", tree],
      indexFile,
    });
    return read.ok ? await work(indexFile) : read;
  } finally {
    for (const file of [indexFile, `${indexFile}.lock`]) rmSync(file, { force: true });
  }
}

/** A file takes the place of a folder of its name and the other way round. */
export function writeIndexEntries(repository: Repository, edits: TreeEdits, indexFile?: string): Promise<GitResult> {
  const none = "0".repeat(repository.idLength);
  // What goes away goes first, so that it never stands in the way of what comes.
  const ordered = [...edits].sort(
    ([, first], [, second]) => Number(first !== undefined) - Number(second !== undefined),
  );
  const lines = ordered.flatMap(([path, value]) => [
    Buffer.from(value === undefined ? `0 ${none}\t` : `${value.mode} ${value.id}\t`),
    encodePath(path),
    Buffer.of(0),
  ]);
  return repository.git({
    arguments: ["update-index", "--replace", "-z", "--index-info"],
    stdin: Buffer.concat(lines),
    ...(indexFile !== undefined && { indexFile }),
  });
}
