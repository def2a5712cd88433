import { expect, test } from "bun:test";
import { watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { watchSignalFile } from "../../../src/loop/runners/signal-file.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();

/** Writes and resolves when the system has told of it. */
async function written(path: string, text: string): Promise<void> {
  const told = Promise.withResolvers<void>();
  const watcher = watch(path.slice(0, path.lastIndexOf("/")), () => told.resolve());
  writeFileSync(path, text);
  await told.promise;
  watcher.close();
}

test("only the word idle counts, once, with the conversation it names", async () => {
  const path = join(directory(), "signal.json");
  const signals: unknown[] = [];
  const heard = Promise.withResolvers<void>();
  const stop = watchSignalFile(path, (signal) => {
    signals.push(signal);
    heard.resolve();
  });
  for (const text of ["nonsense", '{"event":"busy"}', "[]", "null", '{"event":"idle","session_id":"half']) {
    await written(path, text);
  }
  await written(path, '{"event":"idle","session_id":"real"}');
  await heard.promise;
  await written(path, '{"event":"idle"}');
  stop();
  expect(signals).toEqual([{ session: "real" }]);
});

test("what cannot be watched is no reason to fail", () => {
  watchSignalFile("/no/such/folder/signal.json", () => {
    throw new Error("nobody could have written it");
  })();
});
