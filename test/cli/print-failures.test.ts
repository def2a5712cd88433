import { describe, expect, test } from "bun:test";
import { breakingAnswer } from "../support/breaking-answer.ts";
import { type Fault, failAnswer, textAnswer } from "../support/fake-answer.ts";
import { hostOf, KEY, openFrontDoor, outcomeOf } from "../support/front-door.ts";

function status(code: number, more: Partial<Extract<Fault, { type: "status" }>> = {}): Fault {
  return { type: "status", status: code, ...more };
}

describe("a request that fails", () => {
  test("for its key ends with exit code 3 and does not repeat the key", async () => {
    const body = JSON.stringify({ error: { message: `invalid x-api-key ${KEY}.\nsecond line` } });
    using ralph = await openFrontDoor({ answers: [failAnswer(status(401, { body }))] });
    expect(outcomeOf(await ralph.run(["-p", "hello"]))).toEqual({
      code: 3,
      stdout: "",
      stderr: `ralph: ${hostOf(ralph)} answered 401: invalid x-api-key [redacted]. The key was refused.\nralph: The key came from ANTHROPIC_API_KEY.\n`,
    });
    expect(ralph.provider.requests).toHaveLength(1);
  });

  test.each([
    [400, "", "bad form"],
    [404, ". See what can be used: ralph models", "no such model"],
    [413, ". Send less, or use a --model with a larger window.", "prompt is too long: 9 > 8"],
  ])("with status %d ends with exit code 4, host, status and first line", async (code, advice, message) => {
    const body = JSON.stringify({ error: { message: `${message}\nand a second line` } });
    using ralph = await openFrontDoor({ answers: [failAnswer(status(code, { body }))] });
    expect(outcomeOf(await ralph.run(["-p", "hello"]))).toEqual({
      code: 4,
      stdout: "",
      stderr: `ralph: ${hostOf(ralph)} answered ${code}: ${message}${advice}\n`,
    });
    expect(ralph.provider.requests).toHaveLength(1);
  });

  test("on the server is made three times more, says so, and ends with exit code 4", async () => {
    const answers = Array.from({ length: 4 }, () => failAnswer(status(500)));
    using ralph = await openFrontDoor({ answers });
    const reason = `${hostOf(ralph)} answered 500: The fake provider answers with status 500`;
    const again = [2, 3, 4].map((attempt) => `ralph: ${reason}; trying again in 0.0 s (attempt ${attempt})\n`);
    expect(outcomeOf(await ralph.run(["-p", "hello"]))).toEqual({
      code: 4,
      stdout: "",
      stderr: `${again.join("")}ralph: ${reason}\n`,
    });
    expect(ralph.provider.requests).toHaveLength(4);
  });

  test("is made as often as config.yml says", async () => {
    using ralph = await openFrontDoor({ answers: [failAnswer(status(503)), textAnswer("never")] });
    ralph.writeConfig("retry: { beforeFirstByte: 0 }\n");
    expect((await ralph.run(["-p", "hello"])).code).toBe(4);
    expect(ralph.provider.requests).toHaveLength(1);
  });

  test("because nobody listens ends with exit code 4 and names the host", async () => {
    using ralph = await openFrontDoor();
    ralph.writeConfig("retry: { beforeFirstByte: 0 }\n");
    const host = hostOf(ralph);
    ralph.provider.stop();
    const { code, stderr, stdout } = await ralph.run(["-p", "hello"]);
    expect([code, stdout]).toEqual([4, ""]);
    expect(stderr).toStartWith(`ralph: ${host} could not be reached: `);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test("for its rate is made again after the wait the provider asks for", async () => {
    const limited = failAnswer(status(429, { headers: { "retry-after-ms": "40" } }));
    using ralph = await openFrontDoor({ answers: [limited, textAnswer("at last")] });
    const { code, stdout, stderr } = await ralph.run(["-p", "hello"]);
    expect([code, stdout]).toEqual([0, "at last\n"]);
    expect(stderr).toMatch(/answered 429: .*; trying again in 0\.0 s \(attempt 2\)\n$/);
    const [first, second] = ralph.provider.requests;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(38);
    expect(second?.rawBody).toBe(first?.rawBody ?? "");
  });

  test("for its rate is given up at once where the wait would be longer than a minute", async () => {
    const limited = failAnswer(status(429, { headers: { "retry-after": "3600" } }));
    using ralph = await openFrontDoor({ answers: [limited] });
    const { code, stderr } = await ralph.run(["-p", "hello"]);
    expect(code).toBe(4);
    expect(stderr).toEndWith(". Wait a little, or use another --model.\n");
    expect(ralph.provider.requests).toHaveLength(1);
  });

  test("cannot steer the terminal with what the provider says", async () => {
    const body = JSON.stringify({ error: { message: "bad \u001b[2J\u0007 form" } });
    using ralph = await openFrontDoor({ answers: [failAnswer(status(400, { body }))] });
    expect((await ralph.run(["-p", "hello"])).stderr).toBe(`ralph: ${hostOf(ralph)} answered 400: bad [2J form\n`);
  });
});

describe("an answer that breaks off after its text began", () => {
  test("leaves the text in a pipe, ends with exit code 4 and is not asked for again", async () => {
    const { answer, cut } = breakingAnswer("half an answer");
    using ralph = await openFrontDoor({ answers: [answer, textAnswer("another")] });
    await using child = ralph.start(["-p", "hello"]);
    child.closeInput();
    await child.waitForOutput("half ");
    cut();
    expect(outcomeOf(await child.exited)).toEqual({
      code: 4,
      stdout: "half \n",
      stderr: "ralph: the answer ended in the middle\n",
    });
    expect(ralph.provider.requests).toHaveLength(1);
  });

  test("is asked for again in a terminal, on a line of its own behind what had come", async () => {
    const { answer, cut } = breakingAnswer("half an answer");
    using ralph = await openFrontDoor({ answers: [answer, textAnswer("the whole answer")] });
    await using child = ralph.inTerminal(["-p", "hello"]);
    await child.waitForOutput("half ");
    cut();
    expect(await child.exited).toEqual({
      code: 0,
      screen: "half \nralph: the answer ended in the middle; trying again in 0.0 s (attempt 2)\nthe whole answer\n",
    });
  });

  test("is asked for again with --json, where nothing was shown yet", async () => {
    const breaking = breakingAnswer("half an answer");
    breaking.cut();
    using ralph = await openFrontDoor({
      answers: [breaking.answer, textAnswer("the whole answer")],
    });
    const { code, stdout } = await ralph.run(["-p", "--json", "hello"]);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect([code, lines.map(({ type }) => type), lines.at(-1).result]).toEqual([
      0,
      ["system", "assistant", "result"],
      "the whole answer",
    ]);
  });
});

describe("an answer that is none", () => {
  test.each([
    ["refusal", "The model refused to answer. Say it differently or use another model."],
    ["length", "The answer is cut: it reached the model's output limit. Ask for less, or raise --max-output-tokens."],
  ] as const)("for %s is printed and ends with exit code 1 and a line that says so", async (stopReason, line) => {
    using ralph = await openFrontDoor({ answers: [textAnswer("as far as it goes", { stopReason })] });
    expect(outcomeOf(await ralph.run(["-p", "--max-output-tokens", "9000", "hello"]))).toEqual({
      code: 1,
      stdout: "as far as it goes\n",
      stderr: `ralph: ${line}\n`,
    });
  });
});

describe("--debug", () => {
  test("shows what is sent and what came back, without the key", async () => {
    using ralph = await openFrontDoor();
    const { stdout, stderr } = await ralph.run(["-p", "--debug", `my key is ${KEY}`]);
    expect(stdout).toBe("ok\n");
    expect(stderr).toContain(`> POST ${ralph.provider.origin}/v1/messages {"model":"claude-sonnet-5"`);
    expect(stderr).toContain(`< 200 ${ralph.provider.origin}/v1/messages`);
    expect(stderr).not.toContain(KEY);
  });

  test("absent, no failure shows a stack trace", async () => {
    using ralph = await openFrontDoor({ answers: [failAnswer({ type: "garbage" }), failAnswer(status(400))] });
    ralph.writeConfig("retry: { afterFirstByte: 0 }\n");
    const runs = [
      await ralph.run(["-p", "hello"]),
      await ralph.run(["-p", "hello"]),
      await ralph.run(["-p", "hello"], { environment: { ANTHROPIC_BASE_URL: "not an address" } }),
      await ralph.run(["-p", "hello"], {
        environment: { HTTP_PROXY: "http://127.0.0.1:1", NO_PROXY: "", no_proxy: "" },
      }),
    ];
    expect(runs.map(({ code }) => code)).toEqual([4, 4, 2, 4]);
    for (const { stderr } of runs) {
      expect(stderr).not.toMatch(/^\s+at /m);
      expect(stderr).not.toContain("bug in Ralph");
    }
  });
});
