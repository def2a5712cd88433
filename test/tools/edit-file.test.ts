import { describe, expect, test } from "bun:test";
import { chmodSync, readdirSync, readlinkSync, statSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { contentHash } from "../../src/tools/content-hash.ts";
import { editFileTool } from "../../src/tools/edit-file.ts";
import { markOf } from "../../src/tools/line-anchors.ts";
import { readFileTool } from "../../src/tools/read-file.ts";
import { fileSession } from "../support/file-tools.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const open = () => fileSession(directory());
const anchor = (line: number, text: string) => `${line}:${markOf(text)}`;

describe("edit_file with a string", () => {
  test("replaces the one match and shows the change with fresh anchors", async () => {
    const { call, write, read, announced } = open();
    const path = write("a.ts", "one\ntwo\nthree\n");
    expect(await call(editFileTool, { path: "a.ts", old_string: "two", new_string: "2" })).toEqual({
      content: [
        {
          type: "text",
          text: `Changed a.ts:\n@@ -1,3 +1,3 @@\n ${anchor(1, "one")}|one\n-2|two\n+${anchor(2, "2")}|2\n ${anchor(3, "three")}|three`,
        },
      ],
      details: {
        path,
        replacements: 1,
        hash: contentHash(Buffer.from("one\n2\nthree\n")),
        diff: "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three",
      },
    });
    expect(read("a.ts")).toBe("one\n2\nthree\n");
    expect(announced).toEqual([path]);
  });

  test("keeps mark, line ends, missing final newline and mode", async () => {
    const { say, write, read } = open();
    const path = write("a.txt", "\uFEFFone\r\ntwo\r\nthree");
    chmodSync(path, 0o755);
    await say(editFileTool, { path: "a.txt", old_string: "one\ntwo", new_string: "1\nand\n2" });
    expect(read("a.txt")).toBe("\uFEFF1\r\nand\r\n2\r\nthree");
    expect(statSync(path).mode & 0o777).toBe(0o755);
  });

  test("replaces all where that is asked for, and takes $ as it is", async () => {
    const { say, write, read } = open();
    write("a.txt", "x y x");
    await say(editFileTool, { path: "a.txt", old_string: "x", new_string: "$&", replace_all: true });
    expect(read("a.txt")).toBe("$& y $&");
  });

  test("refuses what is ambiguous, empty, the same, not there, or half", async () => {
    const { say, write, read } = open();
    const text = "const a = 1;\nfoo(a);\nfoo(a);\n";
    write("a.ts", text);
    const edit = (input: object) => say(editFileTool, { path: "a.ts", ...input });
    expect(await edit({ old_string: "foo(a)", new_string: "b" })).toBe(
      "failed: old_string is found 2 times, at lines 2, 3. Add lines around it until it is unique, or set replace_all.",
    );
    expect(await edit({ old_string: "", new_string: "b" })).toContain("failed: old_string is empty.");
    expect(await edit({ old_string: "foo", new_string: "foo" })).toContain("are the same");
    expect(await edit({ old_string: "const  a = 1", new_string: "b" })).toBe(
      `failed: old_string is not in the file. It must match exactly, with all spaces and without the LINE:hh| prefix. Nearest lines:\n${anchor(1, "const a = 1;")}|const a = 1;`,
    );
    expect(await edit({ old_string: "foo" })).toBe("failed: Give old_string and new_string, or edits with anchors.");
    expect(await edit({ old_string: "const", new_string: "[… 12 lines left out …]" })).toBe(
      `failed: "[… 12 lines left out …]" stands for text that was left out; it is not in a.ts. Give the real text.`,
    );
    expect(await edit({ old_string: "const", new_string: "// ... existing code ..." })).toContain("left out");
    expect(read("a.ts")).toBe(text);
  });

  test("lets signs for left-out text through where the file has them", async () => {
    const { say, write, read } = open();
    write("a.md", "[… 12 lines left out …] x");
    await say(editFileTool, {
      path: "a.md",
      old_string: "[… 12 lines left out …] x",
      new_string: "[… 12 lines left out …] y",
    });
    expect(read("a.md")).toBe("[… 12 lines left out …] y");
  });

  test("puts any text in the place of any unique one", async () => {
    const { say, write, read } = open();
    const words = fc
      .array(fc.constantFrom("a", "b", "\n", "\r\n", "$1"), { maxLength: 6 })
      .map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(words, words, words, async (head, tail, given) => {
        const [before, after] = [head.replaceAll("\r\n", "\n"), tail.replaceAll("\r\n", "\n")];
        const replacement = given.replaceAll("\r\n", "\n");
        write("f", `${before}UNIQUE${after}`);
        await say(editFileTool, { path: "f", old_string: "UNIQUE", new_string: given });
        expect(read("f")).toBe(before + replacement + after);
      }),
      { numRuns: 30 },
    );
  });
});

describe("edit_file with anchors", () => {
  test("does all edits against the lines as they were shown", async () => {
    const { call, write, read } = open();
    write("a.txt", "one\ntwo\nthree\nfour");
    const output = await call(editFileTool, {
      path: "a.txt",
      edits: [
        { anchor: anchor(4, "four"), action: "insert_after", content: "five\nsix\n" },
        { anchor: `${anchor(1, "one")}|one`, action: "insert_before", content: "zero" },
        { anchor: anchor(2, "two"), end_anchor: anchor(3, "three"), action: "replace", content: "2\n3" },
        { anchor: anchor(1, "one"), action: "delete" },
      ],
    });
    expect(output.details).toMatchObject({ edits_applied: 4 });
    expect(read("a.txt")).toBe("zero\n2\n3\nfour\nfive\nsix");
  });

  test("does nothing when one of them is stale, wrong or in the way of another", async () => {
    const { say, write, read } = open();
    write("a.txt", "one\ntwo\n");
    const edit = (...edits: object[]) => say(editFileTool, { path: "a.txt", edits });
    const good = { anchor: anchor(1, "one"), action: "delete" };
    expect(await edit(good, { anchor: anchor(2, "three"), action: "delete" }, { anchor: "x", action: "delete" })).toBe(
      `failed: Edit 2: anchor ${anchor(2, "three")} is stale; these lines stand there now:\n${anchor(1, "one")}|one\n${anchor(2, "two")}|two\nEdit 3: "x" is no anchor; it has the form LINE:hh as read_file shows it\nNothing was changed.`,
    );
    expect(await edit(good, { ...good, action: "replace", content: "x" })).toBe(
      "failed: Edits 1 and 2 overlap. Make one edit of them.",
    );
    expect(await edit({ anchor: anchor(1, "one"), action: "replace" })).toContain("replace needs content");
    expect(await edit()).toContain("edits is empty");
    expect(await say(editFileTool, { path: "a.txt", old_string: "one", new_string: "1", edits: [good] })).toContain(
      "not both",
    );
    expect(read("a.txt")).toBe("one\ntwo\n");
  });
});

describe("edit_file writes nothing", () => {
  const edit = { path: "a.txt", old_string: "one", new_string: "1" };

  test("when somebody changes the file in the meantime", async () => {
    const session = fileSession(directory(), (path) => writeFileSync(path, "one, by somebody else"));
    session.write("a.txt", "one");
    expect(await session.say(editFileTool, edit)).toBe(
      `failed: ${session.root}/a.txt has changed while the change was made, so nothing was written. Read it again and repeat the change.`,
    );
    expect(session.read("a.txt")).toBe("one, by somebody else");
    expect(readdirSync(session.root)).toEqual(["a.txt"]);
  });

  test("when a link takes the place of the file in the meantime", async () => {
    const base = directory();
    const secret = join(base, "secret");
    writeFileSync(secret, "one");
    const session = fileSession(base, (path) => {
      unlinkSync(path);
      symlinkSync(secret, path);
    });
    session.write("a.txt", "one");
    expect(await session.say(editFileTool, edit)).toContain("failed:");
    expect(session.read("../secret")).toBe("one");
  });

  test("to read-only files, directories, and what is not text", async () => {
    const { say, write, read } = open();
    chmodSync(write("a.txt", "one"), 0o444);
    expect(await say(editFileTool, edit)).toContain("is read-only. Ask before you change its permissions.");
    expect(read("a.txt")).toBe("one");
    write("dir/b", "");
    expect(await say(editFileTool, { ...edit, path: "dir" })).toBe("failed: dir is a directory. Edits work on files.");
    write("c", Buffer.from("caf\xe9 one", "latin1"));
    expect(await say(editFileTool, { ...edit, path: "c" })).toContain("is not UTF-8 text");
    expect(await say(editFileTool, { ...edit, path: "none" })).toContain("none does not exist.");
  });
});

test("an edit of a file that was read keeps it known, one of a stale reading does not", async () => {
  const { say, write, world } = open();
  const path = write("a.txt", "one");
  await say(readFileTool, { path: "a.txt" });
  await say(editFileTool, { path: "a.txt", old_string: "one", new_string: "1" });
  expect(world.seen.hashOf(path)).toBe(contentHash(Buffer.from("1")));
  write("a.txt", "two");
  await say(editFileTool, { path: "a.txt", old_string: "two", new_string: "2" });
  expect(world.seen.hashOf(path)).toBe(contentHash(Buffer.from("1")));
});

test("an edit through a link changes what it leads to, and asks to read and write that", async () => {
  const { say, write, read, root, world } = open();
  write("a.txt", "one");
  symlinkSync("a.txt", join(root, "alias"));
  const input = { path: "alias", old_string: "one", new_string: "1" };
  const prepared = editFileTool(world).prepare(input);
  const resources = [join(root, "a.txt")];
  expect("asks" in prepared && prepared.asks).toEqual([
    { category: "file_read", resources, summary: "Edit a.txt" },
    { category: "file_write", resources, summary: "Edit a.txt" },
  ]);
  await say(editFileTool, input);
  expect(read("a.txt")).toBe("1");
  expect(readlinkSync(join(root, "alias"))).toBe("a.txt");
});
