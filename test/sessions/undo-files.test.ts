import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { contextOf } from "../../src/sessions/context.ts";
import { exportMarkdown } from "../../src/sessions/export.ts";
import { readSession } from "../../src/sessions/read-session.ts";
import { applyUndo } from "../../src/sessions/undo/apply-undo.ts";
import { prepareUndo } from "../../src/sessions/undo/prepare-undo.ts";
import { changedFiles } from "../../src/sessions/undo/undo-turns.ts";
import { appendFileTool } from "../../src/tools/append-file.ts";
import { copyFileTool } from "../../src/tools/copy-file.ts";
import { createDirectoryTool } from "../../src/tools/create-directory.ts";
import { deleteDirectoryTool } from "../../src/tools/delete-directory.ts";
import { deleteFileTool } from "../../src/tools/delete-file.ts";
import { editFileTool } from "../../src/tools/edit-file.ts";
import { moveFileTool } from "../../src/tools/move-file.ts";
import { writeFileTool } from "../../src/tools/write-file.ts";
import { said, stored, user } from "../support/session-samples.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";
import { resultInWords, undoWorkspaces } from "../support/undo-workspace.ts";

const directory = temporaryDirectories();
const undoWorkspace = undoWorkspaces();

const TEN = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join("");

describe("undo of what file tools did", () => {
  test("gives every file back as it was before the turn, whatever was done to it and however often", async () => {
    const space = await undoWorkspace(directory());
    space.write("a.txt", "one\n");
    space.write("run.sh", "echo\n");
    chmodSync(join(space.root, "run.sh"), 0o755);
    space.write("old/deep/b.txt", "b\n");
    mkdirSync(join(space.root, "old/empty"));
    symlinkSync("a.txt", join(space.root, "link"));
    chmodSync(join(space.root, "old/deep"), 0o770);
    const before = space.tree();
    await space.turn("work", async ({ use }) => {
      await use(editFileTool, { path: "a.txt", old_string: "one", new_string: "two" });
      await use(editFileTool, { path: "a.txt", old_string: "two", new_string: "three" });
      await use(appendFileTool, { path: "run.sh", content: "more\n" });
      await use(writeFileTool, { path: "new/deep/c.txt", content: "c" });
      await use(createDirectoryTool, { path: "made/by/hand" });
      await use(copyFileTool, { source: "old", destination: "copy" });
      await use(moveFileTool, { source: "run.sh", destination: "bin/run.sh" });
      await use(deleteDirectoryTool, { path: "old" });
      await use(deleteFileTool, { path: "link" });
    });
    expect(space.read("a.txt")).toBe("three\n");
    expect(existsSync(join(space.root, "old"))).toBe(false);
    const results = await space.undo();
    expect(results.filter((line) => /left|conflict|not-undoable/.test(line))).toEqual([]);
    expect(space.tree()).toEqual(before);
  });

  test("is a turn like others: it is undone by its own number, and that again", async () => {
    const space = await undoWorkspace(directory());
    space.write("a.txt", "one\n");
    await space.turn("change", async ({ use }) => {
      await use(editFileTool, { path: "a.txt", old_string: "one", new_string: "two" });
      await use(writeFileTool, { path: "sub/b.txt", content: "b" });
    });
    const after = space.tree();
    const first = await space.undo();
    expect(first).toEqual(["remove sub/b.txt", "remove sub", "restore a.txt"]);
    expect(space.tree()).toEqual({ "a.txt": "644 one\n" });
    expect(await space.undo()).toEqual(["nothing to undo"]);
    expect(await space.undo(2)).toEqual(["recreate sub", "restore a.txt", "recreate sub/b.txt"]);
    expect(space.tree()).toEqual(after);
    expect(await space.undo()).toEqual(first);
    expect(space.turns().map(({ number, title, undoes }) => [number, title, undoes === undefined])).toEqual([
      [1, "change", true],
      [2, "", false],
      [3, "", false],
      [4, "", false],
    ]);
  });

  test("takes back the newest turn that changed something, then the one before", async () => {
    const space = await undoWorkspace(directory());
    space.write("a.txt", "0");
    for (const number of ["1", "2"]) {
      await space.turn(`write ${number}`, ({ use }) => use(appendFileTool, { path: "a.txt", content: number }));
      await space.turn("only talk", async () => undefined);
    }
    expect(await space.undo()).toEqual(["restore a.txt"]);
    expect(space.read("a.txt")).toBe("01");
    expect(await space.undo()).toEqual(["restore a.txt"]);
    expect(space.read("a.txt")).toBe("0");
    expect(await space.undo()).toEqual(["nothing to undo"]);
  });

  test("knows turns apart that begin before the one before them is settled", async () => {
    const space = await undoWorkspace(directory());
    const { recorder, session } = space;
    space.write("a.txt", "0");
    const begin = async (text: string) => recorder.startTurn((await stored(session, said(user(text)))).id);
    await begin("first");
    await recorder.beforeChange(join(space.root, "a.txt"));
    space.write("a.txt", "1");
    const ended = recorder.endTurn();
    await begin("second");
    const announced = recorder.beforeChange(join(space.root, "b.txt"));
    await Promise.all([ended, announced]);
    space.write("b.txt", "2");
    await recorder.endTurn();
    expect(space.turns().map((turn) => changedFiles(turn).map(([path]) => path))).toEqual([["a.txt"], ["b.txt"]]);
    expect(space.turns().map(({ isSettled }) => isSettled)).toEqual([true, true]);
  });

  test("of an older turn keeps what later turns did to other lines", async () => {
    const space = await undoWorkspace(directory());
    space.write("a.txt", TEN);
    await space.turn("first", ({ use }) =>
      use(editFileTool, { path: "a.txt", old_string: "line 2\n", new_string: "TWO\n" }),
    );
    await space.turn("second", ({ use }) =>
      use(editFileTool, { path: "a.txt", old_string: "line 9\n", new_string: "NINE\n" }),
    );
    expect(await space.undo(1)).toEqual(["merge a.txt"]);
    expect(space.read("a.txt")).toBe(TEN.replace("line 9\n", "NINE\n"));
  });
});

describe("what a person changed since", () => {
  test("stays where it is in other lines, also with Windows line ends", async () => {
    const space = await undoWorkspace(directory());
    const text = TEN.replaceAll("\n", "\r\n");
    space.write("a.txt", text);
    await space.turn("edit", ({ use }) =>
      use(editFileTool, { path: "a.txt", old_string: "line 2", new_string: "TWO" }),
    );
    space.write("a.txt", `top\r\n${space.read("a.txt").replace("line 8", "mine")}`);
    expect(await space.undo()).toEqual(["merge a.txt"]);
    expect(space.read("a.txt")).toBe(`top\r\n${text.replace("line 8", "mine")}`);
  });

  test("is left alone in the same lines, and the old content is put beside", async () => {
    const space = await undoWorkspace(directory());
    space.write("a.txt", TEN);
    await space.turn("edit", ({ use }) =>
      use(editFileTool, { path: "a.txt", old_string: "line 2\n", new_string: "TWO\n" }),
    );
    const mine = space.read("a.txt").replace("TWO", "mine");
    space.write("a.txt", mine);
    space.write("a.txt.turn-1.old", "mine too");
    expect(await space.undo()).toEqual([
      "conflict a.txt: the same lines were changed since (old content in a.txt.turn-1-2.old)",
    ]);
    expect(space.tree()).toEqual({
      "a.txt": `644 ${mine}`,
      "a.txt.turn-1-2.old": `644 ${TEN}`,
      "a.txt.turn-1.old": "644 mine too",
    });
  });

  test("keeps a file that the turn made and a folder that other files are in", async () => {
    const space = await undoWorkspace(directory());
    await space.turn("make", async ({ use }) => {
      await use(writeFileTool, { path: "made.txt", content: "by the model" });
      await use(writeFileTool, { path: "dir/x.txt", content: "x" });
    });
    space.write("made.txt", "by a person");
    space.write("dir/own.txt", "own");
    expect(await space.undo()).toEqual([
      "remove dir/x.txt",
      "remove dir, left: other files are in it",
      "conflict made.txt: it was changed since the turn made it",
    ]);
    expect(space.tree()).toEqual({ "dir/": "755", "dir/own.txt": "644 own", "made.txt": "644 by a person" });
  });

  test("is not brought back when it was a removal", async () => {
    const space = await undoWorkspace(directory());
    space.write("a.txt", "one\n");
    await space.turn("edit", ({ use }) => use(editFileTool, { path: "a.txt", old_string: "one", new_string: "two" }));
    unlinkSync(join(space.root, "a.txt"));
    expect(await space.undo()).toEqual(["conflict a.txt: it was removed since (old content in a.txt.turn-1.old)"]);
    expect(space.tree()).toEqual({ "a.txt.turn-1.old": "644 one\n" });
  });

  test("is never lost: the undo itself can be taken back", async () => {
    const space = await undoWorkspace(directory());
    space.write("a.txt", TEN);
    await space.turn("edit", ({ use }) =>
      use(editFileTool, { path: "a.txt", old_string: "line 2\n", new_string: "TWO\n" }),
    );
    const mine = space.read("a.txt").replace("line 8", "mine");
    space.write("a.txt", mine);
    await space.undo();
    expect(await space.undo(2)).toEqual(["restore a.txt"]);
    expect(space.read("a.txt")).toBe(mine);
  });
});

describe("what cannot or must not be undone", () => {
  test("is a file that changes while the undo is under way", async () => {
    const space = await undoWorkspace(directory());
    space.write("a.txt", "one\n");
    space.write("b.txt", "one\n");
    await space.turn("edit", async ({ use }) => {
      for (const path of ["a.txt", "b.txt"]) await use(editFileTool, { path, old_string: "one", new_string: "two" });
    });
    const [turn] = space.turns();
    if (turn === undefined) throw new Error("no turn");
    const prepared = await prepareUndo(turn, space);
    space.write("a.txt", "mine\n");
    const result = await applyUndo(prepared, space);
    expect(result.ok && result.results.map(resultInWords)).toEqual([
      "restore a.txt, left: it was changed just now",
      "restore b.txt",
    ]);
    expect([space.read("a.txt"), space.read("b.txt")]).toEqual(["mine\n", "one\n"]);
  });

  test("is a file of now that would be lost because it cannot be kept", async () => {
    const home = directory();
    const space = await undoWorkspace(home);
    space.write("a.txt", "one\n");
    await space.turn("edit", ({ use }) =>
      use(editFileTool, { path: "a.txt", old_string: "one", new_string: "1234567" }),
    );
    await space.session.close();
    const sessionPath = space.session.path ?? "";
    const again = await undoWorkspace(home, { sessionPath, limits: { fileBytes: 100, turnBytes: 5 } });
    expect(await again.undo()).toEqual(["restore a.txt, left: what is there now is too large to be kept"]);
    expect(space.read("a.txt")).toBe("1234567\n");
  });

  test("is named with its limit when a file is too large to keep", async () => {
    const space = await undoWorkspace(directory(), { limits: { fileBytes: 10, turnBytes: 15 } });
    space.write("big.txt", "12345678901");
    space.write("a.txt", "1234567890");
    space.write("b.txt", "1234567890");
    await space.turn("change", async ({ use }) => {
      for (const path of ["big.txt", "a.txt", "b.txt"]) await use(deleteFileTool, { path });
    });
    expect(await space.undo()).toEqual([
      "not-undoable big.txt: it has 11 bytes, more than the limit of 10 for one file",
      "recreate a.txt",
      "not-undoable b.txt: the files of this turn have more than the limit of 15 bytes",
    ]);
    expect(space.tree()).toEqual({ "a.txt": "644 1234567890" });
  });

  test("is everything outside the workspace", async () => {
    const home = directory();
    const space = await undoWorkspace(home);
    const outside = join(home, "outside.txt");
    await space.turn("write", ({ use }) => use(writeFileTool, { path: outside, content: "x" }));
    expect(await space.undo()).toEqual([`not-undoable ${outside}: it is outside the workspace`]);
    expect(existsSync(outside)).toBe(true);
  });

  test("is what lies behind a link that was swapped in: nothing outside is touched", async () => {
    const home = directory();
    const space = await undoWorkspace(home);
    space.write("dir/a.txt", "one\n");
    await space.turn("edit", ({ use }) =>
      use(editFileTool, { path: "dir/a.txt", old_string: "one", new_string: "two" }),
    );
    const elsewhere = join(home, "elsewhere");
    mkdirSync(elsewhere);
    await Bun.write(join(elsewhere, "a.txt"), "two\n");
    rmSync(join(space.root, "dir"), { recursive: true });
    symlinkSync(elsewhere, join(space.root, "dir"));
    expect(await space.undo()).toEqual(["not-undoable dir/a.txt: dir is a link, so it leads elsewhere"]);
    expect(await Bun.file(join(elsewhere, "a.txt")).text()).toBe("two\n");
  });

  test("is a file that became a link: the link and its target stay", async () => {
    const home = directory();
    const space = await undoWorkspace(home);
    space.write("a.txt", "one\n");
    await space.turn("edit", ({ use }) => use(editFileTool, { path: "a.txt", old_string: "one", new_string: "two" }));
    await Bun.write(join(home, "target"), "target");
    unlinkSync(join(space.root, "a.txt"));
    symlinkSync(join(home, "target"), join(space.root, "a.txt"));
    expect(await space.undo()).toEqual([
      "conflict a.txt: something else was put in its place since (old content in a.txt.turn-1.old)",
    ]);
    expect(await Bun.file(join(home, "target")).text()).toBe("target");
    expect(space.tree()["a.txt"]).toBe(`-> ${join(home, "target")}`);
  });

  test("is a path the session file was made to name outside the workspace", async () => {
    const home = directory();
    const space = await undoWorkspace(home);
    await Bun.write(join(home, "victim"), "victim");
    await space.turn("nothing", async () => undefined);
    const [turn] = space.turns();
    const turnId = turn?.id ?? "";
    const hash = "0".repeat(64);
    const state = { type: "file" as const, hash, size: 6, mode: 0o644, isKept: true };
    await space.session.append({
      type: "files-before",
      turnId,
      files: [{ path: "../victim", state: { type: "missing" } }],
    });
    await space.session.append({ type: "files-after", turnId, files: [{ path: "../victim", state }], isSettled: true });
    expect(await space.undo()).toEqual(["not-undoable ../victim: it is outside the workspace"]);
    expect(await Bun.file(join(home, "victim")).text()).toBe("victim");
  });
});

describe("a change", () => {
  test("is not made when what is needed to undo it cannot be stored", async () => {
    const space = await undoWorkspace(directory());
    space.write("a.txt", "one\n");
    await Bun.write(space.blobs, "a file where the folder of blobs should be");
    await space.turn("edit", async ({ use }) => {
      expect(await use(editFileTool, { path: "a.txt", old_string: "one", new_string: "two" })).toContain(space.blobs);
      expect(await use(deleteFileTool, { path: "a.txt" })).toContain(space.blobs);
    });
    expect(space.tree()).toEqual({ "a.txt": "644 one\n" });
  });

  test("is not made when the session cannot be written", async () => {
    const space = await undoWorkspace(directory());
    space.write("a.txt", "one\n");
    await space.turn("edit", async ({ use, shell }) => {
      await space.session.close();
      const path = space.session.path ?? "";
      expect(await use(editFileTool, { path: "a.txt", old_string: "one", new_string: "two" })).toBe(
        `${path} is closed.`,
      );
      expect(await shell("rm a.txt")).toBe(`${path} is closed.`);
    });
    expect(space.tree()).toEqual({ "a.txt": "644 one\n" });
  });

  test("leaves entries that mean nothing to a model, an export or a reader", async () => {
    const space = await undoWorkspace(directory());
    space.write("a.txt", "secret words\n".repeat(5000));
    await space.turn("change", ({ use }) => use(deleteFileTool, { path: "a.txt" }));
    await space.undo();
    await space.session.close();
    const read = await readSession(space.session.path ?? "", space.blobs);
    if (!read.ok) throw new Error(read.message);
    const entries = [...read.entries];
    expect(read.problems).toEqual([]);
    expect(entries.map(({ type }) => type)).toEqual([
      "message",
      "files-before",
      "files-after",
      "files-after",
      "undo-started",
      "files-before",
      "files-after",
      "undo-ended",
    ]);
    expect(contextOf(entries)).toEqual({
      messages: [{ role: "user", content: [{ type: "text", text: "change" }] }],
      interrupted: [],
    });
    expect(exportMarkdown({ header: read.header, entries })).not.toContain("secret");
  });
});
