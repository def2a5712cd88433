import { describe, expect, test } from "bun:test";
import { closeSync, openSync, read } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { FIRST_PIECE } from "../support/breaking-answer.ts";
import { failAnswer, textAnswer } from "../support/fake-answer.ts";
import { openFrontDoor, outcomeOf } from "../support/front-door.ts";
import { ralphCommand } from "../support/run-ralph.ts";

const NEVER = new Promise<void>(() => {});

/** Begins to answer and then says no more, with the connection open. */
function beginning(text: string, until: Promise<unknown> = NEVER) {
  return textAnswer(text, { fault: { type: "hold", afterEvents: FIRST_PIECE, until } });
}

describe("an interrupt", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "by %s keeps the text that had come and ends with exit code 130",
    async (signal) => {
      using ralph = await openFrontDoor({ answers: [beginning("half an answer")] });
      await using child = ralph.start(["-p", "hello"]);
      child.closeInput();
      await child.waitForOutput("half ");
      const sent = performance.now();
      child.kill(signal);
      expect(outcomeOf(await child.exited)).toEqual({ code: 130, stdout: "half \n", stderr: "ralph: Interrupted.\n" });
      expect(performance.now() - sent).toBeLessThan(1000);
    },
  );

  test("by Ctrl-C in a terminal stands behind the text that had come", async () => {
    using ralph = await openFrontDoor({ answers: [beginning("half an answer")] });
    await using child = ralph.inTerminal(["-p", "hello"]);
    await child.waitForOutput("half ");
    child.type("\x03");
    const { code, screen } = await child.exited;
    expect([code, screen.replace("^C", "")]).toEqual([130, "half \nralph: Interrupted.\n"]);
  });

  test("before the first byte hangs up and ends with exit code 130", async () => {
    using ralph = await openFrontDoor({ answers: [failAnswer({ type: "silence", after: "request" })] });
    await using child = ralph.start(["-p", "hello"]);
    child.closeInput();
    await ralph.provider.nextRequest();
    child.kill("SIGINT");
    expect(outcomeOf(await child.exited)).toEqual({ code: 130, stdout: "", stderr: "ralph: Interrupted.\n" });
  });

  test("while waiting for the next attempt ends with exit code 130 at once", async () => {
    const limited = failAnswer({ type: "status", status: 429, headers: { "retry-after": "50" } });
    using ralph = await openFrontDoor({ answers: [limited] });
    await using child = ralph.start(["-p", "hello"]);
    child.closeInput();
    await child.waitForOutput("trying again in 50.0 s");
    child.kill("SIGINT");
    expect((await child.exited).code).toBe(130);
    expect(ralph.provider.requests).toHaveLength(1);
  });

  test.each([
    ["--json", "interrupted", (line: Line) => line.subtype],
    ["--mode=json", "interrupted", (line: Line) => line.outcome?.type],
  ] as const)("with %s still ends with a result line that holds the text", async (flag, expected, read) => {
    using ralph = await openFrontDoor({ answers: [beginning("half an answer")] });
    await using child = ralph.start(["-p", flag, "hello"]);
    child.closeInput();
    if (flag === "--json") await ralph.provider.nextRequest();
    else await child.waitForOutput('"text":"half "');
    child.kill("SIGINT");
    const { code, stdout } = await child.exited;
    const last: Line = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
    expect([code, last.type, read(last)]).toEqual([130, "result", expected]);
    if (flag !== "--json") expect(last.text).toBe("half ");
  });
});

interface Line {
  type: string;
  subtype?: string;
  outcome?: { type: string };
  text?: string;
}

describe("a reader", () => {
  test("that goes away ends the run, silently, though the answer has no end", async () => {
    using ralph = await openFrontDoor();
    const pieces = '{ text: "line" }, { wait: 5 }, '.repeat(300);
    const script = ralph.workspace.write("script.yml", `version: 1\nturns: [{ steps: [${pieces} { wait: 600000 }] }]`);
    const child = Bun.spawn(["sh", "-c", '"$@" | head -c1', "sh", ...ralphCommand(), ...asking(script)], {
      cwd: ralph.workspace.project,
      env: ralph.workspace.environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const printed = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    expect(await child.exited).toBe(0);
    expect(await printed).toEqual(["l", ""]);
  });

  test("that does not read cannot keep Ralph from hearing a second signal", async () => {
    using ralph = await openFrontDoor();
    const script = ralph.workspace.write(
      "script.yml",
      'version: 1\nturns: [{ steps: [{ text: "0123456789", repeat: 100000 }, { wait: 600000 }] }]',
    );
    const pipe = join(ralph.workspace.root, "pipe");
    Bun.spawnSync(["mkfifo", pipe]);
    const descriptor = openSync(pipe, "r+");
    const child = Bun.spawn([...ralphCommand(), ...asking(script)], {
      cwd: ralph.workspace.project,
      env: ralph.workspace.environment,
      stdio: ["ignore", descriptor, "ignore"],
      timeout: 10_000,
      killSignal: "SIGKILL",
    });
    // The first byte: the pipe is being filled with far more than it holds.
    await promisify(read)(descriptor, Buffer.alloc(1), 0, 1, null);
    const sent = performance.now();
    child.kill("SIGINT");
    child.kill("SIGTERM");
    expect(await child.exited).toBe(130);
    expect(performance.now() - sent).toBeLessThan(1500);
    closeSync(descriptor);
  });
});

function asking(script: string): string[] {
  return ["-p", "--model", `scripted/${script}`, "hello"];
}
