import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { fileReferences } from "../../src/coder/file-references.ts";
import { MAX_INSTRUCTION_BYTES, readInstructions } from "../../src/coder/instructions.ts";
import basePrompt from "../../src/coder/system-prompt.md" with { type: "text" };
import { temporaryDirectories } from "../support/temporary-directory.ts";

const temporaryDirectory = temporaryDirectories();

function project(files: Record<string, string | Uint8Array>, cwd = "") {
  const top = temporaryDirectory();
  for (const [name, content] of Object.entries({ "project/.keep": "", "config/.keep": "", ...files })) {
    mkdirSync(dirname(join(top, name)), { recursive: true });
    writeFileSync(join(top, name), content);
  }
  const places = { root: join(top, "project"), cwd: join(top, "project", cwd), config: join(top, "config") };
  return { top, read: () => readInstructions(places) };
}

describe("the chain", () => {
  test("goes from the root down to the working directory and ends with the personal file", () => {
    const { top, read } = project(
      {
        "project/AGENTS.md": "\uFEFFroot\n",
        "project/CLAUDE.md": "not read",
        "project/a/CLAUDE.md": "in a",
        "project/a/b/AGENTS.md": "in b",
        "project/other/AGENTS.md": "not on the way",
        "config/AGENTS.md": "mine",
      },
      "a/b",
    );
    const personal = join(top, "config/AGENTS.md");
    expect(read()).toEqual({
      text: [
        '<instructions path="AGENTS.md">\nroot\n</instructions>',
        '<instructions path="a/CLAUDE.md">\nin a\n</instructions>',
        '<instructions path="a/b/AGENTS.md">\nin b\n</instructions>',
        `<instructions path="${personal}">\nmine\n</instructions>`,
      ].join("\n\n"),
      sources: [
        { kind: "project", path: "AGENTS.md" },
        { kind: "project", path: "a/CLAUDE.md" },
        { kind: "project", path: "a/b/AGENTS.md" },
        { kind: "personal", path: personal },
      ],
      notes: [],
    });
  });

  test("without any file there is nothing", () => {
    expect(project({}).read()).toEqual({ text: "", sources: [], notes: [] });
  });

  test("outside the root only the root counts", () => {
    const { top } = project({ "project/AGENTS.md": "root", "AGENTS.md": "above" });
    const places = { root: join(top, "project"), cwd: top, config: join(top, "config") };
    expect(readInstructions(places).sources).toEqual([{ kind: "project", path: "AGENTS.md" }]);
  });
});

describe("mentioned files", () => {
  test("follow once, relative to the file that mentions them, and not what they mention", () => {
    const { read } = project({
      "project/AGENTS.md":
        "See @docs/style.md, (@docs/style.md) and @AGENTS.md. Uses @types/node; write to me@example.com.",
      "project/docs/style.md": "Use tabs. @more.md",
      "project/docs/more.md": "never",
    });
    expect(read()).toEqual({
      text:
        '<instructions path="AGENTS.md">\nSee @docs/style.md, (@docs/style.md) and @AGENTS.md. Uses @types/node; write to me@example.com.\n</instructions>\n\n' +
        '<file path="docs/style.md">\nUse tabs. @more.md\n</file>',
      sources: [
        { kind: "project", path: "AGENTS.md" },
        { kind: "reference", path: "docs/style.md" },
      ],
      notes: [],
    });
  });

  test("stay inside the project and are noted when they do not exist", () => {
    const { top, read } = project({
      "project/AGENTS.md": "@../secret.md @link.md @gone.md",
      "secret.md": "secret",
    });
    symlinkSync(join(top, "secret.md"), join(top, "project/link.md"));
    expect(read()).toEqual({
      text: '<instructions path="AGENTS.md">\n@../secret.md @link.md @gone.md\n</instructions>',
      sources: [{ kind: "project", path: "AGENTS.md" }],
      notes: [
        "../secret.md was left out: it leads out of the project.",
        "link.md was left out: it leads out of the project.",
        "@gone.md was left out: there is no such file.",
      ],
    });
  });

  test("are left out where they are protected", () => {
    const { top } = project({ "project/AGENTS.md": "@.env", "project/.env": "KEY=1" });
    const root = join(top, "project");
    const isProtected = (path: string) => path === join(root, ".env");
    expect(readInstructions({ root, cwd: root, config: join(top, "config"), isProtected })).toEqual({
      text: '<instructions path="AGENTS.md">\n@.env\n</instructions>',
      sources: [{ kind: "project", path: "AGENTS.md" }],
      notes: [".env was left out: it is a protected file."],
    });
  });

  test("in code are examples", () => {
    const text = "@a.md `@b.md` x\n```\n@c.md\n~~~\n```\n@d.md, ``@e.md`` and a ` alone @f.md";
    expect(fileReferences(text)).toEqual(["a.md", "d.md", "f.md"]);
  });

  test("are found in any text without failing", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("@", "a", ".", "/", "`", "\n", " ", "~", "\0") }), (text) => {
        for (const path of fileReferences(text)) expect(text).toContain(`@${path}`);
      }),
    );
  });
});

describe("hostile files", () => {
  test("are left out with a note", () => {
    const { top, read } = project(
      {
        "project/a/AGENTS.md": new Uint8Array([1, 0, 2]),
        "project/a/b/AGENTS.md": "x".repeat(256 * 1024 + 1),
        "project/a/b/c/AGENTS.md/file": "",
        "secret.md": "secret",
      },
      "a/b/c/d",
    );
    mkdirSync(join(top, "project/a/b/c/d"));
    symlinkSync(join(top, "secret.md"), join(top, "project/AGENTS.md"));
    Bun.spawnSync(["mkfifo", join(top, "project/a/b/c/d/AGENTS.md")]);
    symlinkSync("AGENTS.md", join(top, "config/AGENTS.md"));
    expect(read()).toEqual({
      text: "",
      sources: [],
      notes: [
        "AGENTS.md was left out: it leads out of the project.",
        "a/AGENTS.md is not a text file: it contains zero bytes. It was left out.",
        "a/b/AGENTS.md is larger than the limit of 262144 bytes. It was left out.",
        "a/b/c/AGENTS.md is a directory, not a regular file. It was left out.",
        "a/b/c/d/AGENTS.md is a named pipe, not a regular file. It was left out.",
        `${join(top, "config/AGENTS.md")} could not be read: its symbolic links form a loop.`,
      ],
    });
  });

  test("the whole is cut at its limit, between characters, and says so in both places", () => {
    const { read } = project(
      { "project/AGENTS.md": `x${"ü".repeat(MAX_INSTRUCTION_BYTES)}`, "project/a/AGENTS.md": "late" },
      "a",
    );
    const kept = `x${"ü".repeat(MAX_INSTRUCTION_BYTES / 2 - 1)}`;
    expect(read()).toEqual({
      text: `<instructions path="AGENTS.md">\n${kept}\n[cut here: instructions may have 32768 bytes]\n</instructions>`,
      sources: [{ kind: "project", path: "AGENTS.md" }],
      notes: [
        "AGENTS.md was cut: instructions may have 32768 bytes.",
        "a/AGENTS.md was left out: instructions may have 32768 bytes.",
      ],
    });
  });
});

test("the base prompt is small enough for every first request", () => {
  expect(basePrompt.length).toBeLessThanOrEqual(1400);
});
