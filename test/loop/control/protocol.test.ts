import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { answerLine } from "../../../src/loop/control/answer-line.ts";
import { MAX_PROMPT_CHARACTERS } from "../../../src/loop/control/methods.ts";
import { serveControl } from "../../../src/loop/control/serve-control.ts";
import { fakeLoop } from "../../support/loop-controls.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { rawClient } from "../../support/raw-client.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();
const NOW = Date.UTC(2026, 0, 23, 10, 15, 30, 123);

async function served() {
  const loop = fakeLoop();
  const result = await serveControl({
    directory: join(directory(), "sockets"),
    name: "checkout",
    controls: loop.controls,
    clock: manualClock(NOW),
  });
  if (!result.ok) throw new Error(result.message);
  const { server } = result;
  return { ...loop, server, [Symbol.asyncDispose]: () => server.stop() };
}

const request = (id: unknown, method: string, params?: unknown) => ({ jsonrpc: "2.0", id, method, params });
const answer = (id: unknown, result: unknown) => ({ jsonrpc: "2.0", id, result });
const failure = (id: unknown, code: number, message: string, data?: string) => ({
  jsonrpc: "2.0",
  id,
  error: data === undefined ? { code, message } : { code, message, data },
});
const event = (type: string, data: unknown) => ({
  jsonrpc: "2.0",
  method: "event",
  params: { type, timestamp: "2026-01-23T10:15:30.123000", data, zone: "UTC" },
});

describe("the methods of the control socket", () => {
  test("get_status tells everything, with times in microseconds and without a zone, and the newest 200 lines", async () => {
    await using loop = await served();
    for (let line = 1; line <= 450; line++) loop.server.output(`line ${line}`);
    using client = await rawClient(loop.server.path);
    expect(await client.ask(request(1, "get_status", {}))).toEqual(
      answer(1, {
        task_name: "checkout",
        task_dir: "/code/tasks/checkout",
        iteration: 3,
        max_iterations: 50,
        current_story: "US-003",
        agent: "claude",
        status: "running",
        interactive_mode: false,
        mode_indicator: "AUTO",
        started_at: "2026-01-23T10:00:00.000000",
        updated_at: "2026-01-23T10:15:30.250000",
        recent_output: Array.from({ length: 200 }, (_, index) => `line ${251 + index}`),
        zone: "UTC",
      }),
    );
  });

  test("what is asked is answered in order and reaches the loop", async () => {
    await using loop = await served();
    using client = await rawClient(loop.server.path);
    const rows: [string, unknown, unknown][] = [
      ["stop", undefined, { status: "stop_requested" }],
      ["checkpoint", [1], { status: "checkpoint_requested" }],
      ["inject_prompt", { prompt: "  types first \n" }, { status: "prompt_injected", prompt: "types first" }],
      ["write_pty", { data: "ls\n" }, { status: "ignored", reason: "not in interactive mode" }],
      ["x/screen", {}, { status: "ignored", reason: "not in interactive mode" }],
      ["x/resize_pty", { columns: 100, rows: 30 }, { status: "resized" }],
      ["set_interactive_mode", { enabled: true }, { interactive_mode: true }],
      ["write_pty", { data: "ls -la\n" }, { status: "forwarded" }],
      ["x/screen", {}, { columns: 100, rows: 30, data: "", sequence: 0 }],
      ["set_interactive_mode", { enabled: false }, { interactive_mode: false }],
      ["x/get_receipts", {}, { receipts: [] }],
      ["x/get_stories", {}, { stories: [{ id: "US-003", title: "Pay by card", passes: false, verified: false }] }],
    ];
    for (const [index, [method, params]] of rows.entries()) client.send(request(index, method, params));
    const answers = [];
    for (const _ of rows) answers.push(await client.next());
    expect(answers).toEqual(rows.map(([, , result], index) => answer(index, result)));
    expect(loop.asked).toEqual([
      "stop",
      "checkpoint",
      "inject types first",
      'write "ls\\n"',
      "resize 100x30",
      "interactive true",
      'write "ls -la\\n"',
      "interactive false",
    ]);
  });

  test("params that are wrong are refused by name and do nothing", async () => {
    await using loop = await served();
    using client = await rawClient(loop.server.path);
    const types = "output, state_change, x/entry, x/pty, *";
    const size = "columns and rows must be whole numbers from 1 to 1000";
    const rows: [string, unknown, string][] = [
      ["inject_prompt", {}, "prompt must be a text that is not empty"],
      ["inject_prompt", { prompt: " \n" }, "prompt must be a text that is not empty"],
      ["inject_prompt", { prompt: 5 }, "prompt must be a text that is not empty"],
      ["inject_prompt", "prompt", "prompt must be a text that is not empty"],
      [
        "inject_prompt",
        { prompt: "x".repeat(MAX_PROMPT_CHARACTERS + 1) },
        "prompt may have at most 100000 characters and has 100001",
      ],
      ["set_interactive_mode", { enabled: "yes" }, "enabled must be true or false"],
      ["set_interactive_mode", {}, "enabled must be true or false"],
      ["write_pty", { data: "" }, "data must be a text that is not empty"],
      ["subscribe", {}, "events must be a list of names"],
      ["subscribe", { events: "output" }, "events must be a list of names"],
      ["subscribe", { events: ["output", 1] }, "events must be a list of names"],
      ["subscribe", { events: ["output", "weather"] }, `unknown event type: weather (there are: ${types})`],
      ["subscribe", { events: ["__proto__"] }, `unknown event type: __proto__ (there are: ${types})`],
      ["unsubscribe", {}, "events must be a list of names"],
      ["x/events", { enabled: 1 }, "enabled must be true or false"],
      ["x/resize_pty", { columns: 0, rows: 24 }, size],
      ["x/resize_pty", { columns: 80, rows: 1e9 }, size],
      ["x/resize_pty", { columns: 80.5, rows: 24 }, size],
    ];
    for (const [method, params, message] of rows) {
      expect(await client.ask(request(method, method, params))).toEqual(
        failure(method, -32602, `Invalid params: ${message}`),
      );
    }
    client.raw('{"jsonrpc":"2.0","id":9,"method":"inject_prompt","params":{"__proto__":{"prompt":"sneaked"}}}\n');
    expect(await client.next()).toEqual(failure(9, -32602, "Invalid params: prompt must be a text that is not empty"));
    expect(loop.asked).toEqual([]);
  });

  test("what is no request gets the code the protocol has for it", async () => {
    await using loop = await served();
    using client = await rawClient(loop.server.path);
    const rows: [string, unknown][] = [
      ["garbage", failure(null, -32700, "Parse error")],
      ['{"jsonrpc":"2.0","id":1', failure(null, -32700, "Parse error")],
      ["5", failure(null, -32600, "Invalid request", "no object")],
      ["null", failure(null, -32600, "Invalid request", "no object")],
      [
        '[{"jsonrpc":"2.0","id":1,"method":"stop"}]',
        failure(null, -32600, "Invalid request", "batches are not supported: send one request a line"),
      ],
      ['{"id":1,"method":"stop"}', failure(1, -32600, "Invalid request", 'jsonrpc must be "2.0"')],
      ['{"jsonrpc":"1.0","id":"a","method":"stop"}', failure("a", -32600, "Invalid request", 'jsonrpc must be "2.0"')],
      ['{"jsonrpc":"2.0","id":2}', failure(2, -32600, "Invalid request", "method is missing")],
      ['{"jsonrpc":"2.0","id":2,"method":7}', failure(2, -32600, "Invalid request", "method is missing")],
      [
        '{"jsonrpc":"2.0","id":{},"method":"stop"}',
        failure(null, -32600, "Invalid request", "id must be a string, a number or null"),
      ],
      ['{"jsonrpc":"2.0","id":3,"method":"foo"}', failure(3, -32601, "Method not found: foo")],
      ['{"jsonrpc":"2.0","id":3,"method":"__proto__"}', failure(3, -32601, "Method not found: __proto__")],
      ['{"jsonrpc":"2.0","id":3,"method":"constructor"}', failure(3, -32601, "Method not found: constructor")],
      ['{"jsonrpc":"2.0","id":"invalid","method":"foo"}', failure("invalid", -32601, "Method not found: foo")],
    ];
    const answers = [];
    for (const [line] of rows) {
      client.raw(`${line}\n`);
      answers.push(await client.next());
    }
    expect(answers).toEqual(rows.map(([, expected]) => expected));
    client.raw(new Uint8Array([0x22, 0xff, 0xfe, 0x22, 0x0a]));
    expect(await client.next()).toEqual(failure(null, -32700, "Parse error"));
    expect(loop.asked).toEqual([]);
  });

  test("a request without id is carried out and not answered, and empty lines are nothing", async () => {
    await using loop = await served();
    using client = await rawClient(loop.server.path);
    client.raw('\n  \r\n{"jsonrpc":"2.0","method":"stop"}\r\n\n{"jsonrpc":"2.0","method":"foo"}\n');
    expect(await client.ask(request(null, "checkpoint"))).toEqual(answer(null, { status: "checkpoint_requested" }));
    expect(loop.asked).toEqual(["stop", "checkpoint"]);
  });

  test("what the loop refuses, and what breaks in it, is an internal error that says why", async () => {
    await using loop = await served();
    using client = await rawClient(loop.server.path);
    loop.refusal.message = "the disk is full";
    expect(await client.ask(request(1, "stop"))).toEqual(failure(1, -32603, "Internal error: the disk is full"));
    loop.controls.stories = () => {
      throw new Error("a mistake");
    };
    expect(await client.ask(request(2, "x/get_stories"))).toEqual(failure(2, -32603, "Internal error: a mistake"));
  });
});

describe("events", () => {
  test("reach those who subscribed, behind the answers to what was asked before", async () => {
    await using loop = await served();
    using all = await rawClient(loop.server.path);
    using some = await rawClient(loop.server.path);
    expect(await all.ask(request(1, "subscribe", { events: ["*"] }))).toEqual(answer(1, { subscribed: ["*"] }));
    expect(await some.ask(request(1, "subscribe", { events: ["state_change", "output", "output"] }))).toEqual(
      answer(1, { subscribed: ["output", "state_change"] }),
    );
    expect(await some.ask(request(2, "unsubscribe", { events: ["output", "weather"] }))).toEqual(
      answer(2, { subscribed: ["state_change"] }),
    );
    loop.server.output("Implementing the migration…");
    Object.assign(loop.status, { iteration: 4, currentStory: "US-004", updatedAt: NOW });
    loop.server.stateChanged();
    loop.server.stateChanged();
    loop.status.currentStory = undefined;
    loop.server.stateChanged();
    const line = event("output", { line: "Implementing the migration…" });
    const changes = [
      event("state_change", { iteration: 4, current_story: "US-004" }),
      event("state_change", { current_story: "" }),
    ];
    expect([await all.next(), await all.next(), await all.next()]).toEqual([line, ...changes]);
    expect([await some.next(), await some.next()]).toEqual(changes);
  });

  test("an injected prompt is announced, and so is interactive mode", async () => {
    await using loop = await served();
    using client = await rawClient(loop.server.path);
    await client.ask(request(1, "subscribe", { events: ["state_change"] }));
    client.send(request(2, "inject_prompt", { prompt: "hurry" }));
    expect([await client.next(), await client.next()]).toEqual([
      event("state_change", { injected_prompt: "hurry" }),
      answer(2, { status: "prompt_injected", prompt: "hurry" }),
    ]);
    client.send(request(3, "set_interactive_mode", { enabled: true }));
    expect([await client.next(), await client.next()]).toEqual([
      event("state_change", { interactive_mode: true, mode_indicator: "INTERACTIVE" }),
      answer(3, { interactive_mode: true }),
    ]);
  });

  test("entries and the terminal are for those who name them, never for a star", async () => {
    await using loop = await served();
    using star = await rawClient(loop.server.path);
    using own = await rawClient(loop.server.path);
    await star.ask(request(1, "subscribe", { events: ["*"] }));
    expect(await own.ask(request(1, "x/events"))).toEqual(answer(1, { subscribed: ["x/entry"] }));
    await own.ask(request(2, "subscribe", { events: ["x/pty"] }));
    const entry = { type: "notice", level: "info", message: "hello", time: "2026-01-23T10:15:30.123Z" } as const;
    const bytes = Buffer.from("gr\u00fc\u00df\x1b[1m");
    loop.server.entry(entry);
    loop.server.pty(bytes.subarray(0, 3));
    loop.server.pty(bytes.subarray(3));
    loop.server.output("last");
    expect([await own.next(), await own.next(), await own.next()]).toEqual([
      event("x/entry", entry),
      event("x/pty", { data: "gr", sequence: 1 }),
      event("x/pty", { data: "\u00fc\u00df\x1b[1m", sequence: 2 }),
    ]);
    expect(await star.next()).toEqual(event("output", { line: "last" }));
    expect(await own.ask(request(3, "x/events", { enabled: false }))).toEqual(answer(3, { subscribed: ["x/pty"] }));
  });

  test("a very long line is cut, with what is missing", async () => {
    await using loop = await served();
    using client = await rawClient(loop.server.path);
    await client.ask(request(1, "subscribe", { events: ["output"] }));
    loop.server.output("x".repeat(100_000));
    expect(await client.next()).toEqual(event("output", { line: `${"x".repeat(16_384)}… (83616 more characters)` }));
  });
});

test("whatever a line holds, it is answered with one line of JSON or nothing, and never throws", async () => {
  const loop = fakeLoop();
  const world = {
    controls: loop.controls,
    subscriptions: { list: () => [], change: () => undefined },
    recentOutput: () => [],
    ptySequence: () => 0,
    stateChanged: () => undefined,
    announce: () => undefined,
    holdInteractive: () => undefined,
  };
  const names = fc.constantFrom(
    "get_status",
    "stop",
    "inject_prompt",
    "subscribe",
    "write_pty",
    "x/resize_pty",
    "toString",
  );
  const requests = fc.record(
    {
      jsonrpc: fc.constantFrom("2.0", "1.0"),
      id: fc.jsonValue(),
      method: fc.oneof(names, fc.jsonValue()),
      params: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const lines = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    requests.map((value) => JSON.stringify(value)),
  );
  await fc.assert(
    fc.asyncProperty(lines, async (line) => {
      const text = await answerLine(line, world);
      if (text === undefined) return;
      const { jsonrpc, ...rest } = JSON.parse(text);
      expect([jsonrpc, text.includes("\n"), "result" in rest !== "error" in rest]).toEqual(["2.0", false, true]);
    }),
    { numRuns: 200 },
  );
});
