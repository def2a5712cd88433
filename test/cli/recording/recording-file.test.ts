import { expect, test } from "bun:test";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createRecordingFile } from "../../../src/cli/recording/recording-file.ts";
import type { RecordingHeader } from "../../../src/protocol/recordings.ts";
import { tempWorkspace } from "../../support/temp-workspace.ts";

const header = { type: "recording", version: 1 } as RecordingHeader;

function created(path: string, maxBytes: number) {
  const notes: string[] = [];
  let time = 0;
  const result = createRecordingFile({
    path,
    header,
    maxBytes,
    now: () => time++,
    hide: (value) => value,
    note: (line) => void notes.push(line),
  });
  return { result, notes };
}

test("a recording stops at its bound, says so once, and ends with a line that says so", () => {
  using workspace = tempWorkspace();
  const path = join(workspace.project, "run.jsonl");
  const { result, notes } = created(path, 120);
  if (!result.ok) throw new Error(result.message);
  for (let count = 0; count < 10; count++) result.file.write({ type: "wrote", text: "0123456789" });
  result.file.close();
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).type)).toEqual(["recording", "wrote", "full"]);
  expect(notes).toEqual(["The recording stopped: it reached its bound of 120 bytes. It replays up to there."]);
});

test("a recording never goes through a link that is there already", () => {
  using workspace = tempWorkspace();
  const path = join(workspace.project, "run.jsonl");
  symlinkSync(join(workspace.root, "elsewhere"), path);
  expect(created(path, 1000).result).toEqual({
    ok: false,
    message: `--record: ${path} exists already. Name a new file, or remove that one.`,
  });
});
