import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { writeBlob } from "../../src/sessions/blobs.ts";
import { removeUnusedBlobs } from "../../src/sessions/unused-blobs.ts";
import { placesIn } from "../support/session-samples.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const NOW = Date.parse("2026-01-10T00:00:00Z");
const OLD = NOW - 25 * 3_600_000;
const YOUNG = NOW - 23 * 3_600_000;

function hashOf(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

/** Folders of their own, with what is put there. */
function world() {
  const places = placesIn(directory());
  mkdirSync(join(places.sessions, "project"), { recursive: true });
  mkdirSync(places.blobs, { recursive: true });
  return {
    places,
    blob(text: string, modified = OLD, name = hashOf(text)): string {
      const path = join(places.blobs, name);
      writeFileSync(path, text);
      utimesSync(path, modified / 1000, modified / 1000);
      return hashOf(text);
    },
    session: (name: string, text: string) => writeFileSync(join(places.sessions, "project", name), text),
    left: () => readdirSync(places.blobs).toSorted(),
    remove: (maximumBytes?: number) =>
      removeUnusedBlobs({ places, now: NOW, ...(maximumBytes === undefined ? {} : { maximumBytes }) }),
  };
}

describe("unused blobs", () => {
  test("are removed when they are a day old and nothing names them", async () => {
    const { blob, session, left, remove } = world();
    const [named, young] = [blob("named"), blob("young", YOUNG)];
    blob("unused");
    session("a.jsonl", `{"blob":"${named}"}`);
    expect(await remove()).toEqual({ ok: true, removed: 1, bytes: 6, young: 1 });
    expect(left()).toEqual([named, young].toSorted());
  });

  test("are not those that a needed blob names, however far down", async () => {
    const { blob, session, left, remove } = world();
    const deep = blob("deep");
    const middle = blob(`files: ${deep}`);
    const top = blob(`files: ${middle}`);
    const alone = blob(`names ${top} and is named by nobody`);
    session("a.jsonl", `"${top}"`);
    expect(await remove()).toMatchObject({ ok: true, removed: 1 });
    expect([left(), left().includes(alone)]).toEqual([[deep, middle, top].toSorted(), false]);
  });

  test("are found wherever the name stands in a large file", async () => {
    const { blob, session, left, remove } = world();
    const hash = blob("x");
    const chunk = 1024 * 1024;
    for (const start of [0, chunk - 65, chunk - 64, chunk - 63, chunk - 1, chunk, chunk + 1, 2 * chunk - 30]) {
      session("a.jsonl", `${"-".repeat(start)}${hash}`);
      expect([start, await remove(), left()]).toEqual([start, { ok: true, removed: 0, bytes: 0, young: 0 }, [hash]]);
    }
  });

  test("are all kept when there is more to read than allowed, or something that cannot be read", async () => {
    const { blob, session, left, remove, places } = world();
    const hash = blob("x");
    session("a.jsonl", "y".repeat(100));
    expect(await remove(99)).toEqual({
      ok: false,
      message: "There is too much to read to find out which blobs are needed.",
    });
    Bun.spawnSync(["ln", "-s", "/nowhere/at/all", join(places.sessions, "gone")]);
    const message = `${join(places.sessions, "gone")} could not be read: it does not exist.`;
    expect([await remove(), left()]).toEqual([{ ok: false, message }, [hash]]);
  });

  test("that somebody begins to use again count as young", async () => {
    const { blob, left, remove, places } = world();
    const hash = blob("x");
    expect(await writeBlob(places.blobs, { hash, text: "x" })).toEqual({ ok: true });
    expect([await remove(), left()]).toEqual([{ ok: true, removed: 0, bytes: 0, young: 1 }, [hash]]);
  });

  test("that a killed run had set aside are put back where they are needed", async () => {
    const { blob, session, left, remove } = world();
    const hash = blob("x", OLD, `${hashOf("x")}.unused`);
    const doubled = blob("y");
    blob("y", OLD, `${doubled}.unused`);
    session("a.jsonl", `${hash} ${doubled}`);
    expect([await remove(), left()]).toEqual([
      { ok: true, removed: 0, bytes: 0, young: 0 },
      [hash, doubled].toSorted(),
    ]);
  });

  test("are nothing but blobs: other files, and a folder that is missing, are left alone", async () => {
    const { blob, left, remove } = world();
    blob("x", OLD, "notes.txt");
    expect([await remove(), left()]).toEqual([{ ok: true, removed: 0, bytes: 0, young: 0 }, ["notes.txt"]]);
    const nowhere = placesIn(join(directory(), "missing"));
    expect(await removeUnusedBlobs({ places: nowhere, now: NOW })).toEqual({
      ok: true,
      removed: 0,
      bytes: 0,
      young: 0,
    });
  });

  test("of any graph of names are exactly those that cannot be reached", async () => {
    const graph = fc.record({
      roots: fc.uniqueArray(fc.nat(5)),
      edges: fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(graph, async ({ roots, edges }) => {
        const { blob, session, left, remove } = world();
        const hashes: string[] = [];
        // A blob can only name one that was there before it.
        const namedBy = (from: number) => edges.flatMap(([a, b]) => (a === from && b < from ? [b] : []));
        for (let node = 0; node < 6; node++)
          hashes.push(
            blob(
              `${node} ${namedBy(node)
                .map((to) => hashes[to])
                .join(" ")}`,
            ),
          );
        session("a.jsonl", roots.map((root) => hashes[root]).join("\n"));
        const reached = new Set<number>();
        const visit = (node: number): void => {
          if (reached.has(node)) return;
          reached.add(node);
          namedBy(node).forEach(visit);
        };
        roots.forEach(visit);
        await remove();
        expect(left()).toEqual([...reached].map((node) => hashes[node] ?? "").toSorted());
      }),
      { numRuns: 30 },
    );
  });
});
