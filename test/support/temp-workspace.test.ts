import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { tempWorkspace } from "./temp-workspace.ts";

test("a workspace has a project, a home of its own, and is gone after stop", () => {
  const workspace = tempWorkspace();
  const path = workspace.write("project/src/a.ts", "ä");
  expect(path).toBe(join(workspace.root, "project/src/a.ts"));
  expect(workspace.read("project/src/a.ts")).toBe("ä");
  expect(existsSync(join(workspace.home, "config"))).toBe(true);
  workspace.stop();
  workspace.stop();
  expect(existsSync(workspace.root)).toBe(false);
});

test("the environment for children holds nothing but what is listed", () => {
  using workspace = tempWorkspace();
  const { PATH, ...rest } = workspace.environment;
  expect(PATH).toBe(process.env.PATH ?? "");
  expect(rest).toEqual({
    HOME: join(workspace.root, "user"),
    TMPDIR: workspace.root,
    RALPH_HOME: workspace.home,
    LANG: "C.UTF-8",
    TZ: "UTC",
    TERM: "dumb",
    NO_COLOR: "1",
    NO_PROXY: "*",
    no_proxy: "*",
  });
});
