import { describe, expect, test } from "bun:test";
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { holdFolder, isUnmoved, openChecked } from "../../../src/permissions/paths/open-checked.ts";
import { resolveSafely, type SafeResolution } from "../../../src/permissions/paths/resolve-safely.ts";
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

function resolved(path: string): SafeResolution {
  const found = resolveSafely(path);
  if (!found.ok) throw new Error(found.reason);
  return found;
}

async function contentOf(resolution: SafeResolution): Promise<string> {
  const opened = await openChecked(resolution, "read");
  if (!opened.ok) return opened.message;
  const text = await opened.handle.readFile("utf8");
  await opened.handle.close();
  return text;
}

const elsewhere = (path: string) =>
  `${path} leads somewhere else than when it was asked about, so nothing was done. Try again.`;

describe("a file that was asked about", () => {
  test("is opened for reading, writing and making", async () => {
    const { base, file } = place();
    expect(await contentOf(resolved(file))).toBe("ws/dir/file");
    const writing = await openChecked(resolved(file), "write");
    if (!writing.ok) throw new Error(writing.message);
    await writing.handle.write("WS");
    await writing.handle.close();
    expect(readFileSync(file, "utf8")).toBe("WS/dir/file");
    const made = await openChecked(resolved(join(base, "ws/new/deep/file")), "create");
    if (!made.ok) throw new Error(made.message);
    await made.handle.write("new");
    await made.handle.close();
    expect(readFileSync(join(base, "ws/new/deep/file"), "utf8")).toBe("new");
  });

  test("is not opened when a folder on its way became a link, a file another file, or nothing a file", async () => {
    const { base, file, folder, outside } = place();
    const asked = resolved(file);
    const missing = resolved(join(folder, "new"));
    renameSync(folder, join(base, "ws/away"));
    symlinkSync(outside, folder);
    expect(await contentOf(asked)).toBe(elsewhere(file));
    expect(await openChecked(asked, "write")).toEqual({ ok: false, reason: "failed", message: elsewhere(file) });
    expect(await openChecked(missing, "create")).toMatchObject({ ok: false, message: elsewhere(missing.path) });
    expect(await holdFolder(missing)).toMatchObject({ ok: false, message: elsewhere(missing.path) });
    expect(isUnmoved(asked)).toBe(false);
    expect(readdirSync(outside)).toEqual(["file"]);
  });

  test("is not opened when its name came to be a link or another file", async () => {
    const { file, outside } = place();
    const asked = resolved(file);
    unlinkSync(file);
    symlinkSync(join(outside, "file"), file);
    expect(await contentOf(asked)).toBe(elsewhere(file));
    unlinkSync(file);
    linkSync(join(outside, "file"), file);
    expect(await contentOf(asked)).toBe(elsewhere(file));
  });

  test("is not made through a link that appeared in its place, nor over a file", async () => {
    const { folder, outside, file } = place();
    const asked = resolved(join(folder, "new"));
    symlinkSync(join(outside, "made"), asked.path);
    expect(await openChecked(asked, "create")).toMatchObject({ ok: false });
    expect(await openChecked(resolved(file), "create")).toMatchObject({ ok: false, reason: "exists" });
    expect(readdirSync(outside)).toEqual(["file"]);
  });

  test("is not made below a link that appeared where a folder was to be made", async () => {
    const { base, outside } = place();
    const asked = resolved(join(base, "ws/fresh/deep/new"));
    symlinkSync(outside, join(base, "ws/fresh"));
    expect(await openChecked(asked, "create")).toMatchObject({ ok: false });
    expect(readdirSync(outside)).toEqual(["file"]);
  });

  test("stays in its folder when the folder is held and swapped", async () => {
    const { base, folder, outside } = place();
    const held = await holdFolder(resolved(join(folder, "new")));
    if (!held.ok) throw new Error(held.message);
    renameSync(folder, join(base, "ws/away"));
    symlinkSync(outside, folder);
    if (process.platform === "linux") {
      writeFileSync(`${held.folder.path}/new`, "held");
      expect(readFileSync(join(base, "ws/away/new"), "utf8")).toBe("held");
    }
    await held.folder.stop();
    expect(readdirSync(outside)).toEqual(["file"]);
  });
});

describe("while another process swaps a folder for a link", () => {
  const OPENS = 10_000;

  test(`none of ${OPENS} opens reads or makes a file elsewhere`, async () => {
    const { folder, outside, file } = place();
    const asked = resolved(file);
    const program = join(import.meta.dir, "../../support/programs/swap-folder.ts");
    const swapper = Bun.spawn([process.execPath, program, folder, outside], { stdout: "pipe" });
    await swapper.stdout.getReader().read();
    const seen = { inside: 0, refused: 0, elsewhere: 0, made: 0 };
    try {
      for (let number = 0; number < OPENS; number++) {
        const now = number % 2 === 0 ? asked : (laterResolution(join(folder, `new${number}`)) ?? asked);
        if (now.kind === "missing") await make(now, seen);
        else count(await contentOf(now), seen);
      }
      expect(swapper.exitCode).toBeNull();
    } finally {
      swapper.kill("SIGKILL");
      await swapper.exited;
    }
    expect(seen.elsewhere).toBe(0);
    expect(readdirSync(outside)).toEqual(["file"]);
    expect(statSync(join(outside, "file")).size).toBe("outside/file".length);
    // The race was a race: both outcomes were seen.
    expect(seen.refused).toBeGreaterThan(0);
    expect(seen.inside + seen.made).toBeGreaterThan(0);
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  /** As an ask would: only a place in the workspace is gone on with, and here only in a folder that is there. */
  function laterResolution(path: string): SafeResolution | undefined {
    const found = resolveSafely(path);
    return found.ok && found.path === path && found.chain.length === found.names.length ? found : undefined;
  }

  async function make(resolution: SafeResolution, seen: { made: number; refused: number }): Promise<void> {
    const opened = await openChecked(resolution, "create");
    if (opened.ok) await opened.handle.close();
    if (opened.ok) seen.made++;
    else seen.refused++;
  }

  function count(text: string, seen: { inside: number; elsewhere: number; refused: number }): void {
    if (text === "ws/dir/file") seen.inside++;
    else if (text === "outside/file") seen.elsewhere++;
    else seen.refused++;
  }
});
