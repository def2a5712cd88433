import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, truncateSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { contentHash } from "../../src/tools/content-hash.ts";
import { anchoredLine, markOf } from "../../src/tools/line-anchors.ts";
import { readFileTool } from "../../src/tools/read-file.ts";
import { fileSession } from "../support/file-tools.ts";
import { plain } from "../support/pictures.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const open = () => fileSession(directory());

describe("read_file shows", () => {
  test("lines with their anchors, and remembers what it saw", async () => {
    const { call, write, world } = open();
    const path = write("a.txt", "\uFEFFone\r\ntwo\r\n");
    const hash = contentHash(Buffer.from("\uFEFFone\r\ntwo\r\n"));
    expect(await call(readFileTool, { file_path: "a.txt" })).toEqual({
      content: [{ type: "text", text: `1:${markOf("one")}|one\n2:${markOf("two")}|two` }],
      details: { path, total_lines: 2, range: [1, 2], hash, truncated: false },
    });
    expect(world.seen.hashOf(path)).toBe(hash);
  });

  test("a part, and says of how much", async () => {
    const { say, write } = open();
    write("a.txt", "a\nb\nc\nd\n");
    expect(await say(readFileTool, { path: "a.txt", start_line: 2, end_line: 3 })).toBe(
      `2:${markOf("b")}|b\n3:${markOf("c")}|c\n(lines 2-3 of 4)`,
    );
    expect(await say(readFileTool, { path: "a.txt", start_line: "4", end_line: 99 })).toBe(
      `4:${markOf("d")}|d\n(lines 4-4 of 4)`,
    );
    expect(await say(readFileTool, { path: "a.txt", start_line: 5 })).toBe(
      "failed: a.txt has 4 lines; start_line 5 is past its end.",
    );
    expect(await say(readFileTool, { path: "a.txt", start_line: 3, end_line: 2 })).toBe(
      "failed: end_line 2 is before start_line 3.",
    );
  });

  test("that a file is empty", async () => {
    const { say, write } = open();
    write("a.txt", "");
    expect(await say(readFileTool, { path: "a.txt" })).toBe("(empty file)");
  });

  test("head and tail of a long file, and how to read on", async () => {
    const { call, write } = open();
    const lines = Array.from({ length: 20_000 }, (_, index) => `this is line number ${index + 1}`);
    write("long.txt", lines.join("\n"));
    const output = await call(readFileTool, { path: "long.txt" });
    const part = output.content[0];
    const shown = part?.type === "text" ? part.text.split("\n") : [];
    const gap = shown.findIndex((line) => line.startsWith("[…"));
    const [, from, to, next] =
      /^\[… lines (\d+)-(\d+) left out; read on with start_line (\d+) …\]$/.exec(shown[gap] ?? "") ?? [];
    const show = (first: number, last: number) =>
      lines.slice(first - 1, last).map((line, index) => anchoredLine(first + index, line));
    expect(shown).toEqual([...show(1, Number(from) - 1), shown[gap] ?? "", ...show(Number(to) + 1, 20_000)]);
    expect(next).toBe(from);
    expect(shown.join("\n").length).toBeLessThan(256_200);
    expect(shown.join("\n").length).toBeGreaterThan(250_000);
  });

  test("a file between the halves of the bound whole", async () => {
    const { call, write } = open();
    write("long.txt", `${"x".repeat(990)}\n`.repeat(200));
    const output = await call(readFileTool, { path: "long.txt" });
    expect(output.details).toMatchObject({ total_lines: 200, truncated: false });
  });

  test("a very long line cut in its middle", async () => {
    const { say, write } = open();
    write("min.js", "x".repeat(1_000_000));
    const shown = await say(readFileTool, { path: "min.js" });
    expect(shown).toContain("characters left out …]");
    expect(shown.length).toBeLessThan(17_000);
  });

  test("pictures by their first bytes, as parts the model can look at", async () => {
    const { call, write } = open();
    const path = write("picture.txt", plain(4, 3));
    expect(await call(readFileTool, { path: "picture.txt" })).toMatchObject({
      content: [
        { type: "text", text: expect.stringMatching(/^picture\.txt \(PNG 4×3, .*; sent as PNG 4×3, .*\)$/) },
        { type: "image", mediaType: "image/png" },
      ],
      details: { path, media_type: "image/png" },
    });
    for (const start of ["\xff\xd8\xff\xe0", "GIF89a", "RIFF\0\0\0\0WEBP"]) {
      write("file", Buffer.from(start, "latin1"));
      expect(await call(readFileTool, { path: "file" })).toMatchObject({
        content: [{ type: "text", text: expect.stringMatching(/^file cannot be shown: it /) }],
        isError: true,
      });
    }
  });

  test("PDFs as they are", async () => {
    const { call, write } = open();
    const pdf = Buffer.from("%PDF-1.7\n\0");
    const path = write("page", pdf);
    expect(await call(readFileTool, { path: "page" })).toEqual({
      content: [
        { type: "text", text: "page (application/pdf, 10 bytes)" },
        { type: "image", mediaType: "application/pdf", data: pdf.toString("base64") },
      ],
      details: { path, media_type: "application/pdf", bytes: 10 },
    });
  });

  test("text that is not UTF-8 as far as it goes", async () => {
    const { say, write } = open();
    write("latin.txt", Buffer.from("caf\xe9\n", "latin1"));
    expect(await say(readFileTool, { path: "latin.txt" })).toContain("(not valid UTF-8");
  });
});

describe("read_file refuses", () => {
  test("what is missing, with names that look alike", async () => {
    const { say, write, root } = open();
    write("src/reader.ts", "");
    write("src/other.ts", "");
    expect(await say(readFileTool, { path: "src/raeder.ts" })).toBe(
      `failed: src/raeder.ts does not exist. Similar names there: ${root}/src/reader.ts.`,
    );
    expect(await say(readFileTool, { path: "no/where.ts" })).toBe(
      `failed: no/where.ts does not exist. The directory ${root}/no does not exist either.`,
    );
    expect(await say(readFileTool, { path: "src" })).toBe("failed: src is a directory. Use list_dir.");
  });

  test("binaries, pictures and files above their bounds, the last without reading them", async () => {
    const { say, write } = open();
    write("a.bin", new Uint8Array([1, 0, 2]));
    expect(await say(readFileTool, { path: "a.bin" })).toBe(
      "failed: a.bin is a binary file of 3 bytes. Inspect it with a shell command.",
    );
    const big = write("big.png", Buffer.from("\x89PNG\r\n\x1a\n", "latin1"));
    truncateSync(big, 20_000_001);
    expect(await say(readFileTool, { path: "big.png" })).toContain("it has 20000001 bytes, more than 20000000");
    truncateSync(write("big.pdf", "%PDF-"), 20_000_001);
    expect(await say(readFileTool, { path: "big.pdf" })).toContain("more than the limit of 20000000 for PDFs");
    truncateSync(big, 5_000_000_000);
    expect(await say(readFileTool, { path: "big.png" })).toContain(
      "has 5000000000 bytes, more than the limit of 50000000",
    );
  });

  test("a pipe at once, and one that takes the place of a file after it was asked for", async () => {
    const { say, write, root, world } = open();
    execFileSync("mkfifo", [join(root, "pipe")]);
    expect(await say(readFileTool, { path: "pipe" })).toContain("failed: pipe is a pipe");
    const path = write("file", "x");
    const prepared = readFileTool(world).prepare({ path: "file" });
    unlinkSync(path);
    execFileSync("mkfifo", [path]);
    if ("message" in prepared) throw new Error(prepared.message);
    const call = { type: "tool-call" as const, id: "1", name: "read_file", input: {} };
    const output = await prepared.run({ call, signal: new AbortController().signal, update: () => undefined });
    expect(output.isError).toBe(true);
  });

  test("a path that leads elsewhere than when it was asked for", async () => {
    const { write, root, world } = open();
    write("dir/file", "inside");
    mkdirSync(join(root, "../outside"));
    const prepared = readFileTool(world).prepare({ path: "dir/file" });
    rmSync(join(root, "dir"), { recursive: true });
    symlinkSync("/etc", join(root, "dir"));
    if ("message" in prepared) throw new Error(prepared.message);
    const call = { type: "tool-call" as const, id: "1", name: "read_file", input: {} };
    expect(await prepared.run({ call, signal: new AbortController().signal, update: () => undefined })).toEqual({
      content: [{ type: "text", text: "/etc/file leads somewhere else than a moment ago. Try again." }],
      isError: true,
    });
  });
});

test("read_file asks for the place a path leads to", () => {
  const { write, root, world } = open();
  write("a.txt", "");
  symlinkSync("a.txt", join(root, "alias"));
  const prepared = readFileTool(world).prepare({ path: "alias" });
  expect("asks" in prepared && prepared.asks).toEqual([
    { category: "file_read", resources: [join(root, "a.txt")], summary: "Read a.txt" },
  ]);
});
