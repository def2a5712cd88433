import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { ensureDirectory, writeFileAtomic } from "../../src/system/files.ts";
import { readTextFile } from "../../src/system/text-file.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);

describe("writeFileAtomic", () => {
  test("makes a file and leaves nothing else behind", async () => {
    const path = join(directory(), "a.txt");
    expect(await writeFileAtomic(path, "häl\nlo")).toEqual({ ok: true });
    expect(readFileSync(path, "utf8")).toBe("häl\nlo");
    expect(readdirSync(join(path, ".."))).toEqual(["a.txt"]);
  });

  test("writes bytes as they are", async () => {
    const path = join(directory(), "a.bin");
    const bytes = new Uint8Array([0, 255, 10, 200]);
    await writeFileAtomic(path, bytes);
    expect(new Uint8Array(readFileSync(path))).toEqual(bytes);
  });

  test("keeps the mode of an existing file, unless a mode is asked for", async () => {
    const path = join(directory(), "script.sh");
    writeFileSync(path, "old");
    chmodSync(path, 0o751);
    await writeFileAtomic(path, "new");
    expect([readFileSync(path, "utf8"), modeOf(path)]).toEqual(["new", "751"]);
    await writeFileAtomic(path, "newer", { mode: 0o600 });
    expect([readFileSync(path, "utf8"), modeOf(path)]).toEqual(["newer", "600"]);
  });

  test("gives a new file exactly the mode asked for, whatever the umask", async () => {
    const path = join(directory(), "open");
    await writeFileAtomic(path, "", { mode: 0o666 });
    expect(modeOf(path)).toBe("666");
  });

  test("replaces a symbolic link and leaves its target alone", async () => {
    const root = directory();
    writeFileSync(join(root, "target"), "target");
    symlinkSync(join(root, "target"), join(root, "link"));
    expect(await writeFileAtomic(join(root, "link"), "new")).toEqual({ ok: true });
    expect([readFileSync(join(root, "target"), "utf8"), lstatSync(join(root, "link")).isFile()]).toEqual([
      "target",
      true,
    ]);
  });

  test("says what is in the way and leaves no temporary file", async () => {
    const root = directory();
    mkdirSync(join(root, "folder"));
    expect(await writeFileAtomic(join(root, "folder"), "x")).toEqual({
      ok: false,
      reason: "not-a-file",
      message: `${root}/folder is a directory, not a regular file.`,
    });
    expect(await writeFileAtomic(join(root, "none", "x"), "x")).toEqual({
      ok: false,
      reason: "missing",
      message: `${root}/none/x could not be written: it does not exist.`,
    });
    expect(readdirSync(root)).toEqual(["folder"]);
  });

  test("a reader sees the old or the new content, never a mixture", async () => {
    const path = join(directory(), "a.txt");
    const contents = ["a", "b", "c", "d"].map((letter) => letter.repeat(300_000));
    await writeFileAtomic(path, contents[0] ?? "");
    let writing = true;
    const writer = (async () => {
      for (const content of contents) await writeFileAtomic(path, content);
      writing = false;
    })();
    const seen = new Set<boolean>();
    while (writing) {
      const read = readTextFile(path, { maxBytes: 1_000_000 });
      seen.add(read.ok && contents.includes(read.text));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await writer;
    expect([...seen]).toEqual([true]);
  });
});

describe("readTextFile", () => {
  const limit = { maxBytes: 10 };

  test("gives the text byte for byte, with its byte order mark", async () => {
    const path = join(directory(), "a.txt");
    writeFileSync(path, "\uFEFFä\r\n");
    expect(readTextFile(path, limit)).toEqual({ ok: true, text: "\uFEFFä\r\n" });
  });

  test("takes a file of exactly the limit and refuses one byte more", async () => {
    const root = directory();
    writeFileSync(join(root, "ten"), "0123456789");
    writeFileSync(join(root, "eleven"), "0123456789a");
    expect(readTextFile(join(root, "ten"), limit)).toEqual({ ok: true, text: "0123456789" });
    expect(readTextFile(join(root, "eleven"), limit)).toEqual({
      ok: false,
      reason: "too-large",
      message: `${root}/eleven is larger than the limit of 10 bytes.`,
    });
  });

  test("refuses pipes, devices and directories at once", async () => {
    const root = directory();
    Bun.spawnSync(["mkfifo", join(root, "pipe")]);
    symlinkSync("/dev/zero", join(root, "zero"));
    const refused = ["pipe", "zero", "."].map((name) => readTextFile(join(root, name), limit));
    expect(await Promise.all(refused)).toEqual([
      { ok: false, reason: "not-a-file", message: `${root}/pipe is a named pipe, not a regular file.` },
      { ok: false, reason: "not-a-file", message: `${root}/zero is a device, not a regular file.` },
      { ok: false, reason: "not-a-file", message: `${root} is a directory, not a regular file.` },
    ]);
  });

  test("refuses what is not text", async () => {
    const root = directory();
    writeFileSync(join(root, "latin1"), new Uint8Array([0x61, 0xe4]));
    writeFileSync(join(root, "zero"), new Uint8Array([0x61, 0]));
    expect([readTextFile(join(root, "latin1"), limit), readTextFile(join(root, "zero"), limit)]).toEqual([
      { ok: false, reason: "not-text", message: `${root}/latin1 is not a text file: it is not valid UTF-8.` },
      { ok: false, reason: "not-text", message: `${root}/zero is not a text file: it contains zero bytes.` },
    ]);
  });

  test("names a missing file", async () => {
    expect(readTextFile("/nowhere/a", limit)).toEqual({
      ok: false,
      reason: "missing",
      message: "/nowhere/a could not be read: it does not exist.",
    });
  });

  test.if(process.platform === "linux")("reads files that claim to be empty, up to the limit", async () => {
    expect(readTextFile("/proc/self/status", limit)).toEqual({
      ok: false,
      reason: "too-large",
      message: "/proc/self/status is larger than the limit of 10 bytes.",
    });
    const read = readTextFile("/proc/self/status", { maxBytes: 1_000_000 });
    expect(read.ok && read.text.startsWith("Name:")).toBe(true);
  });
});

describe("ensureDirectory", () => {
  test("makes the parents too, and does not mind being called again", async () => {
    const path = join(directory(), "a", "b");
    expect([await ensureDirectory(path, 0o700), await ensureDirectory(path, 0o700)]).toEqual([
      { ok: true },
      { ok: true },
    ]);
    expect([modeOf(path), existsSync(path)]).toEqual(["700", true]);
  });

  test("says when a file is in the way", async () => {
    const root = directory();
    writeFileSync(join(root, "file"), "");
    expect(await ensureDirectory(join(root, "file"), 0o700)).toEqual({
      ok: false,
      reason: "not-a-directory",
      message: `${root}/file is not a directory.`,
    });
    expect(await ensureDirectory(join(root, "file", "below"), 0o700)).toEqual({
      ok: false,
      reason: "not-a-directory",
      message: `${root}/file/below could not be created: a part of the path is not a directory.`,
    });
  });
});
