import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type PackedProgram, unpackProgram } from "../../src/system/unpack-program.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const CONTENT = "#!/bin/sh\necho ours\n";

function packed(changes: Partial<PackedProgram> = {}): PackedProgram {
  const root = directory();
  writeFileSync(join(root, "packed"), CONTENT);
  return {
    name: "prog",
    directory: join(root, "tools"),
    path: join(root, "packed"),
    bytes: CONTENT.length,
    sha256: new Bun.CryptoHasher("sha256").update(CONTENT).digest("hex"),
    ...changes,
  };
}

function placeOf({ directory: folder, sha256 }: PackedProgram): string {
  return join(folder, `prog-${sha256.slice(0, 16)}`);
}

describe("a program inside Ralph", () => {
  test("is put where it can be run, under the name of its content, for us alone to change", async () => {
    const program = packed();
    const path = await unpackProgram(program);
    expect(path).toBe(placeOf(program));
    expect(Bun.spawnSync([path ?? ""]).stdout.toString()).toBe("ours\n");
    expect([statSync(path ?? "").mode & 0o7777, statSync(program.directory).mode & 0o7777]).toEqual([0o755, 0o700]);
  });

  test("is unpacked once", async () => {
    const program = packed();
    await unpackProgram(program);
    const before = statSync(placeOf(program));
    await unpackProgram(program);
    const after = statSync(placeOf(program));
    expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
  });

  test("is unpacked by many at once, and nothing else is left there", async () => {
    const program = packed();
    const paths = await Promise.all(Array.from({ length: 20 }, () => unpackProgram(program)));
    expect(new Set(paths)).toEqual(new Set([placeOf(program)]));
    expect(readdirSync(program.directory)).toEqual([`prog-${program.sha256.slice(0, 16)}`]);
  });

  const SPOILED: Record<string, (place: string) => void> = {
    "cut short": (place) => writeFileSync(place, CONTENT.slice(0, 5), { mode: 0o755 }),
    "changed without a change of size": (place) =>
      writeFileSync(place, CONTENT.replace("ours", "evil"), { mode: 0o755 }),
    "a link to another program": (place) => symlinkSync("/bin/true", place),
    "a link to what it should be": (place) => {
      writeFileSync(`${place}-elsewhere`, CONTENT, { mode: 0o755 });
      symlinkSync(`${place}-elsewhere`, place);
    },
    "not to be run": (place) => writeFileSync(place, CONTENT, { mode: 0o644 }),
    "for everybody to change": (place) => {
      writeFileSync(place, CONTENT);
      chmodSync(place, 0o777);
    },
  };
  for (const [state, spoil] of Object.entries(SPOILED)) {
    test(`is replaced where what is there is ${state}`, async () => {
      const program = packed();
      mkdirSync(program.directory, { mode: 0o700 });
      spoil(placeOf(program));
      expect(await unpackProgram(program)).toBe(placeOf(program));
      expect(readFileSync(placeOf(program), "utf8")).toBe(CONTENT);
      expect(lstatSync(placeOf(program)).isFile()).toBe(true);
      expect(lstatSync(placeOf(program)).mode & 0o7777).toBe(0o755);
      expect(readFileSync("/bin/true").length).toBeGreaterThan(CONTENT.length);
    });
  }

  test("is not used from a folder others may write to, and not where there is no folder to be had", async () => {
    const shared = packed();
    mkdirSync(shared.directory);
    chmodSync(shared.directory, 0o777);
    expect(await unpackProgram(shared)).toBeUndefined();
    const blocked = packed();
    writeFileSync(blocked.directory, "a file");
    expect(await unpackProgram(blocked)).toBeUndefined();
    const occupied = packed();
    mkdirSync(placeOf(occupied), { recursive: true });
    expect(await unpackProgram(occupied)).toBeUndefined();
  });

  test("is not unpacked where its own content is damaged or missing", async () => {
    const damaged = packed({ sha256: "0".repeat(64) });
    const missing = packed({ path: "/no/such/file" });
    expect([await unpackProgram(damaged), await unpackProgram(missing)]).toEqual([undefined, undefined]);
  });
});
