import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { editTree } from "../../../src/loop/git/edit-tree.ts";
import { gitObject, storeObjects } from "../../../src/loop/git/git-objects.ts";
import { knownTree } from "../../../src/loop/git/known-trees.ts";
import { encodePath } from "../../../src/loop/git/path-bytes.ts";
import { findRepository, type Repository } from "../../../src/loop/git/repository.ts";
import {
  type TreeEdits,
  type TreeValue,
  withTemporaryIndex,
  writeIndexEntries,
} from "../../../src/loop/git/temporary-index.ts";
import { compareTrees, readTree } from "../../../src/loop/git/tree-entries.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const newDirectory = temporaryDirectories();

async function emptyRepository(format: "sha1" | "sha256" = "sha1") {
  const folder = newDirectory();
  const directory = join(folder, "project");
  mkdirSync(directory);
  const environment = { PATH: process.env.PATH ?? "", HOME: folder };
  const git = (...words: string[]) =>
    execFileSync("git", words, { cwd: directory, env: environment, encoding: "utf8", stdio: "pipe" });
  git("init", "--quiet", `--object-format=${format}`);
  /** One that remembers nothing of what the others did. */
  const open = async (): Promise<Repository> => {
    const found = await findRepository({ directory, environment, scratch: join(folder, "scratch") });
    if (!found.ok) throw new Error(found.message);
    return found.repository;
  };
  return { git, open, repository: await open() };
}

/** As git itself does it: through an index. */
async function throughIndex(repository: Repository, tree: string | undefined, edits: TreeEdits): Promise<string> {
  const written = await withTemporaryIndex(repository, tree, async (indexFile) => {
    const edited = await writeIndexEntries(repository, edits, indexFile);
    return edited.ok ? repository.git({ arguments: ["write-tree"], indexFile }) : edited;
  });
  if (!written.ok) throw new Error(written.message);
  return Buffer.from(written.stdout).toString().trim();
}

/** Names that sort differently as files and as folders, and some that are no text. */
const name = fc.constantFrom("a", "a.b", "a-b", "a0", "b", "ab", "A", "é", "z ~", "lib", "\udcff", "x\udc80y");
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
const mode = fc.constantFrom("100644", "100755", "120000");
const values = fc.array(fc.tuple(path, fc.option(mode, { nil: undefined, freq: 3 })), { maxLength: 12 });

/** Which of the paths that were there are taken out. */
const PLACES = Array.from({ length: 12 }, (_, place) => place);

describe("a tree with some of its paths changed", () => {
  test("is the one git makes of the same changes, and is remembered as git lists it", async () => {
    const { git, open, repository } = await emptyRepository();
    const blobs = ["one", "two"].map((text) => gitObject(repository, "blob", Buffer.from(text)));
    expect(await storeObjects(repository, blobs)).toEqual({ ok: true });
    const editsOf = (rows: readonly (readonly [string, string | undefined])[]) =>
      new Map<string, TreeValue | undefined>(
        rows.map(([at, type], index) => [
          at,
          type === undefined ? undefined : { mode: type, id: blobs[index % 2]?.id ?? "" },
        ]),
      );
    await fc.assert(
      fc.asyncProperty(values, values, fc.subarray(PLACES), async (first, second, taken) => {
        const start = await throughIndex(repository, undefined, editsOf(first));
        const away = first.flatMap(([at], place) => (taken.includes(place) ? [[at, undefined] as const] : []));
        const edits = editsOf([...away, ...second]);
        const edited = await editTree(repository, { tree: start, edits });
        const fresh = await open();
        expect(edited).toEqual({ ok: true, tree: await throughIndex(fresh, start, edits), refused: [] });
        if (!edited.ok) return;
        const listed = await readTree(fresh, edited.tree);
        const remembered = knownTree(repository, edited.tree);
        expect([sorted(remembered?.entries), sorted(remembered?.folders)]).toEqual(
          listed.ok ? [sorted(listed.entries), sorted(listed.folders)] : [],
        );
        const [here, asked] = await Promise.all(
          [repository, await open()].map((place) => compareTrees(place, start, edited.tree)),
        );
        expect(here?.ok && sorted(here.differences)).toEqual(asked?.ok && sorted(asked.differences));
      }),
      { numRuns: 20 },
    );
    expect(git("fsck", "--strict", "--no-dangling")).toBe("");
  }, 60_000);

  test("is made without git saying anything where all is known, and stored by one", async () => {
    const { repository } = await emptyRepository();
    const calls: string[] = [];
    const counted: Repository = {
      ...repository,
      git: (call) => {
        calls.push(call.arguments[0] ?? "");
        return repository.git(call);
      },
    };
    const blob = gitObject(repository, "blob", Buffer.from("x"));
    const value = { mode: "100644", id: blob.id };
    const first = await editTree(counted, { tree: undefined, edits: new Map([["a/b/c", value]]), blobs: [blob] });
    const second = await editTree(counted, {
      tree: first.ok ? first.tree : "",
      edits: new Map(["a/d", ".gitignore", ".github/x"].map((path) => [path, value])),
    });
    const compared = first.ok && second.ok && (await compareTrees(counted, first.tree, second.tree));
    expect([calls, compared]).toEqual([
      ["unpack-objects", "unpack-objects"],
      {
        ok: true,
        differences: new Map(
          ["a/d", ".gitignore", ".github/x"].map((path) => [path, { before: undefined, after: value }]),
        ),
      },
    ]);
  });

  test("leaves names out that could be .git on some system, as git does; others that begin like it are taken", async () => {
    const { git, repository } = await emptyRepository();
    const blob = gitObject(repository, "blob", Buffer.from("x"));
    const namesWith = async (at: string, mode = "100644") => {
      const edits = new Map([[at, { mode, id: blob.id }]]);
      const edited = await editTree(repository, { tree: undefined, edits, blobs: [blob] });
      return edited.ok ? git("ls-tree", "-r", "-z", "--name-only", edited.tree) : edited.message;
    };
    const refused = [".git/config", "a/.GIT/hooks/x", "../x", "a/./b", "a//b", "GIT~1/x"];
    for (const at of refused) expect([at, await namesWith(at)]).toEqual([at, ""]);
    const taken = [".gitignore", "github/x", "a:b", "dot.", "back\\slash", ".g\u200cit/config"];
    for (const at of taken) expect(await namesWith(at)).toBe(`${at}\0`);
    expect([await namesWith(".gitmodules"), await namesWith(".gitmodules", "120000")]).toEqual([".gitmodules\0", ""]);
  });
});

describe("objects", () => {
  test.each(["sha1", "sha256"] as const)("of all sizes are read by git as they were, with %s", async (format) => {
    const { git, repository } = await emptyRepository(format);
    const sizes = [0, 1, 15, 16, 2047, 2048, 300_000, 5_000_000];
    const blobs = sizes.map((size) => gitObject(repository, "blob", Buffer.alloc(size, "some text\n")));
    expect(await storeObjects(repository, blobs)).toEqual({ ok: true });
    const asked = execFileSync("git", ["cat-file", "--batch-check"], {
      cwd: repository.root,
      input: blobs.map(({ id }) => `${id}\n`).join(""),
      encoding: "utf8",
    });
    expect(asked).toBe(blobs.map(({ id, bytes }) => `${id} blob ${bytes.length}\n`).join(""));
    expect(git("fsck", "--strict", "--no-dangling")).toBe("");
  });

  test("that cannot be stored are a failure", async () => {
    const { repository } = await emptyRepository();
    const blob = gitObject(repository, "blob", Buffer.from("x"));
    const broken: Repository = {
      ...repository,
      git: ({ arguments: words }) => repository.git({ arguments: words, stdin: "PACK and then nothing" }),
    };
    const edits = new Map([["a", { mode: "100644", id: blob.id }]]);
    expect((await editTree(broken, { tree: undefined, edits, blobs: [blob] })).ok).toBe(false);
  });
});

function sorted<Value>(map: ReadonlyMap<string, Value> | undefined): [string, Value][] {
  return [...(map ?? [])].sort(([first], [second]) => Buffer.compare(encodePath(first), encodePath(second)));
}
