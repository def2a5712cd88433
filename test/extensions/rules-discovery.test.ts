import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { discoverRules } from "../../src/extensions/rules/discover-rules.ts";
import { readFrontMatter } from "../../src/extensions/rules/front-matter.ts";
import { readRule } from "../../src/extensions/rules/read-rule.ts";
import type { Rule } from "../../src/extensions/rules/rule.ts";
import { readRuleAddress, rulesPrompt, sortRules } from "../../src/extensions/rules/rule-book.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";

function discover({ project, home, root }: TempWorkspace, isTrusted = true, cwd = project) {
  return discoverRules({
    root: project,
    cwd,
    config: join(home, "config"),
    home: join(root, "user"),
    isTrusted: () => isTrusted,
    isProtected: (path) => path.endsWith(".env"),
  });
}

describe("rules are found", () => {
  test("in seven places; of two with one name the first counts", () => {
    using workspace = tempWorkspace();
    const places = {
      "project/.ralph/rules/one.md": "1",
      "ralph-home/config/rules/one.md": "no",
      "ralph-home/config/rules/two.mdc": "2",
      "user/.cursor/rules/two.mdc": "no",
      "user/.cursor/rules/three.mdc": "3",
      "project/.cursor/rules/three.md": "no",
      "project/.cursor/rules/four.md": "4",
      "user/.codeium/windsurf/memories/global_rules.md": "5",
      "project/.windsurf/rules/four.md": "no",
      "project/.windsurf/rules/six.md": "6",
      "project/.windsurf/rules/other.mdc": "no",
      "project/.clinerules/six.md": "no",
      "project/.clinerules/seven.md": "7",
      "project/.ralph/rules/deep/none.md": "no",
      "project/.ralph/rules/note.txt": "no",
    };
    for (const [path, text] of Object.entries(places)) workspace.write(path, text);
    const { rules, notes } = discover(workspace);
    expect(notes).toEqual([]);
    expect(rules.map(({ name, content, path }) => [name, content, path])).toEqual([
      ["one", "1", ".ralph/rules/one.md"],
      ["two", "2", join(workspace.home, "config/rules/two.mdc")],
      ["three", "3", join(workspace.root, "user/.cursor/rules/three.mdc")],
      ["four", "4", ".cursor/rules/four.md"],
      ["global_rules", "5", join(workspace.root, "user/.codeium/windsurf/memories/global_rules.md")],
      ["six", "6", ".windsurf/rules/six.md"],
      ["seven", "7", ".clinerules/seven.md"],
    ]);
    const untrusted = discover(workspace, false).rules.map(({ name, content }) => name + content);
    expect(untrusted).toEqual(["oneno", "two2", "three3", "global_rules5"]);
  });

  test("in the nearest .clinerules up to the top folder of the project, a file or a folder", () => {
    using workspace = tempWorkspace();
    workspace.write(".clinerules", "outside the project");
    workspace.write("project/deep/er/file", "");
    const names = (cwd: string) => discover(workspace, true, cwd).rules.map(({ name, content }) => name + content);
    const cwd = join(workspace.project, "deep/er");
    expect(names(cwd)).toEqual([]);
    workspace.write("project/.clinerules", "top");
    expect(names(cwd)).toEqual(["clinerulestop"]);
    workspace.write("project/deep/.clinerules/near.md", "near");
    expect(names(cwd)).toEqual(["nearnear"]);
  });

  test("and left out, with the reason, where they are too large, lead out of the project, or are protected", () => {
    using workspace = tempWorkspace();
    const secret = workspace.write("secret.md", "not of the project");
    workspace.write("project/.env", "KEY=1");
    workspace.write("project/.ralph/rules/large.md", "x".repeat(1_000_000));
    workspace.write("project/.ralph/rules/binary.md", "a\0b");
    workspace.write("project/.ralph/rules/folder.md/file", "");
    workspace.write("project/.ralph/rules/fine.md", "fine");
    workspace.write("project/shared.md", "shared");
    const link = (target: string, name: string) => symlinkSync(target, join(workspace.project, ".ralph/rules", name));
    link(secret, "out.md");
    link(join(workspace.project, ".env"), "keys.md");
    link(join(workspace.project, "shared.md"), "inside.md");
    link("nowhere", "broken.md");
    const { rules, notes } = discover(workspace);
    expect(rules.map(({ name, content }) => [name, content])).toEqual([
      ["fine", "fine"],
      ["inside", "shared"],
    ]);
    expect(notes).toEqual([
      "The rule .ralph/rules/binary.md was left out: it is not a text file: it contains zero bytes.",
      "The rule .ralph/rules/broken.md was left out: it could not be read: it does not exist.",
      "The rule .ralph/rules/folder.md was left out: it is a directory, not a regular file.",
      "The rule .ralph/rules/keys.md was left out: it is a protected file.",
      "The rule .ralph/rules/large.md was left out: it is larger than the limit of 262144 bytes.",
      "The rule .ralph/rules/out.md was left out: it leads out of the project.",
    ]);
  });

  test("up to 200 of them, and names that could pass for markup are not", () => {
    using workspace = tempWorkspace();
    for (let number = 0; number < 201; number++) workspace.write(`project/.ralph/rules/${number}.md`, "x");
    workspace.write('ralph-home/config/rules/a"><b.md', "x");
    const { rules, notes } = discover(workspace);
    expect(rules.length).toBe(200);
    expect(notes.map((note) => note.replace(/^.*was left out: /, ""))).toEqual([
      "there are 200 already.",
      "there are 200 already.",
    ]);
    expect(discover(workspace, false).notes).toEqual([
      `The rule ${join(workspace.home, 'config/rules/a"><b.md')} was left out: its name has signs that are not allowed, or more than 120 of them.`,
    ]);
  });
});

function ruleFrom(text: string): Omit<Rule, "name" | "path"> & { isFallback: boolean } {
  const { rule, isFallback } = readRule({ name: "r", path: "r.md", text });
  const { name: _, path: __, ...rest } = rule;
  return { ...rest, isFallback };
}

describe("the head of a rule", () => {
  test("is YAML between two lines of dashes", () => {
    const text = `---
description: Types
globs: ["*.ts", 7, "src/**"]
alwaysApply: false
condition: [as any, "*.tsx"]
scope: "text, edit(*.{ts,tsx})"
interruptMode: prose-only
---

Say what it is.
`;
    expect(ruleFrom(text)).toEqual({
      content: "Say what it is.",
      description: "Types",
      globs: ["*.ts", "src/**"],
      condition: ["as any"],
      scope: [
        "text",
        "edit(*.{ts,tsx})",
        "tool:edit(*.tsx)",
        "tool:write(*.tsx)",
        "tool:append_file(*.tsx)",
        "tool:apply_delta(*.tsx)",
      ],
      interruptMode: "prose-only",
      isFallback: false,
    });
  });

  test("may name its condition as others do, and a glob alone stands for everything written there", () => {
    expect(ruleFrom("---\nttsr_trigger: as any\n---\nx").condition).toEqual(["as any"]);
    expect(ruleFrom("---\nttsrTrigger: [a, b]\n---\nx").condition).toEqual(["a", "b"]);
    const glob = ruleFrom('---\ncondition: "src/**/*.gen.ts"\n---\nx');
    expect([glob.condition, glob.scope?.[0]]).toEqual([[".*"], "tool:edit(src/**/*.gen.ts)"]);
  });

  test("that is no YAML is read as lines of texts", () => {
    const text = "---\nglobs: *.ts,*.tsx\ndescription: About: types\nalwaysApply: true\nodd-key: x\n---\nBody";
    expect(ruleFrom(text)).toEqual({
      content: "Body",
      globs: ["*.ts,*.tsx"],
      description: "About: types",
      alwaysApply: true,
      isFallback: true,
    });
  });

  test.each([
    ["no head at all", "Just words.", "Just words."],
    ["a head that is never closed", "---\ndescription: x\nBody", "---\ndescription: x\nBody"],
    ["a line of dashes further down", "Text\n---\na: b\n---", "Text\n---\na: b\n---"],
    ["an empty head", "---\n---\nBody", "Body"],
    ["a byte order mark and lines of Windows", "\uFEFF---\r\nx: 1\r\n---\r\nBody\r\n", "Body"],
    ["a head that is too long to be one", `---\na: ${"x".repeat(20_000)}\n---\nBody`, undefined],
  ])("%s leaves the text whole", (_, text, content) => {
    expect(ruleFrom(text)).toEqual({ content: content ?? text, isFallback: false });
  });

  test.each([
    ["nesting", "[".repeat(15_000)],
    ["aliases", Array.from({ length: 40 }, (_, at) => `a${at}: &a${at} [${`*a${at - 1},`.repeat(9)}]`).join("\n")],
    ["prototypes", "__proto__:\n  alwaysApply: true\n  condition: x\nconstructor: y"],
    ["tags", "condition: !!js/function 'x'\ndescription: !!binary aGk="],
    [
      "types",
      "condition: {a: b}\nscope: 7\ndescription: [x]\nalwaysApply: [true]\nglobs: {x: 1}\ninterruptMode: often",
    ],
    ["a list", "- a\n- b"],
  ])("that is hostile (%s) gives a plain rule", (_, head) => {
    const { content, alwaysApply, scope, interruptMode } = ruleFrom(`---\n${head}\n---\nBody`);
    expect({ content, alwaysApply, scope, interruptMode }).toEqual({ content: "Body" } as never);
  });

  test("of any kind never throws and never loses the words behind it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (head) => {
        fc.pre(!/\n---/.test(`\n${head}`));
        expect(readFrontMatter(`---\n${head}\n---\nThe words.`).body).toEndWith("The words.");
      }),
    );
  });
});

describe("a book of rules", () => {
  const rules: Rule[] = [
    { name: "stop", path: "stop.md", content: "Never.", condition: ["x"], alwaysApply: true, description: "Watched" },
    { name: "always", path: "always.md", content: "Be kind.", alwaysApply: true, description: "Both" },
    {
      name: "api",
      path: "api.md",
      content: "Use v2.",
      description: "How the\nAPI is used",
      globs: ["src/api/**", "*.http"],
    },
    { name: "silent", path: "silent.md", content: "Nobody reads this." },
  ];
  const book = sortRules(rules);

  test("puts each rule where it belongs", () => {
    const names = (list: readonly Rule[]) => list.map(({ name }) => name);
    expect([names(book.watching), names(book.always), names(book.listed)]).toEqual([["stop"], ["always"], ["api"]]);
    expect(rulesPrompt(book)).toEqual({
      text: `<rule name="always">
Be kind.
</rule>

There are more rules. When you work on what one of them is about, read it first: read_file with \`rule://<name>\` as its path.
- api: How the API is used (files: src/api/**, *.http)`,
      notes: [],
    });
    expect(rulesPrompt(sortRules([]))).toEqual({ text: "", notes: [] });
  });

  test("is read by exact names, and an unknown name is answered with those there are", () => {
    const contentType = "text/markdown";
    expect(readRuleAddress(book, "rule://api")).toEqual({ ok: true, content: "Use v2.", contentType });
    expect(readRuleAddress(book, " RULE://always ")).toEqual({ ok: true, content: "Be kind.", contentType });
    for (const name of ["stop", "silent", "API", "%", ""]) {
      const message = `There is no rule "${name}". There is: always, api.`;
      expect(readRuleAddress(book, `rule://${name}`)).toEqual({ ok: false, message });
    }
  });

  test("leaves out of the prompt what has no room there, and says so", () => {
    const large = (name: string) => ({
      name,
      path: `${name}.md`,
      content: "x".repeat(20_000),
      alwaysApply: true as const,
    });
    const many = Array.from({ length: 100 }, (_, at) => {
      return { name: `rule-${at}`, path: "p", content: "c", description: "d".repeat(500) };
    });
    const { text, notes } = rulesPrompt(sortRules([large("a"), large("b"), ...many]));
    expect(Buffer.byteLength(text)).toBeLessThan(41_000);
    expect(notes).toEqual([
      "The rule b.md was left out: rules that always apply may have 32768 bytes together.",
      "74 rules are not named to the model: their list may have 8192 bytes. They can still be read as rule://<name>.",
    ]);
  });
});
