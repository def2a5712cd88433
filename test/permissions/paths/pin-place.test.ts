import { describe, expect, test } from "bun:test";
import {
  closeSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pinPlace } from "../../../src/permissions/paths/pin-place.ts";
import type { PinnedPlace } from "../../../src/system/pinned-place.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();

function place() {
  const base = directory();
  for (const file of ["ws/dir/file", "outside/file"]) {
    mkdirSync(dirname(join(base, file)), { recursive: true });
    writeFileSync(join(base, file), file);
  }
  return { base, folder: join(base, "ws/dir"), outside: join(base, "outside"), file: join(base, "ws/dir/file") };
}

function contentOf(pin: PinnedPlace): string {
  const opened = pin.openFile();
  if (!opened.ok) return opened.message;
  const text = readFileSync(opened.descriptor, "utf8");
  closeSync(opened.descriptor);
  return text;
}

/** Makes an empty file, or says why not. */
function make(pin: PinnedPlace): string {
  const held = pin.hold();
  if (!held.ok) return held.message;
  try {
    const problem = held.place.problem();
    if (problem === undefined) writeFileSync(held.place.at, "", { flag: "wx" });
    return problem?.message ?? "made";
  } catch (error) {
    return String(error);
  } finally {
    held.place.stop();
  }
}

const elsewhere = (path: string) =>
  `${path} leads somewhere else than when it was asked about, so nothing was done. Try again.`;

describe("a place that was asked about", () => {
  test("is read, and made with the folders that were missing", () => {
    const { base, file } = place();
    expect(contentOf(pinPlace(file))).toBe("ws/dir/file");
    expect(contentOf(pinPlace(join(base, "ws/none")))).toBe(`${join(base, "ws/none")} does not exist.`);
    expect(make(pinPlace(join(base, "ws/new/deep/file")))).toBe("made");
    expect(readdirSync(join(base, "ws/new/deep"))).toEqual(["file"]);
  });

  test("is left alone when a folder on its way became a link", () => {
    const { base, file, folder, outside } = place();
    const [asked, missing] = [pinPlace(file), pinPlace(join(folder, "new"))];
    renameSync(folder, join(base, "ws/away"));
    symlinkSync(outside, folder);
    expect([contentOf(asked), make(missing), asked.isUnmoved()]).toEqual([
      elsewhere(file),
      elsewhere(join(folder, "new")),
      false,
    ]);
    expect(readdirSync(outside)).toEqual(["file"]);
  });

  test("is left alone when it came to be a link, another file, or anything at all", () => {
    const { file, outside, folder } = place();
    const asked = pinPlace(file);
    unlinkSync(file);
    symlinkSync(join(outside, "file"), file);
    expect(contentOf(asked)).toBe(elsewhere(file));
    unlinkSync(file);
    linkSync(join(outside, "file"), file);
    expect([contentOf(asked), make(asked)]).toEqual([elsewhere(file), elsewhere(file)]);
    const missing = pinPlace(join(folder, "new"));
    symlinkSync(join(outside, "made"), join(folder, "new"));
    expect(make(missing)).toBe(elsewhere(join(folder, "new")));
    expect(readdirSync(outside)).toEqual(["file"]);
  });

  test("is left alone when a link was a part of it already when it was pinned", () => {
    const { base, outside } = place();
    symlinkSync(outside, join(base, "ws/link"));
    const path = join(base, "ws/link/file");
    expect([contentOf(pinPlace(path)), make(pinPlace(path))]).toEqual([elsewhere(path), elsewhere(path)]);
  });

  test("is not made below a link that appeared where a folder was to be made", () => {
    const { base, outside } = place();
    const path = join(base, "ws/fresh/deep/new");
    const asked = pinPlace(path);
    symlinkSync(outside, join(base, "ws/fresh"));
    expect(make(asked)).toBe(elsewhere(path));
    expect(readdirSync(outside)).toEqual(["file"]);
  });

  test("stays in its folder when the folder is held and swapped, and says so", () => {
    const { base, folder, outside } = place();
    const held = pinPlace(join(folder, "new")).hold();
    if (!held.ok) throw new Error(held.message);
    expect(held.place.problem()).toBeUndefined();
    renameSync(folder, join(base, "ws/away"));
    symlinkSync(outside, folder);
    expect(held.place.problem()?.message).toBe(elsewhere(join(folder, "new")));
    if (process.platform === "linux") {
      writeFileSync(held.place.at, "held");
      expect(readFileSync(join(base, "ws/away/new"), "utf8")).toBe("held");
    }
    held.place.stop();
    expect(readdirSync(outside)).toEqual(["file"]);
  });
});

describe("while another process swaps a folder for a link", () => {
  const TRIES = 10_000;

  test(`none of ${TRIES} places is read or made elsewhere, however it was pinned`, async () => {
    const { folder, outside, file } = place();
    const program = join(import.meta.dir, "../../support/programs/swap-folder.ts");
    const swapper = Bun.spawn([process.execPath, program, folder, outside], { stdout: "pipe" });
    await swapper.stdout.getReader().read();
    const seen = { inside: 0, refused: 0, elsewhere: 0, made: 0 };
    const outcomes: Record<string, keyof typeof seen> = {
      "ws/dir/file": "inside",
      "outside/file": "elsewhere",
      made: "made",
    };
    try {
      for (let number = 0; number < TRIES; number++) {
        const said = number % 2 === 0 ? contentOf(pinPlace(file)) : make(pinPlace(join(folder, `new${number}`)));
        seen[outcomes[said] ?? "refused"]++;
      }
      await new Promise(setImmediate);
      expect(swapper.exitCode).toBeNull();
    } finally {
      swapper.kill("SIGKILL");
      await swapper.exited;
    }
    expect(seen.elsewhere).toBe(0);
    expect(readdirSync(outside)).toEqual(["file"]);
    expect(readFileSync(join(outside, "file"), "utf8")).toBe("outside/file");
    // The race was a race: both outcomes were seen.
    expect([seen.refused, seen.inside, seen.made].every((count) => count > 0)).toBe(true);
  }, 60_000);
});
