import { describe, expect, test } from "bun:test";
import { readClaudeRule } from "../../../src/permissions/gate/claude-rule.ts";
import { claudeRules, readClaudeFile } from "../../../src/permissions/gate/claude-settings.ts";
import { matchesPath } from "../../../src/permissions/gate/match-rule.ts";
import type { PermissionRule, RuleBody, RuleEffect } from "../../../src/permissions/gate/permission-rule.ts";
import { tempWorkspace } from "../../support/temp-workspace.ts";

const places = { workspace: "/w/app/sub", project: "/w/app" };
const read = (text: string, effect: RuleEffect = "deny") => readClaudeRule({ text, effect, origin: "f" }, places);
const shell: RuleBody = { type: "category", category: "shell" };

describe("rules of Claude Code", () => {
  const rows: [text: string, body: RuleBody][] = [
    ["Bash", { type: "every-command" }],
    ["Bash(*)", { type: "every-command" }],
    ["Bash(git *)", { type: "command", words: ["git"], isExact: false }],
    ["Bash(npm run:*)", { type: "command", words: ["npm", "run"], isExact: false }],
    ["Bash(npm run test:unit)", { type: "command", words: ["npm", "run", "test:unit"], isExact: true }],
    // A path in Bash( ) is a program there, never a place that commands may reach.
    ["Bash(/opt/x/**)", shell],
    ["Bash(/opt/x/tool:*)", { type: "command", words: ["/opt/x/tool"], isExact: false }],
    ["WebFetch(domain:example.com)", { type: "host", host: "example.com" }],
    ["WebFetch", { type: "host", host: "" }],
    ["mcp__docs__search", { type: "mcp", server: "docs", tool: "search" }],
    ["mcp__docs", { type: "mcp", server: "docs", tool: "*" }],
    ["mcp__my_docs__*", { type: "mcp", server: "my_docs", tool: "*" }],
  ];
  test.each(rows)("%s", (text, body) => {
    expect(read(text).rules.map((rule) => rule.body)).toEqual([body]);
  });

  const paths: [text: string, fits: string[], not: string[]][] = [
    ["Read(.env)", ["/w/app/sub/.env", "/w/app/sub/a/b/.env"], ["/w/app/.env", "/w/app/sub/x.env"]],
    ["Read(./secrets)", ["/w/app/sub/secrets", "/w/app/sub/secrets/a/b"], ["/w/app/sub/a/secrets", "/w/app/secrets/a"]],
    ["Read(src/**)", ["/w/app/sub/src", "/w/app/sub/src/a/b.ts"], ["/w/app/src/a"]],
    ["Edit(/src/*.ts)", ["/w/app/src/a.ts"], ["/w/app/src/a/b.ts", "/w/app/sub/src/a.ts", "/src/a.ts"]],
    ["Edit(//etc/**)", ["/etc/hosts"], ["/w/app/etc/hosts"]],
    ["Write(~/notes/)", ["/home/me/notes/a"], ["/w/app/sub/notes/a"]],
    ["Read", ["/etc/passwd", "/w/app/sub/a"], []],
  ];
  test.each(paths)("%s means the files it means there", (text, fits, not) => {
    const at = { root: places.workspace, home: "/home/me", isOnDisk: false };
    const [rule] = read(text).rules as [PermissionRule];
    expect(fits.filter((path) => !matchesPath(rule, path, at))).toEqual([]);
    expect(not.filter((path) => matchesPath(rule, path, at))).toEqual([]);
  });

  test("that allow all files of a tool allow those of the workspace", () => {
    expect(read("Edit", "allow").rules.map(({ body }) => body)).toEqual([
      { type: "path", scope: "Write", glob: "/w/app/sub/**" },
    ]);
  });

  const strange: [text: string, instead: RuleBody[]][] = [
    ["Bash(git * main)", [{ type: "command", words: ["git"], isExact: false }]],
    ["Bash(git push --force*)", [{ type: "command", words: ["git", "push"], isExact: false }]],
    ["Bash(* --force)", [shell]],
    ["Bash(rm*)", [shell]],
    ["Bash(echo $(id))", [{ type: "command", words: ["echo"], isExact: false }]],
    ["Read(!x)", [{ type: "category", category: "file_read" }, shell]],
    ["Edit(../x)", [{ type: "category", category: "file_write" }, shell]],
    ["Edit(a{b,c})", [{ type: "category", category: "file_write" }, shell]],
    ["WebFetch(https://x)", [{ type: "category", category: "network" }, shell]],
    ["mcp__a__b__c", [{ type: "category", category: "mcp" }]],
    ["mcp__*", [{ type: "category", category: "mcp" }]],
    ["Agent(Explore)", [{ type: "category", category: "subagent" }]],
    ["Skill(x)", []],
  ];
  test.each(strange)(
    "%s is not understood: it allows nothing, and what it may deny is asked about",
    (text, instead) => {
      for (const effect of ["deny", "ask"] as const) {
        const { rules, problem } = read(text, effect);
        expect(rules.map((rule) => [rule.effect, rule.body])).toEqual(instead.map((body) => ["ask", body]));
        expect(problem).toContain(`"${text}" of f is not understood`);
      }
      expect(read(text, "allow")).toEqual({
        rules: [],
        problem: `"${text}" of f is not understood, so it allows nothing`,
      });
    },
  );

  test("of a tool nobody knows put everything but looking to a question", () => {
    for (const text of ["Launch(x)", "", "(", "Bash(", "bash(rm:*)", "Bash (rm:*)"]) {
      const kinds = read(text).rules.map(
        ({ effect, body }) => `${effect} ${body.type === "category" && body.category}`,
      );
      expect([text, kinds]).toEqual([
        text,
        ["file_write", "shell", "network", "subagent", "mcp", "python", "plugin"].map((kind) => `ask ${kind}`),
      ]);
    }
  });
});

describe("a settings file of Claude Code", () => {
  test("that is half written, or has another form, asks about everything but looking", () => {
    using workspace = tempWorkspace();
    const texts = [
      '{"permissions":{"deny":["Bash(rm:*)"',
      "[]",
      '{"permissions":[]}',
      '{"permissions":{"deny":"Bash"}}',
    ];
    for (const text of [...texts, '{"permissions":{"deny":["Bash(rm:*)",1]}}']) {
      const file = readClaudeFile(workspace.write("s.json", text), "s.json");
      const { rules, problems } = claudeRules([{ file, allowing: true }], places);
      expect([text, rules.length, rules.every(({ effect }) => effect === "ask")]).toEqual([text, 7, true]);
      expect(problems).toEqual([expect.stringContaining("so everything but looking is asked about")]);
    }
  });

  test("with comments and a byte order mark is read, and its allow rules count only where they may", () => {
    using workspace = tempWorkspace();
    const text =
      '\uFEFF{ // mine\n"permissions": {"allow": ["Bash(ls:*)"], "deny": ["Bash(rm:*)"], "defaultMode": "bypassPermissions"}}';
    const file = readClaudeFile(workspace.write("s.json", text), "s.json");
    const counted = (allowing: boolean) =>
      claudeRules([{ file, allowing }], places).rules.map((rule) => `${rule.effect} ${rule.text} of ${rule.origin}`);
    expect([counted(true), counted(false)]).toEqual([
      ["deny Bash(rm:*) of s.json", "allow Bash(ls:*) of s.json"],
      ["deny Bash(rm:*) of s.json"],
    ]);
  });

  test("that is not there says nothing", () => {
    expect(claudeRules([{ file: readClaudeFile("/nowhere/x", "x"), allowing: true }], places)).toEqual({
      rules: [],
      problems: [],
    });
  });
});
