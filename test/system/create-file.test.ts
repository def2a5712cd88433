import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFile } from "../../src/system/create-file.ts";
import { writeFileAtomic } from "../../src/system/files.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();

test("a file is made once, and whatever stands there stays", async () => {
  const folder = directory();
  mkdirSync(join(folder, "folder"));
  symlinkSync("nowhere", join(folder, "link"));
  const results = await Promise.all(
    ["a", "a", "a", "folder", "link"].map((name) => createFile(join(folder, name), name)),
  );
  expect(results.map((result) => result.ok && result.isNew).toSorted()).toEqual([false, false, false, false, true]);
  expect(readFileSync(join(folder, "a"), "utf8")).toBe("a");
  expect(readdirSync(folder).sort()).toEqual(["a", "folder", "link"]);
  expect(await createFile(join(folder, "none", "a"), "a")).toEqual({
    ok: false,
    reason: "missing",
    message: `${join(folder, "none", "a")} could not be created: it does not exist.`,
  });
});

test("a file that changed meanwhile is not replaced, and nothing is left beside it", async () => {
  const folder = directory();
  const path = join(folder, "a");
  writeFileSync(path, "theirs");
  const mayReplace = () => readFileSync(path, "utf8") === "mine";
  expect(await writeFileAtomic(path, "new", { mayReplace })).toEqual({
    ok: false,
    reason: "changed",
    message: `${path} was not written: it changed meanwhile.`,
  });
  expect([readdirSync(folder), readFileSync(path, "utf8")]).toEqual([["a"], "theirs"]);
  writeFileSync(path, "mine");
  expect(await writeFileAtomic(path, "new", { mayReplace })).toEqual({ ok: true });
  expect([readdirSync(folder), readFileSync(path, "utf8")]).toEqual([["a"], "new"]);
});
