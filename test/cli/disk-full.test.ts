import { expect, test } from "bun:test";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asObject } from "../../src/protocol/json.ts";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { openFrontDoor } from "../support/front-door.ts";
import { mountSmallDisk } from "../support/small-disk.ts";

const smallDisk = mountSmallDisk();

test.skipIf(smallDisk === undefined)(
  "a disk that gets full stops the work with exit code 1 and its reason, and what was told is there when space returns (skipped where a tmpfs cannot be mounted)",
  async () => {
    using ralph = await openFrontDoor();
    const environment = { RALPH_HOME: smallDisk };
    let isRoomAgain = false;
    const answers = Array.from({ length: 30 }, (_, index) => () => {
      const command = `head -c 9000 /dev/zero | tr '\\0' ${String.fromCharCode(97 + (index % 26))}`;
      return isRoomAgain ? textAnswer("There is room again.") : toolCallAnswer({ name: "shell", input: { command } });
    });
    ralph.provider.answer(...answers);
    const { code, stdout, stderr } = await ralph.run(["-p", "fill it", "--yolo", "--mode", "json"], { environment });
    expect([code, stderr]).toEqual([1, ""]);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => asObject(JSON.parse(line)) ?? {});
    expect(events.at(-1)).toMatchObject({
      type: "result",
      outcome: { type: "not-stored", message: expect.stringMatching(/could not be .*: the disk is full\./) },
    });
    const told = events.filter(({ type }) => type === "tool-end").length;
    expect(ralph.provider.requests.length).toBeLessThan(30);
    rmSync(join(smallDisk ?? "", "ballast"));
    const asked = ralph.provider.requests.length;
    isRoomAgain = true;
    const after = await ralph.run(["-p", "-c", "go on"], { environment });
    expect([after.code, ralph.provider.requests.length]).toEqual([0, asked + 1]);
    const results = JSON.stringify(ralph.provider.requests.at(-1)?.body).match(/"tool_result"/g) ?? [];
    expect(results.length).toBeGreaterThanOrEqual(told);
  },
);

test.skipIf(smallDisk === undefined)(
  "an answer that finds no room is not told as done, and the session goes on when there is some (skipped where a tmpfs cannot be mounted)",
  async () => {
    using ralph = await openFrontDoor();
    const disk = smallDisk ?? "";
    for (const name of readdirSync(disk)) rmSync(join(disk, name), { recursive: true });
    writeFileSync(join(disk, "ballast"), Buffer.alloc(96 * 1024));
    const environment = { RALPH_HOME: disk };
    ralph.provider.answer(textAnswer("a word ".repeat(20_000)), textAnswer("There is room again."));
    const full = await ralph.run(["-p", "say much", "--mode", "json"], { environment });
    const last = asObject(JSON.parse(full.stdout.trimEnd().split("\n").at(-1) ?? ""));
    expect([full.code, last?.outcome]).toEqual([
      1,
      { type: "not-stored", message: expect.stringMatching(/could not be .*: the disk is full\./) },
    ]);
    rmSync(join(disk, "ballast"));
    const after = await ralph.run(["-p", "-c", "go on"], { environment });
    expect([after.code, after.stdout]).toEqual([0, "There is room again.\n"]);
    expect(after.stderr).toContain('Say "go on"');
  },
);
