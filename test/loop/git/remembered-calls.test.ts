import { describe, expect, test } from "bun:test";
import type { GitCall, GitResult } from "../../../src/loop/git/git.ts";
import { rememberingCalls } from "../../../src/loop/git/remembered-calls.ts";

const ID = "a".repeat(40);
const OTHER = "b".repeat(40);

function counted(answer: (call: GitCall) => GitResult = () => ({ ok: true, stdout: new Uint8Array(1) })) {
  const calls: string[] = [];
  const run = rememberingCalls(async (call) => {
    calls.push(call.arguments.join(" "));
    return answer(call);
  }, 40);
  return { calls, ask: (...words: string[]) => run({ arguments: words }), run };
}

describe("what git says about objects", () => {
  test("is asked once where they are named by their whole ids", async () => {
    const { calls, ask } = counted();
    for (let times = 0; times < 3; times++) {
      await ask("diff-tree", "-r", ID, OTHER);
      await ask("rev-parse", "--verify", `${ID}^{tree}`);
    }
    expect(calls).toEqual([`diff-tree -r ${ID} ${OTHER}`, `rev-parse --verify ${ID}^{tree}`]);
  });

  test("is asked anew for names that can mean something else later, and for every other command", async () => {
    const { calls, ask } = counted();
    const askings = [
      ["rev-parse", "HEAD"],
      ["rev-parse", `${ID}^`],
      ["diff-tree", ID, "main"],
      ["status"],
      ["cat-file", ID],
      ["rev-parse"],
    ];
    for (const words of [...askings, ...askings]) await ask(...words);
    expect(calls.length).toBe(2 * askings.length);
  });

  test("is asked anew after a failure, and where a call says more than its words", async () => {
    const failing = counted(() => ({ ok: false, reason: "failed", message: "gone" }));
    await failing.ask("rev-parse", ID);
    await failing.ask("rev-parse", ID);
    const { calls, run } = counted();
    for (let times = 0; times < 2; times++) await run({ arguments: ["rev-parse", ID], capBytes: 10 });
    expect([failing.calls.length, calls.length]).toEqual([2, 2]);
  });

  test("is kept within a bound: the oldest answers are forgotten", async () => {
    const { calls, ask } = counted(() => ({ ok: true, stdout: new Uint8Array(5 * 1024 * 1024) }));
    const ids = ["1", "2", "3", "4"].map((digit) => digit.repeat(40));
    for (const id of ids) await ask("rev-parse", id);
    await ask("rev-parse", ids[3] ?? "");
    await ask("rev-parse", ids[0] ?? "");
    expect(calls.length).toBe(5);
  });
});
