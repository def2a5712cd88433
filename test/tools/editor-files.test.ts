import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { EditorFiles, EditorText } from "../../src/protocol/editor-files.ts";
import { appendFileTool } from "../../src/tools/append-file.ts";
import { editFileTool } from "../../src/tools/edit-file.ts";
import { readFileTool } from "../../src/tools/read-file.ts";
import { writeFileTool } from "../../src/tools/write-file.ts";
import { fileSession } from "../support/file-tools.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

// An editor beside the model: its buffers are plain texts, and it saves with the line ends the file had.

interface Editor extends EditorFiles {
  buffers: Map<string, string>;
  calls: string[];
  /** Runs before the answer to a read is given. */
  onRead?: () => void;
}

function createEditor(): Editor & Required<EditorFiles> {
  const buffers = new Map<string, string>();
  const editor: Editor & Required<EditorFiles> = {
    buffers,
    calls: [],
    async read(path): Promise<EditorText> {
      editor.calls.push("read");
      editor.onRead?.();
      const text = buffers.get(path);
      return text === undefined ? { type: "not-held" } : { type: "text", text };
    },
    async write(path, text) {
      editor.calls.push("write");
      const before = bytesOf(path);
      buffers.set(path, text);
      const mark = before.startsWith("\uFEFF") ? "\uFEFF" : "";
      const hasReturns = before.includes("\r\n") && !text.includes("\r\n");
      writeFileSync(path, mark + (hasReturns ? text.replaceAll("\n", "\r\n") : text));
      return { type: "written" };
    },
  };
  return editor;
}

function bytesOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

const newDirectory = temporaryDirectories();

function session(onChange?: (path: string) => void) {
  const files = fileSession(newDirectory(), onChange);
  const editor = createEditor();
  files.world.editor = editor;
  return { ...files, editor, place: (name: string) => join(files.root, name) };
}

const EDIT = { path: "a.txt", old_string: "two", new_string: "2" };

describe("a file that an editor holds", () => {
  test("reads as it stands there, saved or not", async () => {
    const files = session();
    files.write("a.txt", "one\r\n");
    files.editor.buffers.set(files.place("a.txt"), "one\ntwo\n");
    expect(await files.say(readFileTool, { path: "a.txt" })).toMatch(/^1:\w+\|one\n2:\w+\|two$/);
    files.write("b.txt", "on the disk\n");
    expect(await files.say(readFileTool, { path: "b.txt" })).toContain("on the disk");
    expect(files.editor.calls).toEqual(["read", "read"]);
  });

  test("is saved as the person typed it before it is changed, so that this is what an undo brings back", async () => {
    const kept: string[] = [];
    const files = session((path) => kept.push(bytesOf(path)));
    files.write("a.txt", "one\r\n");
    files.editor.buffers.set(files.place("a.txt"), "one\ntwo\n");
    expect(await files.say(editFileTool, EDIT)).toStartWith("Changed a.txt:");
    expect({ kept, disk: files.read("a.txt"), buffer: files.editor.buffers.get(files.place("a.txt")) }).toEqual({
      kept: ["one\r\ntwo\r\n"],
      disk: "one\r\n2\r\n",
      buffer: "one\n2\n",
    });
  });

  test("is known to the model after its own change, so that it can go on without reading it again", async () => {
    const files = session();
    files.write("a.txt", "one\n");
    files.editor.buffers.set(files.place("a.txt"), "one\ntwo\n");
    await files.call(readFileTool, { path: "a.txt" });
    await files.call(editFileTool, EDIT);
    expect(await files.say(writeFileTool, { path: "a.txt", content: "all new\n" })).toStartWith("Changed a.txt:");
    expect(await files.say(appendFileTool, { path: "a.txt", content: "more\n" })).toStartWith("Appended");
    expect([files.read("a.txt"), files.editor.buffers.get(files.place("a.txt"))]).toEqual([
      "all new\nmore\n",
      "all new\nmore\n",
    ]);
  });

  test("is not written over when somebody types in it meanwhile", async () => {
    const files = session();
    const path = files.place("a.txt");
    files.write("a.txt", "one\ntwo\n");
    files.editor.buffers.set(path, "one\ntwo\n");
    let reads = 0;
    files.editor.onRead = () => {
      reads += 1;
      if (reads === 2) files.editor.buffers.set(path, "one\ntwo\nthree\n");
    };
    expect(await files.say(editFileTool, EDIT)).toBe(
      `failed: ${path} was changed in the editor while the change was made, so nothing was written. Read it again and repeat the change.`,
    );
    expect([files.read("a.txt"), files.editor.buffers.get(path)]).toEqual(["one\ntwo\n", "one\ntwo\nthree\n"]);
  });

  test("with unsaved changes is left alone where the editor does not save", async () => {
    const files = session();
    const path = files.place("a.txt");
    files.write("a.txt", "one\n");
    files.editor.buffers.set(path, "one\ntwo\n");
    const { read } = files.editor;
    for (const write of [
      undefined,
      async () => ({ type: "not-held" }) as const,
      async () => ({ type: "written" }) as const,
    ]) {
      files.world.editor = { read, ...(write && { write }) };
      expect(await files.say(editFileTool, EDIT)).toBe(
        `failed: ${path} has changes in the editor that are not saved and could not be saved from here. Have it saved, then repeat the change.`,
      );
    }
    expect([files.read("a.txt"), files.announced]).toEqual(["one\n", []]);
  });

  test("that holds something else after it was written is reported, so that nobody goes on from a wrong belief", async () => {
    const files = session();
    const path = files.place("a.txt");
    files.write("a.txt", "one\ntwo\n");
    files.editor.buffers.set(path, "one\ntwo\n");
    const { read, write } = files.editor;
    files.world.editor = { read, write: (at, text) => write(at, text.toUpperCase()) };
    expect(await files.say(editFileTool, { ...EDIT, new_string: "three" })).toBe(
      `failed: ${path} could not be changed in the editor: afterwards it held something else. Read it again before anything else.`,
    );
  });

  test("cannot be read while the editor does not answer, because what it holds is not known", async () => {
    const files = session();
    files.write("a.txt", "one\n");
    const silent = async () => ({ type: "failed", message: "the editor did not answer" }) as const;
    files.world.editor = { read: silent };
    expect(await files.say(readFileTool, { path: "a.txt" })).toBe(
      `failed: ${files.place("a.txt")} could not be read: the editor did not answer`,
    );
  });

  test("that holds no text is not asked about, and what the editor does not hold is written on the disk", async () => {
    const files = session();
    files.write("picture.png", new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0]));
    await files.call(readFileTool, { path: "picture.png" });
    expect(files.editor.calls).toEqual([]);
    files.write("a.txt", "one\ntwo\n");
    expect(await files.say(editFileTool, EDIT)).toStartWith("Changed a.txt:");
    expect([files.read("a.txt"), files.editor.calls]).toEqual(["one\n2\n", ["read"]]);
  });

  test("that is new is made by the editor, and on the disk where that refuses", async () => {
    const files = session();
    expect(await files.say(writeFileTool, { path: "new/a.txt", content: "one\n" })).toStartWith("Created new/a.txt");
    expect(files.editor.buffers.get(files.place("new/a.txt"))).toBe("one\n");
    files.world.editor = { write: async () => ({ type: "not-held" }) };
    expect(await files.say(writeFileTool, { path: "b.txt", content: "two\n" })).toStartWith("Created b.txt");
    expect([files.read("new/a.txt"), files.read("b.txt")]).toEqual(["one\n", "two\n"]);
  });

  test("keeps its mark and its line ends, whatever is in it", async () => {
    const line = fc.stringMatching(/^[a-z]{0,6}$/);
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 6 }),
        fc.boolean(),
        fc.boolean(),
        async (lines, isMarked, hasReturns) => {
          const files = session();
          const path = files.place("a.txt");
          const newline = hasReturns ? "\r\n" : "\n";
          const mark = isMarked ? "\uFEFF" : "";
          const whole = (last: string) => `${mark}${[...lines, "end", last].join(newline)}${newline}`;
          files.write("a.txt", whole("saved"));
          files.editor.buffers.set(path, `${[...lines, "end", "TYPED"].join("\n")}\n`);
          await files.call(editFileTool, { path: "a.txt", old_string: "TYPED", new_string: "CHANGED" });
          expect(files.read("a.txt")).toBe(whole("CHANGED"));
        },
      ),
      { numRuns: 25 },
    );
  });
});
