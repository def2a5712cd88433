import { describe, expect, test } from "bun:test";
import { readCommandFile } from "../../../src/cli/interactive/services/custom-commands.ts";

const read = (text: string, rest = "") => {
  const { expand, ...about } = readCommandFile("name", text);
  return { ...about, text: expand(rest) };
};

describe("a command of one's own", () => {
  test("has a description, a hint and places for what is written behind its name", () => {
    const text =
      '---\ndescription: Reviews\nargument-hint: "[file] [why]"\n---\n\nReview $1 because $2.\nAll: $ARGUMENTS\n';
    expect(read(text, 'a.ts "it is slow"')).toEqual({
      name: "name",
      description: "Reviews",
      argumentHint: "[file] [why]",
      text: 'Review a.ts because it is slow.\nAll: a.ts "it is slow"',
    });
  });

  test("needs no head, and takes what no place is for behind it", () => {
    expect(read("# Be brief\nSay it in one line.", "please")).toEqual({
      name: "name",
      description: "Be brief",
      argumentHint: "",
      text: "# Be brief\nSay it in one line.\n\nplease",
    });
  });

  test("is text as it stands where its head cannot be read, and fills in nothing that was written by somebody else", () => {
    expect(read("---\n{ not yaml\n---\nBody").text).toBe("---\n{ not yaml\n---\nBody");
    expect(read("Say $1 and $10, $HOME", "$2 x").text).toBe("Say $2 and $10, $HOME");
  });
});
