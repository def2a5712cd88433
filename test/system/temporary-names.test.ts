import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeStaleTemporaries, temporaryName } from "../../src/system/temporary-names.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();

test("what a process that is gone left half written is removed; what is alive, in doubt or not ours stays", () => {
  const folder = directory();
  const now = Date.now();
  const gone = Bun.spawnSync(["true"]).pid;
  const of = (pid: number) => temporaryName().replace(`.ralph-${process.pid}-`, `.ralph-${pid}-`);
  const elsewhere = () => temporaryName().replace(/^(\.ralph-\d+-)[^-]+/, "$1zzz");
  const [living, stale, link, young, old, dir] = [
    of(process.pid),
    of(gone),
    of(gone),
    elsewhere(),
    elsewhere(),
    of(gone),
  ];
  const names = [living, stale, young, old, `${stale}.bak`, ".ralph-notes.tmp", `.ralph-${gone}-x-y.tmp`];
  for (const name of names) writeFileSync(join(folder, name), "half");
  symlinkSync("nowhere", join(folder, link));
  mkdirSync(join(folder, dir));
  const twoDaysAgo = now / 1000 - 2 * 24 * 3600;
  utimesSync(join(folder, old), twoDaysAgo, twoDaysAgo);
  removeStaleTemporaries(folder, now);
  const kept = [living, young, `${stale}.bak`, ".ralph-notes.tmp", `.ralph-${gone}-x-y.tmp`, dir];
  expect(readdirSync(folder).toSorted()).toEqual(kept.toSorted());
  removeStaleTemporaries(join(folder, "missing"), now);
});
