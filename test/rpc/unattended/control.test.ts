import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/protocol/json.ts";
import type { Outcome, Warden } from "../../../src/rpc/agent-port.ts";
import type { TypedError } from "../../../src/rpc/typed-error.ts";
import { UnattendedControl, type UnattendedOptions } from "../../../src/rpc/unattended/control.ts";
import { manualClock } from "../../support/manual-clock.ts";

// What a host cannot bring about at will: the moment time is over, a session that cannot be written, an analysis that breaks.

const DECLARATION = {
  actor: "a",
  budget: { max_tokens: 100, max_tool_calls: 5000, max_wall_time_ms: 1000, max_cost_usd: 1 },
  scopes: ["prompt"],
  action_allowlist: ["bash.readonly"],
};
const MODEL = {
  provider: "p",
  id: "m",
  name: "m",
  api: "a",
  contextWindow: 1,
  maxTokens: 1,
  reasoning: false,
  input: [],
  cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
};

function controlled(keeping: () => Promise<Outcome> = async () => ({ ok: true })) {
  const clock = manualClock(Date.UTC(2026, 0, 2));
  const seen = { kept: [] as JsonObject[], called: [] as string[], refused: [] as TypedError[] };
  let warden: Warden | undefined;
  const agent: UnattendedOptions["agent"] = {
    setWarden: (next) => {
      warden = next;
    },
    inspectCommand: async () => {
      throw new Error("the parser broke");
    },
    isInWorkspace: async () => true,
    async keep(_kind, data) {
      const outcome = await keeping();
      if (outcome.ok) seen.kept.push(data);
      return outcome;
    },
    call: async (name, params) => {
      seen.called.push("answer" in params ? `${name} ${params.answer}` : name);
      return { ok: true, result: {} as never };
    },
    abortCommand: () => void seen.called.push("abortCommand"),
    model: () => MODEL,
    state: async () => ({ sessionId: "s1" }) as never,
  };
  const control = new UnattendedControl({ agent, clock, run: "r1", refused: (error) => seen.refused.push(error) });
  return { control, clock, seen, warden: () => warden };
}

const SHELL = {
  name: "shell",
  aliases: [],
  description: "",
  parameters: {},
  isReadOnly: false,
  prepare: () => ({ message: "" }),
};

test("when time is over everything that runs is stopped, once, and it is told and kept", async () => {
  const { control, clock, seen } = controlled();
  await control.negotiate(DECLARATION);
  await clock.advance(999);
  expect(seen.called).toEqual([]);
  await clock.advance(1);
  expect(seen.called).toEqual(["abortCommand", "abort"]);
  const error = {
    code: "budget_exceeded",
    message: "The declared budget of 1000 ms is used up (1000).",
    metric: "wall_time",
    limit: 1000,
    observed: 1000,
    run_id: "r1",
    session_id: "s1",
    pre_side_effect: false,
  };
  expect(seen.refused).toEqual([error]);
  expect(seen.kept.at(-1)).toEqual({ event: "refused", error, run_id: "r1", at: "2026-01-02T00:00:01.000Z" });
  expect(clock.pending()).toBe(0);
});

test("time that was shortened counts from the first declaration, and a control that is stopped stops nothing", async () => {
  const { control, clock, seen } = controlled();
  await control.negotiate(DECLARATION);
  await clock.advance(300);
  await control.negotiate({ ...DECLARATION, budget: { ...DECLARATION.budget, max_wall_time_ms: 400 } });
  await clock.advance(99);
  expect(seen.called).toEqual([]);
  await clock.advance(1);
  expect(seen.called).toEqual(["abortCommand", "abort"]);
  const other = controlled();
  await other.control.negotiate(DECLARATION);
  other.control.stop();
  await other.clock.advance(2000);
  expect(other.seen.called).toEqual([]);
});

test("a declaration that cannot be kept is not taken", async () => {
  const { control, warden } = controlled(async () => ({ ok: false, message: "The disk is full." }));
  expect(await control.negotiate(DECLARATION)).toEqual({
    ok: false,
    error: { code: "not_stored", message: "The disk is full." },
  });
  expect([warden(), await control.beforeCommand("bash", { command: "ls" })]).toEqual([undefined, undefined]);
});

test("a command that comes while a declaration is kept waits for it", async () => {
  const held = Promise.withResolvers<Outcome>();
  const { control } = controlled(() => held.promise);
  const negotiated = control.negotiate(DECLARATION);
  const checked = control.beforeCommand("bash", { command: "ls" });
  held.resolve({ ok: true });
  expect([(await negotiated).ok, (await checked)?.code]).toEqual([true, "scope_denied"]);
});

test("of two declarations at once the second may only tighten the first", async () => {
  const { control } = controlled();
  const looser = { ...DECLARATION, scopes: ["prompt", "bash"] };
  const results = await Promise.all([control.negotiate(DECLARATION), control.negotiate(looser)]);
  expect(results.map(({ ok }) => ok)).toEqual([true, false]);
});

describe("what cannot be decided is refused", () => {
  test("a call whose command cannot be analysed", async () => {
    const { control, warden } = controlled();
    await control.negotiate(DECLARATION);
    expect(await warden()?.beforeTool(SHELL, [{ category: "shell", resources: ["ls"], summary: "ls" }])).toBe(
      "action_denied: it could not be decided (the parser broke)",
    );
  });

  test("a refusal stands where it cannot be kept", async () => {
    let isFull = false;
    const { control, warden } = controlled(async () => (isFull ? { ok: false, message: "full" } : { ok: true }));
    await control.negotiate(DECLARATION);
    isFull = true;
    expect(await warden()?.beforeTool({ ...SHELL, name: "deploy" }, [])).toBe(
      'action_denied: deploy needs the action class "host_tool.invoke", which was not declared.',
    );
  });
});

test("an ask that was let through is answered no where a yes would give more than was declared", async () => {
  const { control, seen } = controlled();
  const ask = {
    id: "a1",
    tool: "shell",
    category: "shell" as const,
    resources: ["ssh host"],
    summary: "ssh host",
    digest: "",
    boundTo: [],
    options: ["yes" as const, "no" as const],
    expiresAt: 0,
    needs: { unsandboxed: true },
  };
  expect(control.takesAsk(ask)).toBe(false);
  await control.negotiate(DECLARATION);
  expect(control.takesAsk({ ...ask, needs: {} })).toBe(true);
  expect(control.takesAsk(ask)).toBe(true);
  expect(seen.called).toEqual(["answer yes", "answer no"]);
});

test("only so many refusals are kept, and all of them stand", async () => {
  const { control, seen } = controlled();
  await control.negotiate(DECLARATION);
  for (let count = 0; count < 1001; count++) {
    const refusal = await control.beforeCommand("bash", { command: "ls" });
    expect(refusal?.code).toBe("scope_denied");
  }
  // The first one is the declaration.
  expect(seen.kept).toHaveLength(1001);
});
