import { describe, expect, test } from "bun:test";
import { linkSync, mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { changedParts, digestOf } from "../../../src/permissions/gate/action-digest.ts";
import { type BindingDepth, bindAction } from "../../../src/permissions/gate/bind-action.ts";
import type { AskDraft } from "../../../src/protocol/tool-runs.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();

describe("the digest of an action", () => {
  const parts = fc.dictionary(fc.string(), fc.string());

  test("is the same for the same parts in any order, and another for any other parts", () => {
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const turned = Object.fromEntries(Object.entries(one).reverse());
        expect(digestOf(turned)).toBe(digestOf(one));
        expect(digestOf(one) === digestOf(other)).toBe(changedParts(one, other).length === 0);
      }),
    );
  });

  test("changes with the parts that came, went or differ", () => {
    expect(changedParts({ same: "1", gone: "1", other: "1" }, { same: "1", other: "2", new: "1" })).toEqual([
      "gone",
      "other",
      "new",
    ]);
  });
});

describe("an action that is bound", () => {
  async function bind(ask: AskDraft, workspace: string, depth: BindingDepth = "whole") {
    const environment: Record<string, string> = { PATH: "/usr/bin:/bin", LANG: "C" };
    const bound = await bindAction(ask, { workspace, home: "/home", environment: () => environment }, depth);
    return { bound, environment };
  }

  const command = (text: string, cwd: string): AskDraft => ({ category: "shell", resources: [text], summary: "", cwd });

  test("notices another value or another name in the environment", async () => {
    const folder = directory();
    const { bound, environment } = await bind(command("make test", folder), folder);
    expect(bound.changes()).toEqual([]);
    environment.LANG = "de";
    expect(bound.changes()).toEqual(["the environment"]);
    environment.LANG = "C";
    environment.EXTRA = "";
    expect(bound.changes()).toEqual(["the environment"]);
  });

  test("is bound to every program and script of a compound command, behind wrappers too", async () => {
    const folder = directory();
    writeFileSync(join(folder, "a.sh"), "");
    const { bound } = await bind(command("env timeout 5 node a.js && bash a.sh | sort", folder), folder);
    expect(bound.parts.sort()).toEqual(
      [
        "the command",
        "the environment",
        `the file ${folder}/a.js`,
        `the file ${folder}/a.sh`,
        `the folder ${folder}`,
        ...["bash", "env", "node", "sort", "timeout"].map((program) => `the program ${program}`),
        "what it gets beyond the sandbox",
      ].sort(),
    );
    writeFileSync(join(folder, "a.js"), "appeared");
    expect(bound.changes()).toEqual([`the file ${folder}/a.js`]);
  });

  test("of a rule notices another folder, and leaves contents alone", async () => {
    const folder = directory();
    mkdirSync(join(folder, "cwd"));
    writeFileSync(join(folder, "cwd/a.sh"), "one");
    const { bound } = await bind(command("bash a.sh", join(folder, "cwd")), folder, "quick");
    writeFileSync(join(folder, "cwd/a.sh"), "two");
    expect(bound.changes()).toEqual([]);
    renameSync(join(folder, "cwd"), join(folder, "away"));
    symlinkSync(join(folder, "away"), join(folder, "cwd"));
    expect(bound.changes()).toEqual([`the folder ${join(folder, "cwd")}`]);
  });

  test("on a file notices another content where it is written, and another file in any case", async () => {
    const folder = directory();
    const path = join(folder, "a");
    const ask = (category: "file_read" | "file_write"): AskDraft => ({ category, resources: [path], summary: "" });
    writeFileSync(path, "one");
    const [read, write] = [await bind(ask("file_read"), folder), await bind(ask("file_write"), folder)];
    writeFileSync(path, "two");
    expect([read.bound.changes(), write.bound.changes()]).toEqual([[], [path]]);
    writeFileSync(join(folder, "b"), "one");
    unlinkSync(path);
    linkSync(join(folder, "b"), path);
    expect([read.bound.changes(), write.bound.changes()]).toEqual([[path], [path]]);
  });
});
