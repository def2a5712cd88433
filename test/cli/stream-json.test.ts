import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CLAUDE_ADAPTER } from "../../src/loop/transcripts/claude.ts";
import type { TranscriptEvent } from "../../src/protocol/transcript-events.ts";
import { failAnswer, textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { openFrontDoor } from "../support/front-door.ts";

const SAMPLES = join(import.meta.dir, "../fixtures/transcripts/claude");
const LIMIT_MS = 60_000;

type Line = Record<string, unknown>;

const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

const sample = (name: string) => linesOf(readFileSync(join(SAMPLES, `${name}.stream-json.jsonl`), "utf8"));

/** What the loop's own reader of Claude Code makes of the lines. */
function readAsClaude(text: string): TranscriptEvent[] {
  let state = CLAUDE_ADAPTER.start({ prompt: "" });
  const events: TranscriptEvent[] = [];
  for (const line of text.trimEnd().split("\n")) {
    const step = CLAUDE_ADAPTER.step(state, { text: line, stream: "stdout", atMs: 0 });
    state = step.state;
    events.push(...step.events);
  }
  return [...events, ...CLAUDE_ADAPTER.flush(state).events];
}

/** The fields of `sample` that Ralph has too must be of the same kind; those it names as needed must be there. */
function shapeProblems(line: Line, like: Line, needed: readonly string[]): string[] {
  const missing = needed.filter((name) => !(name in line)).map((name) => `${name} is missing`);
  const other = Object.keys(line)
    .filter((name) => name in like && like[name] !== null && line[name] !== null)
    .filter((name) => kindOf(line[name]) !== kindOf(like[name]))
    .map((name) => `${name} is ${kindOf(line[name])}, not ${kindOf(like[name])}`);
  return [...missing, ...other];
}

const kindOf = (value: unknown) => (Array.isArray(value) ? "array" : typeof value);

const NEEDED: Record<string, string[]> = {
  system: ["subtype", "session_id", "cwd", "tools", "model", "permissionMode", "uuid"],
  assistant: ["message", "parent_tool_use_id", "session_id", "uuid", "timestamp"],
  user: ["message", "parent_tool_use_id", "session_id", "uuid", "timestamp"],
  result: "subtype is_error duration_ms duration_api_ms num_turns result stop_reason session_id usage uuid".split(" "),
};

const tools = () => [
  toolCallAnswer({ name: "read_file", input: { path: "a.txt" }, id: "toolu_1" }),
  textAnswer("Done."),
];

describe("--mode stream-json", () => {
  test(
    "prints the lines of Claude Code, field by field",
    async () => {
      using door = await openFrontDoor({ answers: tools() });
      door.workspace.write("project/a.txt", "one\n");
      const { code, stdout } = await door.run(["-p", "read it", "--mode", "stream-json", "--yolo"]);
      const lines = linesOf(stdout);
      expect(code).toBe(0);
      expect(lines.map(({ type, subtype }) => [type, subtype])).toEqual([
        ["system", "init"],
        ["assistant", undefined],
        ["user", undefined],
        ["assistant", undefined],
        ["result", "success"],
      ]);
      const samples = sample("tools");
      const problems = lines.flatMap((line) => {
        const like = samples.find(({ type }) => type === line.type) ?? {};
        return shapeProblems(line, like, NEEDED[String(line.type)] ?? []).concat(
          shapeProblems((line.message ?? {}) as Line, (like.message ?? {}) as Line, Object.keys(line.message ?? {})),
        );
      });
      expect(problems).toEqual([]);
      expect(new Set(lines.map((line) => line.session_id)).size).toBe(1);
      expect(lines[0]).toMatchObject({ cwd: door.workspace.project, permissionMode: "bypassPermissions" });
      expect(lines.at(-1)).toMatchObject({ is_error: false, num_turns: 2, result: "Done.", stop_reason: "end_turn" });
    },
    LIMIT_MS,
  );

  test(
    "is read by the loop's reader of Claude Code",
    async () => {
      using door = await openFrontDoor({ answers: tools() });
      door.workspace.write("project/a.txt", "one\n");
      const { stdout } = await door.run(["-p", "read it", "--output-format", "stream-json", "--yolo"]);
      const events = readAsClaude(stdout);
      const kinds = new Set(events.map(({ type }) => type));
      expect(kinds.has("usage")).toBe(true);
      expect(JSON.stringify(events)).toContain('"kind":"final","text":"Done."');
      expect(JSON.stringify(events)).toContain('"kind":"session"');
      expect(JSON.stringify(events)).not.toContain("unreadable");
    },
    LIMIT_MS,
  );

  test(
    "says a provider's error as Claude Code does",
    async () => {
      using door = await openFrontDoor({ answers: [failAnswer({ type: "status", status: 401 })] });
      const { code, stdout } = await door.run(["-p", "hello", "--mode", "stream-json"]);
      const [assistant, result] = linesOf(stdout).slice(-2);
      const [like, likeResult] = sample("error-401").slice(-2);
      expect(code).toBe(3);
      expect(shapeProblems(assistant ?? {}, like ?? {}, ["error", "is_api_error_message", "api_error_status"])).toEqual(
        [],
      );
      expect(shapeProblems(result ?? {}, likeResult ?? {}, NEEDED.result ?? [])).toEqual([]);
      expect(result).toMatchObject({ subtype: "success", is_error: true, api_error_status: 401 });
      expect(JSON.stringify(readAsClaude(stdout))).toContain('"cause":"credentials"');
    },
    LIMIT_MS,
  );

  test(
    "ends at the turn limit with error_max_turns",
    async () => {
      using door = await openFrontDoor({ answers: tools() });
      const { code, stdout } = await door.run(["-p", "x", "--mode", "stream-json", "--yolo", "--max-turns", "1"]);
      const result = linesOf(stdout).at(-1);
      expect([code, result?.subtype, result?.is_error, result?.errors]).toEqual([
        5,
        "error_max_turns",
        true,
        ["Stopped: the limit of 1 turns is reached."],
      ]);
    },
    LIMIT_MS,
  );

  test(
    "names what was not allowed, with the call",
    async () => {
      using door = await openFrontDoor({
        answers: [
          toolCallAnswer({ name: "shell", input: { command: "curl http://127.0.0.1:9" }, id: "toolu_9" }),
          textAnswer("I may not."),
        ],
      });
      const { stdout } = await door.run(["-p", "x", "--mode", "stream-json"]);
      expect(linesOf(stdout).at(-1)?.permission_denials).toEqual([
        { tool_name: "shell", tool_input: { command: "curl http://127.0.0.1:9" }, tool_use_id: "toolu_9" },
      ]);
    },
    LIMIT_MS,
  );
});

describe("the formats of Claude Code", () => {
  test(
    "json is the result line alone",
    async () => {
      using door = await openFrontDoor({ answers: tools() });
      const { stdout } = await door.run(["-p", "x", "--output-format", "json", "--yolo"]);
      expect(linesOf(stdout).map(({ type, result }) => [type, result])).toEqual([["result", "Done."]]);
    },
    LIMIT_MS,
  );

  test(
    "stream-json as input asks one message after the other in one session",
    async () => {
      using door = await openFrontDoor({ answers: [textAnswer("First."), textAnswer("Second.")] });
      const said = (content: unknown) => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;
      const flags = ["-p", "--input-format", "stream-json", "--output-format", "stream-json"];
      const stdin = said("one") + said([{ type: "text", text: "two" }]);
      const { code, stdout } = await door.run(flags, { stdin });
      const results = linesOf(stdout).filter(({ type }) => type === "result");
      expect([code, results.map(({ result }) => result)]).toEqual([0, ["First.", "Second."]]);
      expect(new Set(results.map(({ session_id }) => session_id)).size).toBe(1);
      expect(JSON.stringify(door.provider.requests.at(-1)?.body)).toContain("First.");
    },
    LIMIT_MS,
  );

  test(
    "a program that writes a line, waits for its result and writes the next is answered line by line",
    async () => {
      using door = await openFrontDoor({ answers: [textAnswer("First."), textAnswer("Second.")] });
      const said = (content: string) => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;
      await using ralph = door.start(["-p", "--input-format", "stream-json", "--output-format", "stream-json"]);
      ralph.write(said("one"));
      await ralph.waitForOutput(/"result":"First\."/);
      ralph.write(`\n${said("two")}`);
      await ralph.waitForOutput(/"result":"Second\."/);
      ralph.write("three\n");
      const { code, stderr } = await ralph.exited;
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(/^ralph: Line 4 of standard input is no user message\./),
      });
    },
    LIMIT_MS,
  );

  test(
    "a signal ends the waiting for another line",
    async () => {
      using door = await openFrontDoor({ answers: [textAnswer("First.")] });
      await using ralph = door.start(["-p", "--input-format", "stream-json", "--output-format", "stream-json"]);
      ralph.write(`${JSON.stringify({ type: "user", message: { role: "user", content: "one" } })}\n`);
      await ralph.waitForOutput(/"result":"First\."/);
      ralph.kill("SIGTERM");
      expect((await ralph.exited).code).toBe(0);
    },
    LIMIT_MS,
  );

  for (const [stdin, name] of [
    ["hello\n", "words"],
    ['{"type":"user","message":{"role":"assistant","content":"x"}}\n', "the words of another"],
    ['{"type":"user","message":{"role":"user","content":[{"type":"image"}]}}\n', "a picture without bytes"],
  ] as const) {
    test(
      `refuse ${name} on a line of input, and say which`,
      async () => {
        using door = await openFrontDoor();
        const { code, stderr } = await door.run(["-p", "--input-format", "stream-json"], { stdin });
        expect({ code, stderr }).toEqual({
          code: 2,
          stderr: expect.stringMatching(/^ralph: Line 1 of standard input is no user message\./),
        });
      },
      LIMIT_MS,
    );
  }

  test(
    "are not given beside each other",
    async () => {
      using door = await openFrontDoor();
      const { code, stderr } = await door.run(["-p", "x", "--json", "--output-format", "json"]);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: "ralph: --json and --output-format json are two forms of output. Give one of them.\n",
      });
    },
    LIMIT_MS,
  );
});
