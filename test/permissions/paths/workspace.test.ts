import { expect, test } from "bun:test";
import { mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPathClassifier } from "../../../src/permissions/paths/classify-path.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();

function world() {
  const root = realpathSync(directory());
  const workspace = join(root, "above", "workspace");
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(workspace, "a.txt"), "");
  const classify = createPathClassifier({ home: undefined, own: { config: "/no", data: "/no" }, now: Date.now });
  return { root, workspace, read: (path: string) => classify({ workspace, op: "read", path }).class };
}

test("a workspace that was looked at before is looked at anew when another folder stands there", () => {
  const { root, workspace, read } = world();
  expect([read("a.txt"), read("../b.txt")]).toEqual(["inside", "external"]);
  renameSync(workspace, join(root, "old"));
  mkdirSync(workspace);
  expect([read("a.txt"), read(join(root, "old", "a.txt"))]).toEqual(["inside", "external"]);
});

test("a workspace that became a link is where the link leads", () => {
  const { root, workspace, read } = world();
  expect(read("a.txt")).toBe("inside");
  renameSync(workspace, join(root, "moved"));
  symlinkSync(join(root, "moved"), workspace);
  expect([read("a.txt"), read(join(root, "moved", "a.txt"))]).toEqual(["inside", "inside"]);
});

test("a workspace whose parent was moved and linked to has nothing inside any more", () => {
  const { root, workspace, read } = world();
  expect(read("a.txt")).toBe("inside");
  renameSync(join(root, "above"), join(root, "below"));
  symlinkSync(join(root, "below"), join(root, "above"));
  expect([read("a.txt"), read(join(workspace, "a.txt"))]).toEqual(["external", "external"]);
});

test("a workspace that is gone, or a file, has nothing inside that was there", () => {
  const { root, workspace, read } = world();
  expect(read("a.txt")).toBe("inside");
  renameSync(workspace, join(root, "moved"));
  expect(read(join(root, "moved", "a.txt"))).toBe("external");
  writeFileSync(workspace, "");
  expect(read("a.txt")).toBe("external");
});
