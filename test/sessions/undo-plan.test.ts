import { expect, test } from "bun:test";
import fc from "fast-check";
import type { FileState } from "../../src/protocol/session-entries.ts";
import { hashOf } from "../../src/sessions/blobs.ts";
import { sameState } from "../../src/sessions/undo/observe-file.ts";
import { planUndo, type UndoFile } from "../../src/sessions/undo/undo-plan.ts";
import { changedFiles, turnToUndo, undoTurns } from "../../src/sessions/undo/undo-turns.ts";
import { anyEntries } from "../support/session-samples.ts";

const TEXTS = ["", "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n", "x\n"];

interface Place {
  state: FileState;
  text: string | undefined;
}

const place: fc.Arbitrary<Place> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom(...TEXTS), fc.constantFrom(0o644, 0o755)).map(([text, mode]) => ({
      state: { type: "file" as const, hash: hashOf(text), size: text.length, mode, isKept: true },
      text,
    })),
  },
  fc
    .constantFrom<FileState>(
      { type: "missing" },
      { type: "directory", mode: 0o755 },
      { type: "link", target: "a" },
      { type: "link", target: "b" },
      { type: "not-kept", why: "why" },
    )
    .map((state) => ({ state, text: undefined })),
);

const bytesOf = (text: string | undefined) => (text === undefined ? {} : { of: new TextEncoder().encode(text) });

test("a plan never writes over or removes what is neither the turn's work nor merged, and restores what was before", () => {
  fc.assert(
    fc.property(place, place, place, (before, after, now) => {
      const texts = {
        ...(before.text !== undefined && { before: bytesOf(before.text).of }),
        ...(after.text !== undefined && { after: bytesOf(after.text).of }),
        ...(now.text !== undefined && { now: bytesOf(now.text).of }),
      } as NonNullable<UndoFile["texts"]>;
      const file: UndoFile = { path: "p", before: before.state, after: after.state, now: now.state, texts };
      const [step, ...more] = planUndo([file]);
      expect(more).toEqual([]);
      if (step === undefined || step.type === "conflict" || step.type === "not-undoable") return;
      const isOurs = sameState(now.state, after.state) || (now.text !== undefined && now.text === after.text);
      const isBefore = now.text !== undefined && now.text === before.text;
      const isFolder = now.state.type === "directory";
      expect(isOurs || isBefore || isFolder || step.type === "merge").toBe(true);
      if ("to" in step && step.type !== "merge") expect({ ...step.to, mode: 0 }).toEqual({ ...before.state, mode: 0 });
    }),
    { numRuns: 2000 },
  );
});

test("whatever stands in a session, its turns can be told, numbered from 1", () => {
  fc.assert(
    fc.property(anyEntries, (entries) => {
      const turns = undoTurns(entries);
      expect(turns.map(({ number }) => number)).toEqual(turns.map((_, index) => index + 1));
      const chosen = turnToUndo(turns);
      if (chosen !== undefined) expect(changedFiles(chosen).length + chosen.problems.length).toBeGreaterThan(0);
    }),
  );
});
