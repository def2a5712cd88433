import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { callsInFlight, repairsFor } from "../../src/sessions/repair.ts";
import { interruptedResult } from "../../src/sessions/settle-calls.ts";
import { branchFrom, buildTree, currentBranch } from "../../src/sessions/tree.ts";
import { answer, anyEntries, call, chain, result, said, user } from "../support/session-samples.ts";

const ids = (entries: readonly { id: string }[]) => entries.map(({ id }) => id);

/** e1 – e2 – e3, and x1 – x2 on e1. */
function forked() {
  const [e1, e2, e3, x1, x2] = chain(...["1", "2", "3", "4", "5"].map((text) => said(user(text))));
  if (!(e1 && e2 && e3 && x1 && x2)) throw new Error("five entries");
  return [e1, e2, e3, { ...x1, id: "x1", parentId: "e1" }, { ...x2, id: "x2", parentId: "x1" }];
}

describe("the tree of a session", () => {
  test("knows paths, parents and children", () => {
    const tree = buildTree(forked());
    expect({
      last: tree.lastId,
      path: ids(tree.pathTo("e3")),
      roots: ids(tree.children(null)),
      children: ids(tree.children("e1")),
      leaves: ids(tree.children("x2")),
      parent: tree.parentOf("x1"),
      text: tree.get("x2")?.type,
    }).toEqual({
      last: "x2",
      path: ["e1", "e2", "e3"],
      roots: ["e1"],
      children: ["e2", "x1"],
      leaves: [],
      parent: "e1",
      text: "message",
    });
  });

  test("its current branch ends in the entry appended last, or in the chosen one", () => {
    expect(ids(currentBranch(forked()))).toEqual(["e1", "x1", "x2"]);
    expect(ids(currentBranch(forked(), "e2"))).toEqual(["e1", "e2"]);
    expect(currentBranch(forked(), null)).toEqual([]);
    expect(currentBranch(forked(), "nowhere")).toEqual([]);
  });

  test("can be branched at entries it has, and before the first", () => {
    const tree = buildTree(forked());
    expect([branchFrom(tree, "e2"), branchFrom(tree, null), branchFrom(tree, "nowhere")]).toEqual([
      { leafId: "e2" },
      { leafId: null },
      undefined,
    ]);
  });

  test("hangs an entry whose parent was lost on the one before it in the file", () => {
    const entries = forked().filter(({ id }) => id !== "e2" && id !== "x1");
    expect(ids(currentBranch(entries))).toEqual(["e1", "e3", "x2"]);
  });

  test("is a tree whatever the entries are: every path begins at a root and holds nothing twice", () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const tree = buildTree(entries);
        for (const { id } of tree.entries) {
          const path = ids(tree.pathTo(id));
          expect([tree.parentOf(path[0] ?? ""), path.at(-1), new Set(path).size]).toEqual([null, id, path.length]);
        }
        if (tree.entries.length === entries.length) expect(currentBranch(entries)).toEqual(tree.pathTo(tree.lastId));
      }),
    );
  });
});

describe("calls in flight", () => {
  const branch = chain(
    said(user("go")),
    said(answer("", call("a"), call("b"), call("c"))),
    { type: "tool-started", call: call("a") },
    { type: "tool-started", call: call("b") },
    said(result("a")),
  );

  test("are those that were started and have no result behind that", () => {
    expect(callsInFlight(branch)).toEqual([call("b")]);
    expect(repairsFor([call("b")])).toEqual([{ type: "message", message: interruptedResult(call("b")) }]);
  });

  test("are none once they were repaired", () => {
    const repaired = [...branch, ...chain(...repairsFor(callsInFlight(branch)))];
    expect(callsInFlight(repaired)).toEqual([]);
  });

  test("may have an id that an earlier, finished call had", () => {
    const again = [...branch, ...chain({ type: "tool-started", call: call("a") })];
    expect(callsInFlight(again)).toEqual([call("b"), call("a")]);
  });
});
