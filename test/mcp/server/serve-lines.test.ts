import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import * as z from "zod";
import { readMessage } from "../../../src/mcp/server/read-message.ts";
import { serveLines } from "../../../src/mcp/server/serve-lines.ts";
import { type ServedTool, serveTool } from "../../../src/mcp/server/served-tools.ts";
import { systemClock } from "../../../src/system/clock.ts";

const HINTS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

function echo(run: (text: string) => Promise<{ ok: true; value: { text: string } }>): ServedTool {
  return serveTool({
    name: "echo",
    title: "Echo",
    description: "Says it again",
    hints: HINTS,
    input: z.strictObject({ text: z.string().max(5) }),
    output: z.strictObject({ text: z.string() }),
    run: ({ text }) => run(text),
  });
}

const NOTHING = { list: async () => [], read: async () => undefined };
const INITIALIZE = '{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":"2025-11-25"}}';

/** What comes back for these lines, in order. */
async function answers(lines: readonly string[], tool = echo(async (text) => ({ ok: true, value: { text } }))) {
  const written: string[] = [];
  async function* input() {
    yield new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""));
  }
  await serveLines({
    offer: { version: "1", instructions: "", tools: [tool], resources: NOTHING },
    input: input(),
    write: (line) => written.push(line),
    clock: systemClock,
    signal: new AbortController().signal,
  });
  return written.map((line) => JSON.parse(line));
}

const callLine = (id: number, args: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "echo", arguments: args } });

describe("a message", () => {
  test("whatever it is, it is read without a fault, and only a request with an id is answered", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const read = readMessage(value);
        expect(["request", "notification", "answer", "invalid"]).toContain(read.type);
      }),
    );
    const id = fc.oneof(fc.string(), fc.integer());
    fc.assert(
      fc.property(id, fc.string(), fc.dictionary(fc.string(), fc.jsonValue()), (known, method, params) => {
        const read = readMessage({ jsonrpc: "2.0", id: known, method, params });
        expect(read).toEqual({ type: "request", id: known, method, params });
      }),
    );
  });
});

describe("a server", () => {
  test("goes on after any line, and answers none twice", async () => {
    const line = fc.oneof(
      fc.string().map((text) => text.replaceAll("\n", " ")),
      fc.json(),
      fc
        .record({ jsonrpc: fc.constant("2.0"), id: fc.integer(), method: fc.string() })
        .map((one) => JSON.stringify(one)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 10 }), async (lines) => {
        const all = await answers([...lines, INITIALIZE]);
        expect(all.filter(({ id }) => id === "first")).toHaveLength(1);
        expect(all.length).toBeLessThanOrEqual(lines.length + 1);
      }),
      { numRuns: 50 },
    );
  });

  test("checks arguments before it runs anything; what is wrong with them is for the caller's model", async () => {
    const ran: string[] = [];
    const tool = echo(async (text) => {
      ran.push(text);
      return { ok: true, value: { text } };
    });
    const all = await answers(
      [INITIALIZE, callLine(1, { text: "a" }), callLine(2, { text: "a", more: 1 }), callLine(3, { text: "too long" })],
      tool,
    );
    const results = all
      .slice(1)
      .map(({ id, result }) => ({ id, ...result }))
      .toSorted((one, other) => one.id - other.id);
    expect({ ran, results }).toEqual({
      ran: ["a"],
      results: [
        { id: 1, content: [{ type: "text", text: '{"text":"a"}' }], structuredContent: { text: "a" } },
        {
          id: 2,
          content: [{ type: "text", text: 'The arguments do not fit: Unrecognized key: "more".' }],
          isError: true,
        },
        {
          id: 3,
          content: [
            { type: "text", text: "The arguments do not fit: text: Too big: expected string to have <=5 characters." },
          ],
          isError: true,
        },
      ],
    });
  });

  test("a tool with a defect is an error of its request and of no other", async () => {
    const tool = echo(async (text) => {
      if (text === "bad") throw new Error("oh");
      return { ok: true, value: { text } };
    });
    const all = await answers([INITIALIZE, callLine(1, { text: "bad" }), callLine(2, { text: "good" })], tool);
    const short = all.slice(1).map(({ id, error, result }) => [id, error ?? result.structuredContent]);
    expect(short.toSorted()).toEqual([
      [1, { code: -32_603, message: "This is a bug in Ralph: oh" }],
      [2, { text: "good" }],
    ]);
  });
});
