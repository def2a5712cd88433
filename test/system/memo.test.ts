import { expect, test } from "bun:test";
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileMemo, noMemo } from "../../src/system/memo.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const newDirectory = temporaryDirectories();

test("what was kept is found again, for exactly its name, text and build", async () => {
  const directory = join(newDirectory(), "cache");
  const memo = fileMemo(directory, "build 1");
  expect(memo.find("settings", "text")).toBeUndefined();
  await memo.keep("settings", "text", { a: [1, null] });
  expect(fileMemo(directory, "build 1").find("settings", "text")).toEqual({ value: { a: [1, null] } });
  expect(memo.find("settings", "text ")).toBeUndefined();
  expect(memo.find("models", "text")).toBeUndefined();
  expect(fileMemo(directory, "build 2").find("settings", "text")).toBeUndefined();
});

test("what is kept later replaces what was kept before", async () => {
  const directory = newDirectory();
  const memo = fileMemo(directory, "b");
  await memo.keep("settings", "old", 1);
  await memo.keep("settings", "new", 2);
  expect([memo.find("settings", "old"), memo.find("settings", "new")]).toEqual([undefined, { value: 2 }]);
  expect(readdirSync(directory)).toEqual(["settings.json"]);
});

test("nobody else may read it", async () => {
  const directory = join(newDirectory(), "cache");
  await fileMemo(directory, "b").keep("settings", "text", 1);
  expect([statSync(directory).mode & 0o777, statSync(join(directory, "settings.json")).mode & 0o777]).toEqual([
    0o700, 0o600,
  ]);
});

test("a broken file counts as none, and a place that cannot be written is passed over", async () => {
  const directory = newDirectory();
  const memo = fileMemo(directory, "b");
  for (const text of ["", "{", "null", "[]", '{"key":1}', '"text"']) {
    writeFileSync(join(directory, "settings.json"), text);
    expect(memo.find("settings", "text")).toBeUndefined();
  }
  writeFileSync(join(directory, "occupied"), "");
  const nowhere = fileMemo(join(directory, "occupied", "below"), "b");
  await nowhere.keep("settings", "text", 1);
  expect(nowhere.find("settings", "text")).toBeUndefined();
});

test("the memo that remembers nothing remembers nothing", async () => {
  await noMemo.keep("settings", "text", 1);
  expect(noMemo.find("settings", "text")).toBeUndefined();
  expect(existsSync("settings.json")).toBe(false);
});
