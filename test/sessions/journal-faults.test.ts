import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { contextOf } from "../../src/sessions/context.ts";
import { createSession, openSession } from "../../src/sessions/journal.ts";
import { readSession } from "../../src/sessions/read-session.ts";
import type { SessionPlaces } from "../../src/sessions/session-name.ts";
import { opened, placesIn, said, stored, user } from "../support/session-samples.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

// Faults that really happen: other processes, a process that is killed, a disk that is full.

const directory = temporaryDirectories();
const PROGRAM = join(import.meta.dir, "../support/programs/append-entries.ts");

async function newPath(places: SessionPlaces): Promise<string> {
  const session = opened(await createSession({ places, cwd: "/projects" }));
  await stored(session, said(user("start")));
  await session.close();
  return session.path ?? "";
}

function startAppending(path: string, places: SessionPlaces) {
  return Bun.spawn([process.execPath, PROGRAM, path, places.sessions, places.blobs], {
    stdout: "pipe",
    stderr: "inherit",
  });
}

/** Kills the program with SIGKILL a random while after its first entry, and gives back the ids it said were stored. */
async function killedWhileAppending(path: string, places: SessionPlaces): Promise<string[]> {
  const child = startAppending(path, places);
  let output = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  for await (const chunk of child.stdout) {
    output += Buffer.from(chunk).toString();
    if (output.includes("stored")) timer ??= setTimeout(() => child.kill("SIGKILL"), Math.random() * 25);
  }
  await child.exited;
  clearTimeout(timer);
  return Array.from(output.matchAll(/^stored (\w+)\n/gm), ([, id = ""]) => id);
}

describe("a writer killed at any moment", () => {
  test("has lost nothing it said was stored, in 64 runs", async () => {
    const run = async () => {
      const places = placesIn(directory());
      const path = await newPath(places);
      const acknowledged = [
        ...(await killedWhileAppending(path, places)),
        ...(await killedWhileAppending(path, places)),
      ];
      const session = opened(await openSession(path, { places }));
      await stored(session, said(user("end")));
      await session.close();
      const read = await readSession(path, places.blobs);
      if (!read.ok) throw new Error(read.message);
      const present = new Set(read.entries.map(({ id }) => id));
      expect(acknowledged.filter((id) => !present.has(id))).toEqual([]);
      expect(acknowledged.length).toBeGreaterThan(0);
      expect(read.problems.filter((problem) => !problem.includes("is damaged and was left out"))).toEqual([]);
      expect(contextOf(read.entries).messages.length).toBe(read.entries.length);
    };
    for (let round = 0; round < 4; round++) await Promise.all(Array.from({ length: 8 }, run));
  }, 60_000);
});

describe("two processes", () => {
  test("cannot write one session: the second is told who has it", async () => {
    const places = placesIn(directory());
    const path = await newPath(places);
    const session = opened(await openSession(path, { places, owner: "ralph chat" }));
    const child = startAppending(path, places);
    const said = await new Response(child.stdout).text();
    expect(said).toMatch(
      new RegExp(
        `^refused The session .* is open in ralph chat \\(process ${process.pid} on .*\\)\\. Close it there, or fork`,
      ),
    );
    await session.close();
  });

  test("one after the other can: a dead holder does not keep the session", async () => {
    const places = placesIn(directory());
    const path = await newPath(places);
    const child = startAppending(path, places);
    // The reader stays: a program whose output nobody takes would end by itself.
    const reader = child.stdout.getReader();
    await reader.read();
    expect(await openSession(path, { places })).toMatchObject({ ok: false, reason: "held" });
    child.kill("SIGKILL");
    await child.exited;
    await reader.cancel();
    const session = opened(await openSession(path, { places }));
    await session.close();
  });
});

const smallDisk = mountSmallDisk();

describe("a full disk", () => {
  test.skipIf(smallDisk === undefined)(
    "is told, costs nothing that was stored, and is survived (skipped where a tmpfs cannot be mounted)",
    async () => {
      const places = placesIn(smallDisk ?? "");
      const session = opened(await createSession({ places, cwd: "/projects" }));
      const path = session.path ?? "";
      const kept = [];
      let failed: Awaited<ReturnType<typeof session.append>> | undefined;
      while (failed === undefined) {
        const result = await session.append(said(user("x".repeat(5000))));
        if (result.ok) kept.push(result.entry);
        else failed = result;
      }
      expect(failed).toMatchObject({ reason: "no-space" });
      expect(failed).toMatchObject({ message: `${path} could not be appended to: the disk is full.` });
      expect(session.leafId).toBe(kept.at(-1)?.id ?? "");
      const blob = await session.append(said(user("y".repeat(30_000))));
      expect(blob).toMatchObject({ ok: false, reason: "no-space" });
      expect(spawnSync("rm", [join(smallDisk ?? "", "ballast")]).status).toBe(0);
      const after = await stored(session, said(user("there is room again")));
      await session.close();
      expect(after.parentId).toBe(kept.at(-1)?.id ?? "");
      const read = await readSession(path, places.blobs);
      expect(read.ok && read.entries).toEqual([...kept, after]);
      expect(readFileSync(path, "utf8").endsWith("\n")).toBe(true);
    },
  );
});
