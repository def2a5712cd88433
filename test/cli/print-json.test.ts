import { describe, expect, test } from "bun:test";
import * as z from "zod";
import { agentEvent, agentOutcome, agentTotals } from "../../src/protocol/agent-events.ts";
import { failAnswer, textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { hostOf, openFrontDoor } from "../support/front-door.ts";

const usageLine = z.strictObject({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_read_input_tokens: z.number(),
  cache_creation_input_tokens: z.number(),
});

/** The lines of `--json` as other programs read them. */
const jsonLine = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("assistant"),
    message: z.strictObject({
      role: z.literal("assistant"),
      model: z.string(),
      content: z.array(
        z.discriminatedUnion("type", [
          z.strictObject({ type: z.literal("text"), text: z.string() }),
          z.strictObject({
            type: z.literal("tool_use"),
            id: z.string(),
            name: z.string(),
            input: z.record(z.string(), z.unknown()),
          }),
        ]),
      ),
      usage: usageLine,
    }),
  }),
  z.strictObject({
    type: z.literal("user"),
    message: z.strictObject({
      role: z.literal("user"),
      content: z.array(
        z.strictObject({
          type: z.literal("tool_result"),
          tool_use_id: z.string(),
          content: z.string(),
          is_error: z.boolean(),
        }),
      ),
    }),
  }),
  z.strictObject({ type: z.literal("system"), subtype: z.enum(["retry", "notice"]), message: z.string() }),
  z.strictObject({
    type: z.literal("result"),
    subtype: z.string(),
    is_error: z.boolean(),
    result: z.string(),
    error: z.string().optional(),
    stop_reason: z.string().optional(),
    num_turns: z.number(),
    usage: usageLine,
    total_cost_usd: z.number().optional(),
  }),
]);

/** The lines of `--mode json`: events, then the result. */
const eventLine = z.union([
  agentEvent,
  z.strictObject({ type: z.literal("result"), outcome: agentOutcome, totals: agentTotals, text: z.string() }),
]);

function linesOf<Line>(stdout: string, schema: z.ZodType<Line>): Line[] {
  expect(stdout).toEndWith("\n");
  return stdout
    .slice(0, -1)
    .split("\n")
    .map((line) => schema.parse(JSON.parse(line)));
}

const USAGE = { input: 1_000_000, output: 1_000_000, cacheRead: 0, cacheWrite: 0 };
const NOTHING_USED = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

describe("--json", () => {
  test("prints the answer and the result, each on a line, with counts and cost", async () => {
    using ralph = await openFrontDoor({ answers: [textAnswer("two\nlines", { usage: USAGE })] });
    ralph.writeModels(
      "providers: { anthropic: { modelOverrides: { claude-sonnet-5: { cost: { input: 3, output: 15 } } } } }\n",
    );
    const { code, stdout, stderr } = await ralph.run(["-p", "--json", "hello"]);
    const usage = { ...NOTHING_USED, input_tokens: 1_000_000, output_tokens: 1_000_000 };
    expect([code, stderr]).toEqual([0, ""]);
    expect(linesOf(stdout, jsonLine)).toEqual([
      {
        type: "assistant",
        message: {
          role: "assistant",
          model: "claude-sonnet-5",
          content: [{ type: "text", text: "two\nlines" }],
          usage,
        },
      },
      {
        type: "result",
        subtype: "success",
        is_error: false,
        result: "two\nlines",
        stop_reason: "stop",
        num_turns: 1,
        usage,
        total_cost_usd: 18,
      },
    ]);
  });

  test("prints calls of tools and their results", async () => {
    using ralph = await openFrontDoor({ answers: [toolCallAnswer({ id: "t1", name: "read", input: { path: "a" } })] });
    ralph.workspace.write("project/a", "one line\n");
    const [called, result] = linesOf((await ralph.run(["-p", "--json", "hello"])).stdout, jsonLine);
    expect(called?.type === "assistant" && called.message.content).toEqual([
      { type: "tool_use", id: "t1", name: "read", input: { path: "a" } },
    ]);
    expect(result).toMatchObject({ type: "user", message: { content: [{ tool_use_id: "t1", is_error: false }] } });
    expect(result?.type === "user" && result.message.content[0]?.content).toContain("one line");
  });

  test("prints retries, and a failure as the result", async () => {
    const answers = [failAnswer({ type: "status", status: 500 }), failAnswer({ type: "status", status: 404 })];
    using ralph = await openFrontDoor({ answers });
    const { code, stdout } = await ralph.run(["-p", "--json", "hello"]);
    const says = (status: number) =>
      `${hostOf(ralph)} answered ${status}: The fake provider answers with status ${status}`;
    expect(code).toBe(4);
    expect(linesOf(stdout, jsonLine)).toEqual([
      { type: "system", subtype: "retry", message: `${says(500)}; trying again in 0.0 s (attempt 2)` },
      {
        type: "result",
        subtype: "error_not-found",
        is_error: true,
        result: "",
        error: `${says(404)}. See what can be used: ralph models`,
        num_turns: 1,
        usage: NOTHING_USED,
      },
    ]);
  });

  test.each([
    ["refusal", "refused"],
    ["length", "truncated"],
  ] as const)("says %s in the result and in the exit code", async (stopReason, subtype) => {
    using ralph = await openFrontDoor({ answers: [textAnswer("part", { stopReason })] });
    const { code, stdout } = await ralph.run(["-p", "--json", "--max-output-tokens", "9000", "hello"]);
    expect(code).toBe(1);
    expect(linesOf(stdout, jsonLine).at(-1)).toMatchObject({
      subtype,
      is_error: true,
      result: "part",
      stop_reason: stopReason,
    });
  });

  test("ends with a result line also where nothing could be asked", async () => {
    using ralph = await openFrontDoor();
    const refusals = [
      { args: ["hello"], environment: { ANTHROPIC_API_KEY: undefined }, code: 3, subtype: "error_credentials" },
      { args: ["--model", "none/such", "hello"], environment: {}, code: 2, subtype: "error_invalid-request" },
      { args: [""], environment: {}, code: 2, subtype: "error_invalid-request" },
      { args: ["see @none.png"], environment: {}, code: 2, subtype: "error_invalid-request" },
    ];
    for (const { args, environment, code, subtype } of refusals) {
      const run = await ralph.run(["-p", "--json", ...args], { environment });
      const lines = linesOf(run.stdout, jsonLine).map((line) => (line.type === "result" ? line.subtype : line.type));
      expect([run.code, lines]).toEqual([code, [subtype]]);
      expect(run.stderr).not.toBe("");
    }
  });
});

describe("--mode json", () => {
  test("prints every event, then the result", async () => {
    using ralph = await openFrontDoor({ answers: [textAnswer("one two")] });
    const { code, stdout, stderr } = await ralph.run(["-p", "--mode", "json", "hello"]);
    const lines = linesOf(stdout, eventLine);
    expect([code, stderr]).toEqual([0, ""]);
    expect(lines.map((line) => (line.type === "message-update" ? line.event.type : line.type))).toEqual([
      "agent-start",
      "message-start",
      "message-end",
      "turn-start",
      "message-start",
      "text-start",
      "text-delta",
      "text-delta",
      "text-end",
      "usage",
      "done",
      "message-end",
      "turn-end",
      "agent-end",
      "result",
    ]);
    expect(lines[0]).toMatchObject({ version: 1, model: "anthropic/claude-sonnet-5", effort: "medium" });
    expect(lines.at(-1)).toMatchObject({ outcome: { type: "done" }, text: "one two", totals: { turns: 1 } });
  });

  test("prints a failure as its error event, the outcome and the result", async () => {
    using ralph = await openFrontDoor({ answers: [failAnswer({ type: "status", status: 400 })] });
    const { code, stdout } = await ralph.run(["-p", "--mode", "json", "hello"]);
    const lines = linesOf(stdout, eventLine);
    expect(code).toBe(4);
    expect(lines.slice(-4).map(({ type }) => type)).toEqual(["message-update", "turn-end", "agent-end", "result"]);
    expect(lines.at(-1)).toMatchObject({
      outcome: { type: "failed", error: { kind: "invalid-request", status: 400, host: hostOf(ralph) } },
      text: "",
    });
  });

  test("ends with a result line also where nothing could be asked", async () => {
    using ralph = await openFrontDoor();
    const { code, stdout } = await ralph.run(["-p", "--mode=json", "--model", "none/such", "hello"]);
    const lines = linesOf(stdout, eventLine);
    expect(code).toBe(2);
    expect(lines.map(({ type }) => type)).toEqual(["agent-end", "result"]);
  });

  test("is refused for a mode that does not exist, with the nearest", async () => {
    using ralph = await openFrontDoor();
    const { code, stderr } = await ralph.run(["-p", "--mode", "jsno", "hello"]);
    expect([code, stderr]).toEqual([2, 'ralph: Unknown --mode "jsno". Did you mean json?\n']);
  });
});
