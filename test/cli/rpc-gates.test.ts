import { describe, expect, test } from "bun:test";
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { canonicalHash } from "../../src/rpc/gates/canonical-hash.ts";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { type FrontDoor, openFrontDoor } from "../support/front-door.ts";
import { type DoorHost, driveRpc, type Frame } from "../support/rpc-front-door.ts";

// The moments at which the work waits for somebody, over the wire.

const WRITE = toolCallAnswer({ name: "write_file", input: { path: "made", content: "x" } });
const ASK = toolCallAnswer({ name: "ask_user", input: { question: "Which?", options: ["a", "b"] } });

interface Gate extends Frame {
  gate_id: string;
  schema: object;
  schema_hash: string;
}

/** Prompts and gives the gate the work waits at, with the request beside it. */
async function gateOf(host: DoorHost, message: string): Promise<{ gate: Gate; request: Frame }> {
  await host.ask("prompt", { message });
  const gate = (await host.next('{"type":"workflow_gate"')) as Gate;
  const request = await host.next(`"id":"${gate.gate_id}"`);
  return { gate, request };
}

function respond(host: DoorHost, gate_id: string, answer: unknown, key?: string): Promise<Frame> {
  return host.ask("workflow_gate_response", {
    gate_id,
    answer,
    ...(key === undefined ? {} : { idempotency_key: key }),
  });
}

function codeOf({ error }: Frame): unknown {
  return (error as { code?: string } | undefined)?.code;
}

function isMade({ workspace }: FrontDoor): boolean {
  return existsSync(join(workspace.project, "made"));
}

/** What sessions keep of answered gates. */
function stored({ workspace }: FrontDoor): Record<string, unknown>[] {
  return workspace
    .find("ralph-home/data/sessions/**/*.jsonl")
    .flatMap((path) => workspace.read(path).trim().split("\n"))
    .map((line) => JSON.parse(line))
    .filter(({ type, kind }) => type === "custom" && kind === "workflow-gate")
    .map(({ data }) => data);
}

describe("a permission", () => {
  test("is a gate beside a request with the same id; only an answer that fits lets the work go on", async () => {
    using ralph = await openFrontDoor({ answers: [WRITE] });
    await using host = driveRpc(ralph);
    const { gate, request } = await gateOf(host, "write");
    expect([gate.gate_id, gate.stage, gate.kind, request.id, request.method]).toEqual([
      request.id,
      "select",
      "approval",
      gate.gate_id,
      "select",
    ]);
    expect(gate.schema_hash).toBe(canonicalHash(gate.schema));
    const rejected = await respond(host, gate.gate_id, true);
    expect(rejected).toMatchObject({
      success: true,
      data: {
        gate_id: gate.gate_id,
        status: "rejected",
        answer_hash: canonicalHash(true),
        error: {
          code: "invalid_workflow_gate_answer",
          gate_id: gate.gate_id,
          schema_hash: gate.schema_hash,
          errors: [
            { path: "/answer", keyword: "enum" },
            { path: "/answer", keyword: "type" },
          ],
        },
      },
    });
    expect([isMade(ralph), stored(ralph)]).toEqual([false, []]);
    expect(await respond(host, gate.gate_id, "yes")).toMatchObject({
      success: true,
      data: { gate_id: gate.gate_id, status: "accepted", answer_hash: canonicalHash("yes") },
    });
    await host.ended();
    expect([isMade(ralph), stored(ralph).map(({ answer }) => answer)]).toEqual([true, ["yes"]]);
    expect(codeOf(await respond(host, gate.gate_id, "yes"))).toBe("already_resolved");
  });

  test("that the screen answered is answered", async () => {
    using ralph = await openFrontDoor({ answers: [WRITE] });
    await using host = driveRpc(ralph);
    const { gate, request } = await gateOf(host, "write");
    host.send({ type: "extension_ui_response", id: request.id, value: "no" });
    await host.ended();
    expect([codeOf(await respond(host, gate.gate_id, "yes")), isMade(ralph)]).toEqual(["already_resolved", false]);
  });

  test("nobody waits for any more is answered", async () => {
    using ralph = await openFrontDoor({ answers: [WRITE] });
    await using host = driveRpc(ralph);
    const { gate } = await gateOf(host, "write");
    await host.ask("abort");
    expect([codeOf(await respond(host, gate.gate_id, "yes")), isMade(ralph)]).toEqual(["already_resolved", false]);
    expect(codeOf(await respond(host, "wg_other_ralplan_000001", "yes"))).toBe("unknown_gate");
  });
});

describe("a question of the model", () => {
  test("is an interview whose answer reaches the model", async () => {
    using ralph = await openFrontDoor({ answers: [ASK, ASK] });
    await using host = driveRpc(ralph);
    const first = await gateOf(host, "ask");
    expect(first.gate).toMatchObject({ stage: "deep-interview", kind: "question", required: true });
    expect(first.gate.gate_id).toMatch(/^wg_[a-z0-9]+_deep-interview_000001$/);
    expect(first.request).toMatchObject({ id: first.gate.gate_id, method: "select", options: ["a", "b"] });
    await respond(host, first.gate.gate_id, { selected: ["b"], other: false });
    const second = (await host.next('{"type":"workflow_gate"')) as Gate;
    expect(second.gate_id).toMatch(/_deep-interview_000002$/);
    await respond(host, second.gate_id, "words of my own");
    await host.ended();
    const said = JSON.stringify(ralph.provider.requests.at(-1)?.body);
    expect([said.includes('"text":"b"'), said.includes('"text":"words of my own"')]).toEqual([true, true]);
  });

  test("stays answered over a kill: keys replay, other answers conflict", async () => {
    using ralph = await openFrontDoor({ answers: [ASK, textAnswer("thanks")] });
    const host = driveRpc(ralph);
    const { gate } = await gateOf(host, "ask");
    const { data: accepted } = await respond(host, gate.gate_id, "a", "k1");
    expect(accepted).toMatchObject({ gate_id: gate.gate_id, status: "accepted" });
    host.live.kill("SIGKILL");
    await host.live.exited;
    await using next = driveRpc(ralph, { arguments: ["--continue"] });
    const replies = [
      await respond(next, gate.gate_id, "a", "k1"),
      await respond(next, gate.gate_id, "b", "k1"),
      await respond(next, gate.gate_id, "a", "k2"),
      await respond(next, gate.gate_id, "a"),
    ];
    expect(replies.map((reply) => reply.data ?? codeOf(reply))).toEqual([
      accepted,
      "idempotency_conflict",
      "already_resolved",
      "already_resolved",
    ]);
    expect(stored(ralph)).toHaveLength(1);
  });
});

describe("leaving a mode a person chose", () => {
  test("is the approval of a plan, and goes to the host also where nobody watches", async () => {
    using ralph = await openFrontDoor({ answers: [textAnswer("hello")] });
    await ralph.run(["-p", "hi"]);
    chooseMode(ralph, "plan");
    const leave = toolCallAnswer({ name: "switch_mode", input: { mode: "default" } });
    ralph.provider.answer(leave, WRITE, textAnswer("stays"), leave, WRITE);
    await using host = driveRpc(ralph, { arguments: ["--continue"] });
    const declaration = {
      actor: "a",
      budget: { max_tokens: 1_000_000, max_tool_calls: 10, max_wall_time_ms: 60_000, max_cost_usd: 5 },
      scopes: ["prompt"],
      action_allowlist: ["file.write"],
    };
    expect((await host.ask("negotiate_unattended", { declaration })).success).toBe(true);
    const refused = await gateOf(host, "go");
    expect(refused.gate).toMatchObject({ stage: "ralplan", kind: "approval" });
    expect(codeOf((await respond(host, refused.gate.gate_id, "perhaps")).data as Frame)).toBe(
      "invalid_workflow_gate_answer",
    );
    await respond(host, refused.gate.gate_id, { decision: "reject" });
    await host.ended();
    expect(isMade(ralph)).toBe(false);
    const approved = await gateOf(host, "go");
    await respond(host, approved.gate.gate_id, "approve");
    await host.ended();
    expect(isMade(ralph)).toBe(true);
  });
});

/** As a person does in the terminal. */
function chooseMode({ workspace }: FrontDoor, mode: string): void {
  const [path = ""] = workspace.find("ralph-home/data/sessions/**/*.jsonl");
  const last = JSON.parse(workspace.read(path).trim().split("\n").at(-1) ?? "");
  const entry = { id: "0mode000", parentId: last.id, at: last.at, type: "mode-changed", mode, by: "person" };
  appendFileSync(join(workspace.root, path), `${JSON.stringify(entry)}\n`);
}
