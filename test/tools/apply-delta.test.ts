import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { applyDeltaTool } from "../../src/tools/apply-delta.ts";
import { contentHash } from "../../src/tools/content-hash.ts";
import { readFileTool } from "../../src/tools/read-file.ts";
import { fileSession } from "../support/file-tools.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();

function open(text: string) {
  const session = fileSession(directory());
  session.write("a.txt", text);
  const delta = (...operations: object[]) =>
    session.say(applyDeltaTool, { path: "a.txt", operations, create_backup: false });
  return { ...session, delta };
}

describe("apply_delta", () => {
  test("applies operations that all count from the file as it is, and keeps a backup", async () => {
    const text = "1\n2\n3\n4\n";
    const { call, read, root } = open(text);
    const { details } = await call(applyDeltaTool, {
      path: "a.txt",
      operations: [
        { type: "insert", start_line: 1, content: ["0", "0.5"] },
        { type: "delete", start_line: 2, end_line: 3, expected: ["2", "3"] },
        { type: "replace", start_line: 4, end_line: 4, content: ["four"] },
        { type: "insert", start_line: 5, content: ["five"] },
      ],
    });
    const backup = `a.txt.20231114T221320Z-${contentHash(Buffer.from(text)).slice(0, 8)}.bak`;
    expect(details).toEqual({
      path: join(root, "a.txt"),
      operations_applied: 4,
      new_line_count: 5,
      hash: contentHash(Buffer.from("0\n0.5\n1\nfour\nfive\n")),
      backup_path: join(root, backup),
      diff: "@@ -1,4 +1,5 @@\n+0\n+0.5\n 1\n-2\n-3\n-4\n+four\n+five",
    });
    expect(read("a.txt")).toBe("0\n0.5\n1\nfour\nfive\n");
    expect(read(backup)).toBe(text);
  });

  test("changes nothing when one expectation fails, and shows up to five lines of both", async () => {
    const { delta, read, root } = open("a\nb\nc\nd\ne\nf\n");
    expect(
      await delta(
        { type: "delete", start_line: 1 },
        { type: "delete", start_line: 1, end_line: 6, expected: ["a", "b", "x", "d", "e", "f"] },
      ),
    ).toBe(
      "failed: Operation 2: the lines from 1 on are not the expected ones.\nExpected:\n  a\n  b\n  x\n  d\n  e\nActual:\n  a\n  b\n  c\n  d\n  e\nNothing was changed.",
    );
    expect(read("a.txt")).toBe("a\nb\nc\nd\ne\nf\n");
    expect(readdirSync(root)).toEqual(["a.txt"]);
  });

  test("refuses lines past the end, missing content and overlaps", async () => {
    const { delta } = open("a\nb\n");
    expect(
      await delta(
        { type: "insert", start_line: 4, content: [] },
        { type: "replace", start_line: 2, end_line: 3, content: [] },
        { type: "replace", start_line: 1 },
        { type: "delete", start_line: 2, end_line: 1 },
      ),
    ).toBe(
      "failed: Operation 1: line 4 is past the end: the file has 2 lines\nOperation 2: line 3 is past the end: the file has 2 lines\nOperation 3: replace needs content, a list of lines\nOperation 4: end_line 1 is before start_line 2\nNothing was changed.",
    );
    expect(await delta({ type: "delete", start_line: 1, end_line: 2 }, { type: "delete", start_line: 2 })).toBe(
      "failed: Operations 1 and 2 overlap. Make one of them.",
    );
    expect(await delta()).toContain("operations is empty");
  });

  test("refuses line numbers of a file that changed since it was read", async () => {
    const { delta, say, write } = open("a\nb\n");
    await say(readFileTool, { path: "a.txt" });
    write("a.txt", "new\na\nb\n");
    expect(await delta({ type: "delete", start_line: 1 })).toBe(
      "failed: a.txt has changed since you read it. Read it again and use the new line numbers.",
    );
  });

  test("works on empty files and can empty one", async () => {
    const { delta, read } = open("");
    await delta({ type: "insert", start_line: 1, content: ["a"] });
    expect(read("a.txt")).toBe("a\n");
    await delta({ type: "delete", start_line: 1 });
    expect(read("a.txt")).toBe("");
  });
});
