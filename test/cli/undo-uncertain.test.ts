import { expect, test } from "bun:test";
import { existsSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HELD_NAMES } from "../../src/permissions/sandbox/sandbox-rows.ts";
import { toolCallAnswer } from "../support/fake-answer.ts";
import { type FrontDoor, openFrontDoor, outcomeOf } from "../support/front-door.ts";
import { treeOf } from "../support/undo-workspace.ts";

// What a person did after Ralph was killed is not taken for the work of its commands.

/** A Ralph that is killed while its command runs; the command has then ended as well. */
async function killWhileCommandRuns(ralph: FrontDoor, command: string): Promise<void> {
  const { project } = ralph.workspace;
  ralph.provider.answer(
    toolCallAnswer({ name: "shell", input: { command: `${command}; echo $$ > pid; exec sleep 300` } }),
  );
  const running = Promise.withResolvers<number>();
  const look = () => {
    const pid = existsSync(join(project, "pid")) ? Number(readFileSync(join(project, "pid"), "utf8")) : 0;
    if (pid > 0) running.resolve(pid);
  };
  const watcher = watch(project, look);
  await using child = ralph.start(["-p", "go", "--yolo"]);
  child.closeInput();
  const pid = await running.promise;
  watcher.close();
  child.kill("SIGKILL");
  await child.exited;
  process.kill(pid, "SIGKILL");
}

test("after a kill during a command the person's own work stays, and so does what the command may have done", async () => {
  using ralph = await openFrontDoor();
  const { project } = ralph.workspace;
  writeFileSync(join(project, "a"), "old\n");
  writeFileSync(join(project, "b"), "old\n");
  await killWhileCommandRuns(ralph, "echo cmd > a; echo cmd > made");
  const listed = outcomeOf(await ralph.run(["undo", "--list"]));
  expect(listed).toEqual({
    code: 0,
    stdout: `Turn 1: go (not settled: Ralph still works on it, or was stopped in it)
    what shell commands changed is looked for when it is undone
`,
    stderr: "",
  });
  writeFileSync(join(project, "mywork"), "mine\n");
  writeFileSync(join(project, "b"), "mine\n");
  const before = withoutHeldNames(treeOf(project));
  const why = "may be your own change: Ralph was stopped while a command ran";
  const told = await ralph.run(["undo", "--yes"]);
  expect([told.code, told.stdout.split("\n").toSorted()]).toEqual([
    1,
    [
      "",
      "  With --uncertain that is undone as well.",
      `  uncertain     a: ${why}`,
      `  uncertain     b: ${why}`,
      `  uncertain     made: ${why}`,
      `  uncertain     mywork: ${why}`,
      `  uncertain     pid: ${why}`,
      "Turn 1: go",
    ],
  ]);
  expect(treeOf(project)).toEqual(before);
  const forced = await ralph.run(["undo", "--yes", "--uncertain"]);
  expect([forced.code, treeOf(project)]).toEqual([0, { a: "644 old\n", b: "644 old\n" }]);
  await ralph.run(["undo", "2", "--yes"]);
  expect(treeOf(project)).toEqual(before);
});

test("a kill during a command leaves what tools did before to be undone as ever", async () => {
  using ralph = await openFrontDoor();
  const { project } = ralph.workspace;
  writeFileSync(join(project, "a"), "1\n2\n3\n4\n5\n");
  ralph.provider.answer(
    toolCallAnswer({ name: "edit_file", input: { path: "a", old_string: "1", new_string: "one" } }),
  );
  ralph.provider.answer(toolCallAnswer({ name: "write_file", input: { path: "new", content: "n" } }));
  await killWhileCommandRuns(ralph, "true");
  writeFileSync(join(project, "a"), "one\n2\n3\n4\nmine\n");
  const { code, stdout } = await ralph.run(["undo", "--yes"]);
  expect([code, stdout]).toEqual([
    1,
    `Turn 1: go
  removed       new (the turn made it)
  merged        a (later edits stay)
  uncertain     pid: may be your own change: Ralph was stopped while a command ran
  With --uncertain that is undone as well.
To take this back: ralph undo 2
`,
  ]);
  expect(readFileSync(join(project, "a"), "utf8")).toBe("1\n2\n3\n4\nmine\n");
});

/** The empty folders a killed Ralph left are gone as soon as the next one works. */
function withoutHeldNames(tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !HELD_NAMES.includes(path.replace(/\/$/, ""))));
}
