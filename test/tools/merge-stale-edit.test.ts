import { describe, expect, test } from "bun:test";
import { editFileTool } from "../../src/tools/edit-file.ts";
import { anchoredLine } from "../../src/tools/line-anchors.ts";
import { moveFileTool } from "../../src/tools/move-file.ts";
import { readFileTool } from "../../src/tools/read-file.ts";
import { createSeenFiles } from "../../src/tools/tool-world.ts";
import { writeFileTool } from "../../src/tools/write-file.ts";
import { fileSession } from "../support/file-tools.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();
const open = () => fileSession(directory());

const TEXT = "one\ntwo\nthree\nfour\nfive\nsix\n";
const anchor = (line: number, text: string) => anchoredLine(line, text).split("|")[0];
const replaceFive = { edits: [{ anchor: anchor(5, "five"), action: "replace", content: "FIVE" }] };

describe("an edit whose anchors are stale", () => {
  test("is merged with what others did to other lines since the model read the file", async () => {
    const { say, write, read } = open();
    write("a.txt", TEXT);
    await say(readFileTool, { path: "a.txt" });
    write("a.txt", `zero\n${TEXT.replace("two", "2")}`);
    const shown = [
      "The file was changed since you read it. Your edit fits what you read and was merged with that.",
      "Changed a.txt:",
      "@@ -4,4 +4,4 @@",
      ` ${anchoredLine(4, "three")}`,
      ` ${anchoredLine(5, "four")}`,
      "-6|five",
      `+${anchoredLine(6, "FIVE")}`,
      ` ${anchoredLine(7, "six")}`,
    ];
    expect(await say(editFileTool, { path: "a.txt", ...replaceFive })).toBe(shown.join("\n"));
    expect(read("a.txt")).toBe(`zero\n${TEXT.replace("two", "2").replace("five", "FIVE")}`);
  });

  test("is merged with the model's own earlier edits, also after the file was moved", async () => {
    const { say, write, read } = open();
    write("a.txt", TEXT.replaceAll("\n", "\r\n"));
    await say(readFileTool, { path: "a.txt" });
    const insert = { edits: [{ anchor: anchor(1, "one"), action: "insert_before", content: "zero" }] };
    await say(editFileTool, { path: "a.txt", ...insert });
    await say(moveFileTool, { source: "a.txt", destination: "b.txt" });
    await say(editFileTool, { path: "b.txt", ...replaceFive });
    expect(read("b.txt")).toBe(`zero\n${TEXT.replace("five", "FIVE")}`.replaceAll("\n", "\r\n"));
  });

  test("is refused as before when the same lines changed, nothing was read, or the anchor never fitted", async () => {
    const { say, write, read } = open();
    write("a.txt", TEXT);
    expect(
      await say(editFileTool, { path: "a.txt", edits: [{ ...replaceFive.edits[0], anchor: "5:zz" }] }),
    ).toStartWith("failed: Edit 1: anchor 5:zz is stale");
    await say(readFileTool, { path: "a.txt" });
    write("a.txt", TEXT.replace("five", "5"));
    expect(await say(editFileTool, { path: "a.txt", ...replaceFive })).toStartWith("failed: Edit 1: anchor 5:");
    write("a.txt", `zero\n${TEXT}`);
    expect(
      await say(editFileTool, { path: "a.txt", edits: [{ ...replaceFive.edits[0], anchor: "5:zz" }] }),
    ).toStartWith("failed: Edit 1: anchor 5:zz is stale");
    expect(read("a.txt")).toBe(`zero\n${TEXT}`);
  });

  test("counts from what the model wrote last, not from what it read before that", async () => {
    const { say, write, read } = open();
    write("a.txt", "something else\n");
    await say(readFileTool, { path: "a.txt" });
    await say(writeFileTool, { path: "a.txt", content: TEXT });
    write("a.txt", `zero\n${TEXT}`);
    await say(editFileTool, { path: "a.txt", ...replaceFive });
    expect(read("a.txt")).toBe(`zero\n${TEXT.replace("five", "FIVE")}`);
  });
});

test("only so much of what was seen is kept, the latest", () => {
  const seen = createSeenFiles();
  for (let index = 0; index < 40; index++) seen.remember(`/${index}`, "hash", new Uint8Array(10));
  seen.remember("/8", "hash", new Uint8Array(10));
  seen.remember("/large", "hash", new Uint8Array(3_999_985));
  const kept = Array.from({ length: 40 }, (_, index) => index).filter((index) => seen.contentOf(`/${index}`));
  expect([kept, seen.contentOf("/large")?.length, seen.hashOf("/1")]).toEqual([[8], 3_999_985, "hash"]);
});
