import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Declaration } from "../../../src/rpc/command-shapes.ts";
import { SCOPES } from "../../../src/rpc/scopes.ts";
import { ACTION_NAMES, allowedBy } from "../../../src/rpc/unattended/action-classes.ts";
import { LIMITS, looseningOf, readDeclaration } from "../../../src/rpc/unattended/declaration.ts";

const WHOLE: Declaration = {
  actor: "openclaw/hermes",
  budget: { max_tokens: 2_000_000, max_tool_calls: 5000, max_wall_time_ms: 3_600_000, max_cost_usd: 20 },
  scopes: ["prompt", "control", "bash"],
  action_allowlist: ["bash.readonly", "file.write"],
};

test("a whole declaration is taken as it is, twins taken out", () => {
  expect(readDeclaration(WHOLE)).toEqual({ ok: true, declaration: WHOLE });
  expect(readDeclaration({ ...WHOLE, scopes: ["prompt", "prompt"] })).toEqual({
    ok: true,
    declaration: { ...WHOLE, scopes: ["prompt"] },
  });
});

describe("what is not said is refused, and named", () => {
  function refusal(raw: unknown) {
    const reading = readDeclaration(raw);
    return reading.ok ? undefined : reading.error;
  }

  test("no declaration at all", () => {
    for (const raw of [undefined, null, "x", [WHOLE], 3])
      expect(refusal(raw)).toEqual({
        code: "missing_declaration",
        message: "There is no declaration. It needs actor, budget, scopes, action_allowlist.",
      });
  });

  test("a part of it", () => {
    expect(refusal({ actor: "a", scopes: [] })).toEqual({
      code: "incomplete_declaration",
      message: "The declaration lacks budget, action_allowlist.",
      missing: ["budget", "action_allowlist"],
    });
  });

  test("fields that are only inherited", () => {
    expect(refusal(Object.create(WHOLE))).toMatchObject({ code: "incomplete_declaration" });
  });

  test("a part of the budget", () => {
    const { max_cost_usd: _, max_tokens: __, ...budget } = WHOLE.budget;
    expect(refusal({ ...WHOLE, budget })).toEqual({
      code: "incomplete_budget",
      message: "The budget lacks max_tokens, max_cost_usd.",
      missing: ["max_tokens", "max_cost_usd"],
    });
  });

  test("scopes and actions nobody knows", () => {
    expect(refusal({ ...WHOLE, scopes: ["prompt", "everything"] })).toEqual({
      code: "unknown_scope",
      message: `Nobody knows everything. There are ${SCOPES.join(", ")}.`,
      unknown: ["everything"],
      known: [...SCOPES],
    });
    expect(refusal({ ...WHOLE, action_allowlist: ["file.write", "*", "__proto__"] })).toEqual({
      code: "unknown_action",
      message: `Nobody knows *, __proto__. There are ${ACTION_NAMES.join(", ")}.`,
      unknown: ["*", "__proto__"],
      known: [...ACTION_NAMES],
    });
  });

  test("values of another kind", () => {
    for (const [raw, path] of [
      [{ ...WHOLE, actor: "" }, "/actor"],
      [{ ...WHOLE, budget: { ...WHOLE.budget, max_tokens: -1 } }, "/budget/max_tokens"],
      [{ ...WHOLE, budget: { ...WHOLE.budget, max_tool_calls: 1.5 } }, "/budget/max_tool_calls"],
      [{ ...WHOLE, budget: { ...WHOLE.budget, max_wall_time_ms: null } }, "/budget/max_wall_time_ms"],
      [{ ...WHOLE, budget: { ...WHOLE.budget, max_cost_usd: "20" } }, "/budget/max_cost_usd"],
      [{ ...WHOLE, scopes: "prompt" }, "/scopes"],
      [{ ...WHOLE, action_allowlist: [1] }, "/action_allowlist/0"],
    ] as const)
      expect(refusal(raw)).toMatchObject({ code: "invalid_unattended_declaration", errors: [{ path }] });
    expect(refusal({ ...WHOLE, more: 1 })?.code).toBe("invalid_unattended_declaration");
  });
});

describe("a further declaration", () => {
  test("may be the same or less", () => {
    const less: Declaration = {
      ...WHOLE,
      budget: { ...WHOLE.budget, max_tokens: 1 },
      scopes: ["prompt"],
      action_allowlist: ["bash.readonly"],
    };
    expect([looseningOf(WHOLE, WHOLE), looseningOf(less, WHOLE)]).toEqual([[], []]);
  });

  test("says what of it would allow more", () => {
    const more: Declaration = {
      actor: "other",
      budget: { max_tokens: 2_000_001, max_tool_calls: 5001, max_wall_time_ms: 3_600_001, max_cost_usd: 20.1 },
      scopes: ["prompt", "model"],
      action_allowlist: ["file.delete"],
    };
    expect(looseningOf(more, WHOLE)).toEqual([...LIMITS, "actor", "scopes", "action_allowlist"]);
  });

  test("may begin to name commands, and must not stop doing so", () => {
    const named: Declaration = { ...WHOLE, action_allowlist: ["command.prompt", "bash.readonly"] };
    expect(looseningOf(named, WHOLE)).toEqual([]);
    expect(looseningOf({ ...named, action_allowlist: ["bash.readonly"] }, named)).toEqual(["action_allowlist"]);
    expect(looseningOf({ ...named, action_allowlist: ["command.prompt", "command.bash"] }, named)).toEqual([
      "action_allowlist",
    ]);
  });

  const declarations = fc.record({
    actor: fc.constant("a"),
    budget: fc.record({
      max_tokens: fc.nat(3),
      max_tool_calls: fc.nat(3),
      max_wall_time_ms: fc.nat(3),
      max_cost_usd: fc.nat(3),
    }),
    scopes: fc.subarray([...SCOPES]),
    action_allowlist: fc.subarray(["file.read", "file.write", "bash.mutating", "command.prompt", "command.bash"]),
  });

  test("that is taken never allows an action, a command or an amount that was not allowed", () => {
    fc.assert(
      fc.property(declarations, declarations, (next, current) => {
        fc.pre(looseningOf(next, current).length === 0);
        const before = allowedBy(current.action_allowlist);
        const actions = [...allowedBy(next.action_allowlist)].filter((name) => !name.startsWith("command."));
        expect(actions.filter((action) => !before.has(action))).toEqual([]);
        const takes = (list: readonly string[], name: string) =>
          !list.some((one) => one.startsWith("command.")) || list.includes(name);
        for (const name of ["command.prompt", "command.bash", "command.model"])
          expect(takes(next.action_allowlist, name) && !takes(current.action_allowlist, name)).toBe(false);
        expect(LIMITS.filter((limit) => next.budget[limit] > current.budget[limit])).toEqual([]);
        expect(next.scopes.filter((scope) => !current.scopes.includes(scope))).toEqual([]);
      }),
    );
  });
});
