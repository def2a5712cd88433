// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are shell text
import { describe, expect, test } from "bun:test";
import { readRule } from "../../../src/permissions/shell/rules.ts";
import { judgeLine } from "../../support/judge-line.ts";

const decide = (command: string, ...allow_rules: unknown[]) => judgeLine({ command, allow_rules }).decision;
const deny = (...pattern: string[]) => ({ tool: "shell", pattern, action: "deny" });

describe("rules", () => {
  test("an array and an object of the shell tool are rules; everything else is none", () => {
    expect(
      [["git", "status"], { tool: "shell", pattern: ["a"] }, { tool: "shell", command: ["a"] }, deny("a")].map(
        readRule,
      ),
    ).toEqual([
      { words: ["git", "status"], action: "allow" },
      { words: ["a"], action: "allow" },
      { words: ["a"], action: "allow" },
      { words: ["a"], action: "deny" },
    ]);
    const none = [
      [],
      [""],
      [1],
      "git",
      null,
      3,
      {},
      { pattern: ["a"] },
      { tool: "read_file", pattern: ["a"] },
      { tool: "shell", pattern: "a" },
      { tool: "shell", pattern: ["a"], action: "ask" },
    ];
    expect(none.map(readRule)).toEqual(none.map(() => undefined));
  });

  test("an allow rule is a prefix of whole words of the bare name", () => {
    expect(
      ["git status -s", "git  status", "'git' \"status\"", "git --no-pager status", "git -C src status"].map(
        (command) => decide(command, ["git", "status"]),
      ),
    ).toEqual(Array(5).fill("allow"));
    expect(
      ["git", "git statuss", "gitt status", "/usr/bin/git status", "./git status", "git diff"].map((command) =>
        decide(command, ["git", "status"]),
      ),
    ).toEqual(Array(6).fill("ask"));
  });

  test("a rule for a program by its path names that file in the starting folder only", () => {
    expect(
      ["./run.sh", "./run.sh -x", "cd sub && ./run.sh", "run.sh", "././run.sh"].map((command) =>
        decide(command, ["./run.sh"]),
      ),
    ).toEqual(["allow", "allow", "ask", "ask", "ask"]);
  });

  test("a wrapper is allowed by the rule for what it starts, never by a rule for itself", () => {
    expect(decide("timeout 5 env CI=1 npm test", ["npm", "test"])).toBe("allow");
    expect(decide("timeout 5 npm test", ["timeout", "5", "npm", "test"])).toBe("allow");
    expect(decide("timeout 5 npm test", ["timeout", "5"])).toBe("ask");
    expect(decide("timeout 5 npm test", ["timeout"])).toBe("ask");
  });

  test("an option asks under a rule, unless the rule spells it out", () => {
    expect(decide("sed -i s/a/b/ f", ["sed"])).toBe("ask");
    expect(decide("sed -i s/a/b/ f", ["sed", "-i"])).toBe("allow");
    expect(decide("sed -i s/a/b/ ../f", ["sed", "-i"])).toBe("ask");
    expect(decide("node -e 1", ["node"])).toBe("ask");
    expect(decide("node -e 1", ["node", "-e"])).toBe("allow");
    expect(decide('node -e "$(id)"', ["node", "-e"])).toBe("ask");
    expect(decide("bash -c 'ls; sudo id'", ["bash", "-c"])).toBe("deny");
  });

  test("a deny rule beats every allow rule, with options in between and in any order", () => {
    const rules = [
      ["git"],
      ["npm"],
      ["rm"],
      deny("git", "push"),
      deny("rm", "-rf"),
      deny("git", "reset", "--hard"),
      deny("npm", "publish"),
    ];
    const denied = [
      "git push",
      "git -C x push",
      "git --git-dir=x push",
      "git -c a=b push x",
      "rm -fr x",
      "rm -r x -f",
      "git reset HEAD~1 --hard",
      "git reset --har",
      "npm --silent publish",
      "npm -w a publish",
    ];
    expect(denied.map((command) => decide(command, ...rules))).toEqual(denied.map(() => "deny"));
    const fine = [
      "git log push",
      "git commit -m push",
      "rm -r x",
      "rm -f x",
      "git reset HEAD~1",
      "npm run publish-docs",
    ];
    expect(fine.map((command) => decide(command, ...rules))).toEqual(fine.map(() => "allow"));
  });

  test("a deny rule for a wrapper, or for what an unclear one may start, holds", () => {
    const rules = [
      ["ls"],
      ["env"],
      ["timeout"],
      ["xargs"],
      ["watch"],
      deny("env"),
      deny("nice"),
      deny("xargs"),
      deny("curl"),
    ];
    const denied = [
      "env CI=1 ls",
      "timeout 5 nice ls",
      "ls | xargs ls",
      "timeout --unknown 5 curl x",
      "watch -n 1 curl x",
      "/usr/bin/env ls",
    ];
    expect(denied.map((command) => decide(command, ...rules))).toEqual(denied.map(() => "deny"));
  });

  test("the answer names each segment with its rule or its reason", () => {
    expect(judgeLine({ command: "git status && id | head -1", allow_rules: [["git", "status"], ["head"]] })).toEqual({
      decision: "ask",
      reason: "id: no rule allows it",
      segments: [
        { command: "git status", decision: "allow", reason: "a rule allows it", rule: 'allow ["git","status"]' },
        { command: "id", decision: "ask", reason: "no rule allows it" },
        { command: "head -1", decision: "allow", reason: "a rule allows it", rule: 'allow ["head"]' },
      ],
    });
  });
});
