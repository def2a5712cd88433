import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { toolCallAnswer } from "../support/fake-answer.ts";
import { openFrontDoor } from "../support/front-door.ts";

test("a command that puts a file in the place of folders within each other ends like any other, and is taken back", async () => {
  using ralph = await openFrontDoor();
  const { project } = ralph.workspace;
  ralph.workspace.write("project/d/e/f/c.txt", "deep\n");
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", project, "-c", "user.name=a", "-c", "user.email=a@example.org", ...words]);
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
  ralph.provider.answer(toolCallAnswer({ name: "shell", input: { command: "rm -rf d && echo flat > d" } }));
  const { code, stderr } = await ralph.run(["-p", "swap it", "--yolo", "--sandbox", "off"]);
  expect([code, stderr.includes("defect"), statSync(join(project, "d")).isFile()]).toEqual([0, false, true]);
  const undone = await ralph.run(["undo", "--yes"]);
  expect([undone.code, existsSync(join(project, "d/e/f/c.txt"))]).toEqual([0, true]);
  expect(git("status", "--porcelain").toString()).toBe("");
});
