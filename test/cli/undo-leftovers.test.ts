import { expect, test } from "bun:test";
import { findProcess } from "../../src/system/process-table.ts";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { openFrontDoor } from "../support/front-door.ts";

test("ralph undo ends what a killed Ralph left running, so that it changes nothing behind its back", async () => {
  using ralph = await openFrontDoor();
  const command = "echo $$ > pid; setsid sleep 300 & sleep 301";
  const hold = Promise.withResolvers<void>();
  ralph.provider.answer(
    toolCallAnswer({ name: "write_file", input: { path: "made", content: "x" } }),
    // A job: the call that started it is over when Ralph is killed.
    toolCallAnswer({ name: "shell", input: { command, background: true } }),
    { ...textAnswer("ok"), fault: { type: "hold" as const, afterEvents: 1, until: hold.promise } },
  );
  await using first = ralph.start(["-p", "go", "--yolo", "--sandbox", "off"]);
  first.closeInput();
  const pidFile = `${ralph.workspace.project}/pid`;
  while (!(await Bun.file(pidFile).exists()) || (await Bun.file(pidFile).text()) === "") await Bun.sleep(5);
  while (ralph.provider.requests.length < 3) await Bun.sleep(5);
  first.kill("SIGKILL");
  await first.exited;
  hold.resolve();
  const { stderr } = await ralph.run(["undo", "--yes"]);
  expect(stderr).toMatch(/^ralph: What Ralph had left running was ended \(process \d+(, \d+)+\)\.\n/);
  expect(findProcess(Number(await Bun.file(pidFile).text()))).toBeUndefined();
  expect(ralph.workspace.find("project/made")).toEqual([]);
}, 20_000);
