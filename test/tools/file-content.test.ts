import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { chmodSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pinPlace } from "../../src/permissions/paths/pin-place.ts";
import { contentHash } from "../../src/tools/content-hash.ts";
import { readContent } from "../../src/tools/file-content.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const read = (path: string) => readContent({ path, pin: pinPlace(path) });

test("the content of a file comes with its hash, mode and owner", async () => {
  const path = join(directory(), "a");
  writeFileSync(path, "abc");
  chmodSync(path, 0o640);
  const { uid, gid } = statSync(path);
  const bytes = Buffer.from("abc");
  expect(await read(path)).toEqual({ ok: true, bytes, hash: contentHash(bytes), mode: 0o640, uid, gid });
  expect(contentHash(bytes)).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("pipes, links and directories in the place of a file are refused without waiting", async () => {
  const folder = directory();
  const [pipe, link] = [join(folder, "pipe"), join(folder, "link")];
  execFileSync("mkfifo", [pipe]);
  symlinkSync("/etc/hostname", link);
  expect(await read(pipe)).toEqual({
    ok: false,
    reason: "not-a-file",
    message: `${pipe} is a named pipe, not a regular file.`,
  });
  expect(await read(link)).toMatchObject({ ok: false });
  expect(await read(folder)).toMatchObject({ ok: false, reason: "not-a-file" });
  expect(await read(join(folder, "none"))).toMatchObject({ ok: false, reason: "missing" });
});
