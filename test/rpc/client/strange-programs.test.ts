import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ProcessExited } from "../../../src/rpc/client/client-errors.ts";
import type { AgentEnd } from "../../../src/rpc/client/prompt-work.ts";
import { type RalphClient, type StartOptions, startRalph } from "../../../src/rpc/client/start-ralph.ts";

// Programs that are no Ralph, or a Ralph in trouble.

const READY = `printf '{"type":"ready"}\\n'`;

const shell = (script: string, options: StartOptions = {}): Promise<RalphClient> =>
  startRalph({ command: "sh", args: ["-c", script], ...options });

async function failure(work: Promise<unknown>): Promise<ProcessExited> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ProcessExited)) throw new Error(`Not the end of a process: ${error}`);
  return error;
}

describe("startRalph", () => {
  test("tells that there is no such program", async () => {
    const { message, exitCode } = await failure(startRalph({ command: "/nowhere/ralph" }));
    expect([message.startsWith("Ralph could not be started: "), exitCode]).toEqual([true, null]);
  });

  test("tells that the program is something else", async () => {
    const { message } = await failure(shell("echo Usage: something else; exec sleep 60"));
    expect(message).toBe('This is not what "ralph --mode rpc" sends: Usage: something else');
  });

  test("tells what the program said before it ended", async () => {
    const { message, exitCode, stderr } = await failure(shell("echo 'No model is set.' >&2; exit 2"));
    expect({ message, exitCode, stderr }).toEqual({
      message: "Ralph has ended with code 2. It said: No model is set.",
      exitCode: 2,
      stderr: "No model is set.\n",
    });
  });

  test("keeps only the newest of what is said on standard error", async () => {
    const { stderr } = await failure(shell("head -c 200000 /dev/zero | tr '\\0' x >&2; echo last >&2; exit 1"));
    expect([stderr.length, stderr.endsWith("xlast\n")]).toEqual([8000, true]);
  });

  test("gives up a program that is never ready, and ends it", async () => {
    const refusal = await shell("exec cat >/dev/null", { startTimeoutMs: 20 }).catch((error) => error);
    expect([refusal.code, refusal.message]).toEqual(["not_ready", "Ralph was not ready within 20 ms."]);
  });
});

describe("a client", () => {
  test("ends a program that does not end with its input", async () => {
    const ralph = await shell(`${READY}; exec sleep 60`, { stopTimeoutMs: 20 });
    expect(await ralph.stop()).toEqual({ exitCode: null, signal: "SIGTERM", stderr: "" });
  });

  test("rejects everything that waits when the program crashes", async () => {
    const ralph = await shell(`${READY}; read line; echo 'out of memory' >&2; exit 134`);
    const events = ralph.events();
    const work = ralph.prompt("hi");
    const waiting = [work, ralph.getState(), events.next(), work[Symbol.asyncIterator]().next()];
    const failures = await Promise.all(waiting.map(failure));
    expect(failures.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(
      waiting.map(() => [134, "out of memory\n"]),
    );
  });

  test("knows the end of a prompt that is acknowledged and done in one piece", async () => {
    const [start, end] = ["agent_start", "agent_end"].map((type) => ({ type: "event", payload: { event: { type } } }));
    const acknowledged = { type: "response", id: "req_1", command: "prompt", success: true };
    const lines = [acknowledged, start, end].map((frame) => JSON.stringify(frame)).join("\\n");
    await using ralph = await shell(`${READY}; read line; printf '${lines}\\n'; cat >/dev/null`);
    expect(await ralph.prompt("hi")).toEqual({ type: "agent_end" } as AgentEnd);
  });

  test("reads a line of 40 MB, however it is cut", async () => {
    const size = 40_000_000;
    const answer = `printf '{"type":"response","id":"req_1","command":"get_last_assistant_text","success":true,"data":{"text":"'; head -c ${size} /dev/zero | tr '\\0' y; printf '"}}\\n'; cat >/dev/null`;
    await using ralph = await shell(`${READY}; read line; ${answer}`);
    const { text } = await ralph.getLastAssistantText();
    expect(text?.length).toBe(size);
  });

  test("tells how the program ended to a command that is sent while it ends", async () => {
    const ralph = await shell(`${READY}; cat >/dev/null; exit 5`);
    const stopped = ralph.stop();
    const { exitCode } = await failure(ralph.getState());
    expect([exitCode, (await stopped).exitCode]).toEqual([5, 5]);
  });

  test("still reads what was written right before the end", async () => {
    const answer = { type: "response", id: "req_1", command: "get_messages", success: true, data: { messages: [] } };
    const ralph = await shell(`${READY}; read line; printf '${JSON.stringify(answer)}\\n'; exit 7`);
    const answers = Promise.all([ralph.getMessages(), ralph.exited]);
    expect(await answers).toEqual([{ messages: [] }, { exitCode: 7, signal: null, stderr: "" }]);
  });

  test("gives up on a line that is longer than 64 MiB", async () => {
    const ralph = await shell(`${READY}; read line; head -c 68000000 /dev/zero | tr '\\0' y; echo; cat >/dev/null`);
    const { message } = await failure(ralph.getState());
    expect(message).toBe("Ralph sent a line of more than 67108864 bytes.");
  });

  test("does not wait for a grandchild that holds on to the output", async () => {
    const ralph = await shell(`${READY}; sleep 5 & exit 3`);
    const { exitCode } = await ralph.exited;
    expect(exitCode).toBe(3);
  });

  test("surfaces a fault of a callback and reads on", () => {
    const event = { type: "turn_start" };
    const frame = { type: "event", session_id: "s", payload: { event_type: event.type, event } };
    const line = `'${JSON.stringify(frame)}'`;
    const args = ["-c", `${READY}; printf '%s\\n%s\\n' ${line} ${line}; cat >/dev/null`];
    const program = `
      import { startRalph } from ${JSON.stringify(join(import.meta.dir, "../../../src/rpc/client/start-ralph.ts"))};
      let seen = 0;
      const twice = Promise.withResolvers();
      process.on("uncaughtException", ({ message }) => {
        console.log("fault:", message);
        if (seen === 2) twice.resolve();
      });
      const onEvent = () => {
        seen += 1;
        throw new Error("event " + seen);
      };
      const ralph = await startRalph({ command: "sh", args: ${JSON.stringify(args)}, onEvent });
      await twice.promise;
      await ralph.stop();`;
    const { stdout } = Bun.spawnSync([process.execPath, "-e", program]);
    expect(stdout.toString()).toBe("fault: event 1\nfault: event 2\n");
  });
});
