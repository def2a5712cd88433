import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { watchFileSignals, writeFileSignal } from "../../../src/loop/control/file-signals.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();

/** Collects signals and lets a test wait until there are so many. */
function collector() {
  const signals: string[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  return {
    signals,
    onSignal: (signal: string) => {
      signals.push(signal);
      for (const { count, resolve } of waiting) if (signals.length >= count) resolve();
    },
    reached: (count: number) =>
      new Promise<void>((resolve) => {
        waiting.push({ count, resolve });
        if (signals.length >= count) resolve();
      }),
  };
}

test("a signal is taken once, whoever wrote it and however slowly; others' and what is no signal are left", async () => {
  const folder = join(directory(), "signals");
  mkdirSync(folder);
  writeFileSync(join(folder, "checkout.signal"), '{"type":"stop","timestamp":"long ago"}');
  const { signals, onSignal, reached } = collector();
  const watching = await watchFileSignals({ directory: folder, name: "checkout", onSignal });
  if (!watching.ok) throw new Error(watching.message);
  await writeFileSignal({ directory: folder, name: "other", now: 0 }, "stop");
  await writeFileSignal({ directory: folder, name: "checkout", now: 0 }, "checkpoint");
  await reached(1);
  const file = join(folder, "checkout.signal");
  writeFileSync(file, "garbage");
  writeFileSync(file, '{"type":"explode"}');
  writeFileSync(file, "");
  writeFileSync(file, '{"type":"st', { flag: "a" });
  writeFileSync(file, 'op","timestamp":"2026-01-23T10:00:00"}', { flag: "a" });
  await reached(2);
  expect([signals, readdirSync(folder)]).toEqual([["checkpoint", "stop"], ["other.signal"]]);
  watching.stop();
  await writeFileSignal({ directory: folder, name: "checkout", now: Date.UTC(2026, 0, 23) }, "stop");
  expect([signals.length, readdirSync(folder)]).toEqual([2, ["checkout.signal", "other.signal"]]);
  expect(await Bun.file(file).json()).toEqual({ type: "stop", timestamp: "2026-01-23T00:00:00.000Z" });
});

test("where nothing can be watched it says so", async () => {
  const folder = join(directory(), "file");
  writeFileSync(folder, "");
  expect(await watchFileSignals({ directory: folder, name: "checkout", onSignal: () => undefined })).toEqual({
    ok: false,
    reason: "not-a-directory",
    message: `${folder} is not a directory.`,
  } as never);
});
