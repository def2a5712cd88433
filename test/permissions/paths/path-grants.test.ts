import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createPathClassifier } from "../../../src/permissions/paths/classify-path.ts";
import { parseGrant } from "../../../src/permissions/paths/path-grants.ts";
import type { PathOperation, PathRequest } from "../../../src/permissions/paths/path-request.ts";
import { makePathTree } from "../../support/path-tree.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();
const tree = makePathTree(directory());
const classify = createPathClassifier({ home: tree.home, own: tree.own, now: Date.now });

function grantsOf(op: PathOperation, path: string, more: Partial<PathRequest>): string[] | undefined {
  const named = (text: string) => text.replaceAll("BASE", tree.base);
  const verdict = classify(JSON.parse(named(JSON.stringify({ workspace: tree.workspace, op, path, ...more }))));
  expect(verdict.class).toBe("external");
  return verdict.grants?.map((rule) => rule.replaceAll(tree.base, "BASE"));
}

describe("a grant", () => {
  const rows: [op: PathOperation, path: string, grants: string[], used: string[] | undefined][] = [
    ["read", "/data/a", ["Read(/data/*)"], ["Read(/data/*)"]],
    ["read", "/data/a/b", ["Read(/data/*)"], undefined],
    ["read", "/data/a/b", ["Read(/data/**)"], ["Read(/data/**)"]],
    ["read", "/data", ["Read(/data/**)"], ["Read(/data/**)"]],
    ["read", "/data/a", ["Read(/data)"], undefined],
    ["read", "/data-more/a", ["Read(/data/**)"], undefined],
    ["read", "/data/../other", ["Read(/data/**)"], undefined],
    ["read", "/data/a", ["Write(/data/**)"], undefined],
    ["write", "/data/a", ["Read(/data/**)"], undefined],
    ["write", "/data/a", ["Bash(/data/**)"], undefined],
    ["read", "/data/a", ["Bash(/data/**)", "Bash"], undefined],
    ["edit", "/data/a", ["Read(/data/**)"], undefined],
    ["edit", "/data/a", ["Write(/data/**)"], undefined],
    ["edit", "/data/a", ["Read(/data/**)", "Write(/data/a)"], ["Read(/data/**)", "Write(/data/a)"]],
    ["delete", "/data/a", ["Write(/data/**)"], ["Write(/data/**)"]],
    ["delete", "/data/a", ["Read(/data/**)"], undefined],
    ["read", "~/notes.txt", ["Read(~/notes.txt)"], ["Read(~/notes.txt)"]],
    ["read", "~/notes.txt", ["Read(~/*.md)", "Read(~/*.txt)"], ["Read(~/*.txt)"]],
    ["read", "../outside/secret", ["Read(../outside/*)"], ["Read(../outside/*)"]],
    ["read", "out/secret", ["Read(out/**)"], ["Read(out/**)"]],
    ["read", "out/secret", ["Read(BASE/outside/**)"], ["Read(BASE/outside/**)"]],
    ["read", "/DATA/a", ["Read(/data/**)"], undefined],
    ["read", "/data/a", ["Read(/data/**"], undefined],
    ["read", "/data/a", ["read(/data/**)"], undefined],
    ["read", "/data/a", ["Read()", "Read( )", "Read", ""], undefined],
    ["read", "c:/data", ["Read(/**)"], undefined],
    ["read", "/proc/self/cwd/x", ["Read(/**)"], undefined],
    ["read", "..\\outside\\secret", ["Read(/**)"], undefined],
    ["read", "loop1", ["Read(/**)"], undefined],
  ];
  for (const [op, path, grants, used] of rows) {
    test(`${grants.join(" and ")} ${used === undefined ? "does not allow" : "allows"} ${op} ${path}`, () => {
      expect(grantsOf(op, path, { grants })).toEqual(used);
    });
  }

  test("is needed for each end of a copy and a move", () => {
    const both = ["Read(/data/**)", "Write(/backup/**)"];
    expect(grantsOf("copy", "/data/a", { dest: "/backup/a", grants: both })).toEqual(both);
    expect(grantsOf("copy", "/data/a", { dest: "/backup/a", grants: ["Read(/**)"] })).toBeUndefined();
    expect(grantsOf("copy", "/data/a", { dest: "/backup/a", grants: ["Write(/**)"] })).toBeUndefined();
    expect(grantsOf("copy", "src/a.ts", { dest: "/backup/a", grants: both })).toEqual(["Write(/backup/**)"]);
    expect(grantsOf("move", "/data/a", { dest: "src/x", grants: ["Read(/data/**)"] })).toBeUndefined();
    expect(grantsOf("move", "/data/a", { dest: "src/x", grants: ["Write(/data/**)"] })).toEqual(["Write(/data/**)"]);
  });

  test("for what a link leads to does not let the link itself be deleted", () => {
    expect(grantsOf("delete", "BASE/outside/back", { grants: ["Write(BASE/ws/**)"] })).toBeUndefined();
    expect(grantsOf("delete", "BASE/outside/back", { grants: ["Write(BASE/outside/back)"] })).toEqual([
      "Write(BASE/outside/back)",
    ]);
    expect(grantsOf("delete", "out", { grants: ["Write(BASE/outside)"] })).toEqual(["Write(BASE/outside)"]);
  });

  test("for a folder does not reach through a link in it", () => {
    const verdict = classify({
      workspace: join(tree.base, "wsx"),
      op: "read",
      path: "../ws/outfile",
      grants: [`Read(${tree.workspace}/**)`],
    });
    expect(verdict).toEqual({
      class: "external",
      resolved: join(tree.base, "outside/secret"),
      reason: "it leads out of the workspace",
    });
  });

  test("says what it allows, and the class says where the path is", () => {
    expect(classify({ workspace: "/nowhere/ws", op: "read", path: "/data/a", grants: ["Read(/data/**)"] })).toEqual({
      class: "external",
      resolved: "/data/a",
      reason: "it leads out of the workspace; Read(/data/**) allows it",
      grants: ["Read(/data/**)"],
    });
  });

  test("has a scope and a glob", () => {
    expect(parseGrant(" Read(~/a (b)/**) ")).toEqual({ scope: "Read", glob: "~/a (b)/**" });
    expect(parseGrant("WebFetch(domain:x)")).toBeUndefined();
  });
});
