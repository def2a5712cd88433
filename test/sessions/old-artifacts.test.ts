import { expect, test } from "bun:test";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { ARTIFACT_LIMITS, removeOldArtifacts } from "../../src/sessions/old-artifacts.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

const DAY = 24 * 60 * 60 * 1000;
const NOW = 1_800_000_000_000;

function folders() {
  const workspace = tempWorkspace();
  const places = {
    sessions: join(workspace.root, "sessions"),
    blobs: join(workspace.root, "blobs"),
    artifacts: join(workspace.root, "artifacts"),
  };
  const made = new Map<string, string>();
  const put = (name: string, { days, bytes = 10 }: { days: number; bytes?: number }) => {
    const file = `shell-${crypto.randomUUID()}.txt`;
    const path = workspace.write(`artifacts/${file}`, "x".repeat(bytes));
    utimesSync(path, (NOW - days * DAY) / 1000, (NOW - days * DAY) / 1000);
    made.set(name, file);
    return file;
  };
  const left = () => {
    const files = workspace.find("artifacts/*");
    return [...made].flatMap(([name, file]) => (files.includes(`artifacts/${file}`) ? [name] : []));
  };
  const clean = (limits = {}, now = NOW, signal = new AbortController().signal) =>
    removeOldArtifacts({ places, now, signal, limits: { ...ARTIFACT_LIMITS, ...limits } });
  return { workspace, put, left, clean, [Symbol.dispose]: workspace.stop };
}

test("old outputs go, but not those a session names, in its lines or in a blob, nor files that are not ours", async () => {
  using place = folders();
  place.put("old", { days: 31 });
  place.put("young", { days: 2 });
  place.workspace.write("sessions/a/one.jsonl", `{"text":"see /data/artifacts/${place.put("named", { days: 90 })}"}\n`);
  // A name across the border of two pieces that are read.
  place.workspace.write("blobs/abc", `${"x".repeat(1024 * 1024 - 20)}${place.put("in a blob", { days: 90 })}`);
  utimesSync(place.workspace.write("artifacts/notes.txt", ""), 1, 1);
  await place.clean();
  expect([place.left(), place.workspace.find("artifacts/notes.txt")]).toEqual([
    ["young", "named", "in a blob"],
    ["artifacts/notes.txt"],
  ]);
});

test("above the total the oldest go first, and never what was made in the last day", async () => {
  using place = folders();
  for (const [name, days] of Object.entries({ now: 0, one: 2, two: 3, three: 4 }))
    place.put(name, { days, bytes: 100 });
  await place.clean({ totalBytes: 250 });
  expect(place.left()).toEqual(["now", "one"]);
});

test("nobody looks twice a day; nothing goes where there is too much to read, or when it is stopped", async () => {
  using place = folders();
  place.workspace.write("sessions/a/one.jsonl", "x".repeat(1000));
  place.put("old", { days: 31 });
  expect(await place.clean({ readBytes: 999 })).toEqual([]);
  expect(await place.clean({}, NOW, AbortSignal.abort())).toEqual([]);
  expect(await place.clean()).toHaveLength(1);
  place.put("other", { days: 31 });
  expect(await place.clean({}, NOW + DAY - 1)).toEqual([]);
  expect(await place.clean({}, NOW + DAY)).toHaveLength(1);
  expect(place.left()).toEqual([]);
});
