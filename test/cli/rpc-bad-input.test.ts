import { describe, expect, test } from "bun:test";
import * as z from "zod";
import { RPC_COMMANDS, type RpcCommandName } from "../../src/rpc/commands.ts";
import { INBOUND_FRAMES, type InboundName } from "../../src/rpc/frames.ts";
import { MAX_LINE_BYTES } from "../../src/rpc/inbound-lines.ts";
import { startRpcHost } from "../support/rpc-host.ts";
import { SAMPLE_COMMANDS, SAMPLE_FRAMES } from "../support/rpc-samples.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

// Whatever a host sends: it is told what is wrong, and the next line works.

interface Kind {
  type: string;
  sample: Record<string, unknown>;
  shape: z.ZodType;
}

const KINDS: Kind[] = [
  ...(Object.keys(RPC_COMMANDS) as RpcCommandName[]).map((type) => ({
    type,
    sample: { type, ...SAMPLE_COMMANDS[type] },
    shape: RPC_COMMANDS[type].params,
  })),
  ...(Object.keys(INBOUND_FRAMES) as InboundName[]).map((type) => ({
    type,
    sample: { ...SAMPLE_FRAMES[type] },
    shape: INBOUND_FRAMES[type].shape,
  })),
];

interface BadLine {
  what: string;
  line: string;
  /** What the answer is about. */
  command: string;
}

const DEEP = "[".repeat(100) + "]".repeat(100);

function badLinesOf({ type, sample, shape }: Kind): BadLine[] {
  const whole = JSON.stringify(sample);
  const fields = Object.keys(sample).filter((field) => field !== "type");
  const changed = (field: string, json: string) =>
    JSON.stringify({ ...sample, [field]: 0 }).replace(`"${field}":0`, `"${field}":${json}`);
  const own = (what: string, line: string): BadLine => ({ what: `${type}: ${what}`, line, command: type });
  const unreadable = (what: string, line: string): BadLine => ({ what: `${type}: ${what}`, line, command: "parse" });
  return [
    ...requiredOf(shape)
      .filter((field) => field !== "type")
      .map((field) => own(`${field} is missing`, JSON.stringify({ ...sample, [field]: undefined }))),
    ...fields.flatMap((field) => [
      ...(ANYTHING.has(`${type}.${field}`)
        ? []
        : [
            own(`${field} has a wrong type`, changed(field, '{"wrong":[1]}')),
            own(`${field} is null`, changed(field, "null")),
          ]),
      unreadable(`${field} is nested too deep`, changed(field, DEEP)),
      unreadable(`${field} stands there twice`, whole.replace(`"${field}":`, `"${field}":1,"${field}":`)),
      unreadable(`${field} reaches for a prototype`, changed(field, '{"__proto__":{"polluted":1}}')),
    ]),
    own("a field nobody knows", JSON.stringify({ ...sample, unknown: 1 })),
    own("an id that is none", JSON.stringify({ ...sample, id: 7 })),
    own("an id that is too long", JSON.stringify({ ...sample, id: "x".repeat(257) })),
    unreadable("a prototype", whole.replace("{", '{"__proto__":{"polluted":1},')),
    unreadable("a constructor's prototype", whole.replace("{", '{"constructor":{"prototype":{"polluted":1}},')),
    unreadable("cut off", whole.slice(0, -1)),
  ];
}

/** Fields that may hold any JSON: what it means is for the command itself to say. */
const ANYTHING = new Set(["workflow_gate_response.answer", "negotiate_unattended.declaration"]);

function requiredOf(shape: z.ZodType): string[] {
  const schema = z.toJSONSchema(shape, { unrepresentable: "any" }) as {
    required?: string[];
    anyOf?: { required?: string[] }[];
  };
  return schema.required ?? schema.anyOf?.[0]?.required ?? [];
}

describe("a line", () => {
  test("that is wrong gives a typed error, whatever its kind, and the next line works", async () => {
    using workspace = tempWorkspace();
    await using host = startRpcHost(["--model", "scripted/demo"], { workspace, timeoutMs: 60_000 });
    const lines = KINDS.flatMap(badLinesOf);
    host.sendText(lines.map(({ line }) => `${line}\n`).join(""));
    const state = await host.request({ type: "get_state" });
    const answers = host.frames().slice(1, -1);
    const told = answers.map(({ type, command, success, error }) => {
      const { code, message } = error as { code: unknown; message: unknown };
      return { type, command, success, isTyped: typeof code === "string" && typeof message === "string" };
    });
    expect(lines.length).toBeGreaterThan(400);
    expect(told.map((answer, index) => ({ what: lines[index]?.what, ...answer }))).toEqual(
      lines.map(({ what, command }) => ({ what, type: "response", command, success: false, isTyped: true })),
    );
    const codes = answers.map(({ error }) => (error as { code: string }).code);
    expect(new Set(codes)).toEqual(new Set(["invalid_fields", "parse_error"]));
    expect(state.data).toMatchObject({ messageCount: 0, isStreaming: false });
    const { code, stderr } = await host.finish();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  }, 60_000);

  test("that is no command is told by a code, without an id", async () => {
    const lines: [line: string, command: string, code: string][] = [
      ["hello", "parse", "parse_error"],
      ["[]", "parse", "parse_error"],
      ["5", "parse", "parse_error"],
      ['{"id":"a"}', "parse", "parse_error"],
      ['{"id":"a","type":{}}', "parse", "parse_error"],
      ['{"id":"a","type":"toString"}', "toString", "unknown_command"],
      ['{"id":"a","type":"__proto__"}', "__proto__", "unknown_command"],
      ['{"id":"a","type":"ready"}', "ready", "unknown_command"],
    ];
    using workspace = tempWorkspace();
    await using host = startRpcHost(["--model", "scripted/demo"], { workspace });
    host.sendText(lines.map(([line]) => `${line}\n`).join(""));
    await host.request({ type: "get_state" });
    const answers = host.frames().slice(1, -1);
    expect(answers.map(({ id, command, error }) => [id, command, (error as { code: string }).code])).toEqual(
      lines.map(([, command, code]) => [undefined, command, code]),
    );
  });

  test("may be longer than is allowed, or not text at all", async () => {
    using workspace = tempWorkspace();
    await using host = startRpcHost(["--model", "scripted/demo"], { workspace, timeoutMs: 60_000 });
    host.sendText(`{"type":"prompt","message":"${"x".repeat(MAX_LINE_BYTES)}"}\n`);
    host.sendText("\u0000\u0001\n");
    const state = await host.request({ type: "get_state" });
    expect(host.frames().slice(1, -1)).toEqual([
      {
        type: "response",
        command: "parse",
        success: false,
        error: { code: "line_too_long", message: `The line is longer than ${MAX_LINE_BYTES} bytes. It was left out.` },
      },
      {
        type: "response",
        command: "parse",
        success: false,
        error: { code: "parse_error", message: "The line is not JSON." },
      },
    ]);
    expect(state.success).toBe(true);
  }, 30_000);

  test("that has no end when the input closes is read all the same", async () => {
    using workspace = tempWorkspace();
    await using host = startRpcHost(["--model", "scripted/demo"], { workspace });
    await host.waitFor(({ type }) => type === "ready");
    host.sendText('{"id":"last","type":"get_state"}');
    const { code } = await host.finish();
    expect([code, host.frames().at(-1)?.id]).toEqual([0, "last"]);
  });
});
