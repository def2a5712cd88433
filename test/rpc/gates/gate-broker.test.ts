import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { canonicalHash } from "../../../src/rpc/gates/canonical-hash.ts";
import { GATE_LIMITS, GateBroker, type GateDraft } from "../../../src/rpc/gates/gate-broker.ts";
import type { StoredGate } from "../../../src/rpc/gates/stored-gates.ts";

const AT = Date.UTC(2026, 0, 2);
const TIME = "2026-01-02T00:00:00.000Z";
const DRAFT: GateDraft = {
  stage: "ralplan",
  kind: "approval",
  schema: { type: "string", enum: ["approve", "reject"] },
  options: [{ value: "approve", label: "Approve" }],
  context: { title: "Approve plan?" },
};
const ID = "wg_r1_ralplan_000001";
const APPROVED = { gate_id: ID, status: "accepted" as const, answer_hash: canonicalHash("approve"), resolved_at: TIME };

/** A broker over a list of records; `fail` makes storing fail, `wait` holds it up. */
function brokerOver(records: StoredGate[] = [], run = "r1") {
  const went: unknown[] = [];
  const world = { fail: false, wait: Promise.resolve(), began: () => {} };
  const broker = new GateBroker({
    run,
    now: () => AT,
    async store(record) {
      world.began();
      await world.wait;
      if (world.fail) return { ok: false, message: "The disk is full." };
      records.push(record);
      return { ok: true };
    },
    stored: async () => JSON.parse(JSON.stringify(records)),
  });
  const open = (draft = DRAFT) => {
    const opened = broker.open(draft, (answer) => went.push({ answer, stored: records.length }));
    if (!opened.ok) throw new Error(opened.error.message);
    return opened.gate;
  };
  return { broker, records, went, world, open };
}

function refused(code: string, message: string, more: object = { gate_id: ID }) {
  return { ok: false as const, error: { code, message, ...more } };
}

const RESOLVED = refused("already_resolved", `The gate "${ID}" was answered already, or nobody waits for it any more.`);

describe("opening", () => {
  test("a gate carries its schema, the hash of that, and when it was made", () => {
    expect(brokerOver().open()).toEqual({
      type: "workflow_gate",
      gate_id: ID,
      stage: "ralplan",
      kind: "approval",
      schema: { type: "string", enum: ["approve", "reject"] } as never,
      schema_hash: canonicalHash({ enum: ["approve", "reject"], type: "string" }),
      options: [{ value: "approve", label: "Approve" }],
      context: { title: "Approve plan?" },
      created_at: TIME,
      required: true,
    });
  });

  test("ids count over all stages of a run", () => {
    const { open } = brokerOver([], "77ab");
    const ids = ["ralplan", "deep-interview", "ultragoal"].map((stage) => open({ ...DRAFT, stage }).gate_id);
    expect(ids).toEqual(["wg_77ab_ralplan_000001", "wg_77ab_deep-interview_000002", "wg_77ab_ultragoal_000003"]);
  });

  test("team is reserved, and no other stage is known", () => {
    const { broker } = brokerOver();
    const stages = "deep-interview, ralplan, ultragoal";
    expect(broker.open({ ...DRAFT, stage: "team" }, () => {})).toEqual(
      refused("invalid_workflow_stage", 'The stage "team" is reserved.', { stage: "team" }),
    );
    expect(broker.open({ ...DRAFT, stage: "select" }, () => {})).toEqual(
      refused("invalid_workflow_stage", `The stage "select" is none of ${stages}.`, { stage: "select" }),
    );
  });

  test("a gate beside a UI request has its id, and its method as the stage", () => {
    const { broker } = brokerOver();
    const opened = broker.open({ ...DRAFT, stage: "select" }, () => {}, "ui_7");
    expect(opened.ok && [opened.gate.gate_id, opened.gate.stage]).toEqual(["ui_7", "select"]);
  });

  test("a schema nobody could check opens no gate", () => {
    const { broker } = brokerOver();
    expect(broker.open({ ...DRAFT, schema: { pattern: "a" } }, () => {})).toEqual(
      refused("invalid_workflow_gate_schema", 'The schema at /pattern: the keyword "pattern" is not supported.', {
        path: "/pattern",
      }),
    );
  });

  test("only so many wait at the same time", () => {
    const { broker, open } = brokerOver();
    for (let count = 0; count < GATE_LIMITS.open; count++) open();
    expect(broker.open(DRAFT, () => {})).toEqual(
      refused("too_many_gates", "100 gates wait already. Answer some of them first.", {}),
    );
    broker.dismiss(ID);
    expect(open().gate_id).toBe("wg_r1_ralplan_000101");
  });
});

describe("answering", () => {
  test("an answer that fits is stored before the work goes on", async () => {
    const { broker, records, went, open } = brokerOver();
    const { schema_hash } = open();
    expect(await broker.answer({ gate_id: ID, answer: "approve", idempotency_key: "k1" })).toEqual({
      ok: true,
      resolution: APPROVED,
    });
    expect(records).toEqual([
      {
        gate_id: ID,
        stage: "ralplan",
        kind: "approval",
        answer: "approve",
        answer_hash: canonicalHash("approve"),
        schema_hash,
        body_hash: canonicalHash({ answer: "approve", gate_id: ID }),
        idempotency_key: "k1",
        resolved_at: TIME,
      },
    ]);
    expect(went).toEqual([{ answer: "approve", stored: 1 }]);
  });

  test("one that does not fit is rejected, and the gate still waits", async () => {
    const { broker, records, went, open } = brokerOver();
    const { schema_hash } = open();
    const expected = ["approve", "reject"];
    expect(await broker.answer({ gate_id: ID, answer: "maybe" })).toEqual({
      ok: true,
      resolution: {
        gate_id: ID,
        status: "rejected",
        answer_hash: canonicalHash("maybe"),
        resolved_at: TIME,
        error: {
          code: "invalid_workflow_gate_answer",
          gate_id: ID,
          schema_hash,
          errors: [{ path: "/answer", keyword: "enum", message: "must be one of the values it may have", expected }],
        },
      },
    });
    expect([records, went]).toEqual([[], []]);
    expect(await broker.answer({ gate_id: ID, answer: "approve" })).toEqual({ ok: true, resolution: APPROVED });
  });

  test("what could not be stored did not happen: the gate still waits", async () => {
    const { broker, went, world, open } = brokerOver();
    open();
    world.fail = true;
    const answer = { gate_id: ID, answer: "approve", idempotency_key: "k1" };
    expect(await broker.answer(answer)).toEqual(refused("not_stored", "The disk is full."));
    expect(went).toEqual([]);
    world.fail = false;
    expect(await broker.answer(answer)).toEqual({ ok: true, resolution: APPROVED });
    expect(went).toHaveLength(1);
  });

  test("nobody knows a gate that was never opened", async () => {
    const { broker } = brokerOver();
    expect(await broker.answer({ gate_id: "wg_x_ralplan_000999", answer: 1 })).toEqual(
      refused("unknown_gate", 'There is no gate "wg_x_ralplan_000999" in this session.', {
        gate_id: "wg_x_ralplan_000999",
      }),
    );
  });

  test("the first answer counts, also where two come at once", async () => {
    const { broker, went, open } = brokerOver();
    open();
    const results = await Promise.all([
      broker.answer({ gate_id: ID, answer: "reject" }),
      broker.answer({ gate_id: ID, answer: "approve" }),
    ]);
    expect(results).toEqual([
      { ok: true, resolution: { ...APPROVED, answer_hash: canonicalHash("reject") } },
      RESOLVED,
    ]);
    expect(went).toEqual([{ answer: "reject", stored: 1 }]);
  });

  test("a gate that was dismissed cannot be answered, and is dismissed once", async () => {
    const { broker, went, open } = brokerOver();
    open();
    expect([broker.dismiss(ID), broker.dismiss(ID), broker.dismiss("wg_none")]).toEqual([true, false, false]);
    expect(await broker.answer({ gate_id: ID, answer: "approve" })).toEqual(RESOLVED);
    expect(went).toEqual([]);
  });

  test("while an answer is stored nobody else answers, and what is dismissed meanwhile does not come back", async () => {
    const { broker, world, open } = brokerOver();
    open();
    const held = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    world.wait = held.promise;
    world.began = began.resolve;
    world.fail = true;
    const answered = broker.answer({ gate_id: ID, answer: "approve" });
    await began.promise;
    expect([broker.isBeingAnswered(ID), broker.dismiss(ID)]).toEqual([true, false]);
    held.resolve();
    expect(await answered).toEqual(refused("not_stored", "The disk is full."));
    world.fail = false;
    expect(await broker.answer({ gate_id: ID, answer: "approve" })).toEqual(RESOLVED);
  });

  test("what the schema cannot say rejects like the schema", async () => {
    const { broker, open } = brokerOver();
    const error = { path: "/answer", keyword: "required", message: "must choose something" };
    open({ ...DRAFT, check: () => [error] });
    const result = await broker.answer({ gate_id: ID, answer: "approve" });
    expect(result.ok && result.resolution.error?.errors).toEqual([error]);
  });
});

describe("idempotency keys", () => {
  const answer = { gate_id: ID, answer: "approve", idempotency_key: "k1" };
  const conflict = refused(
    "idempotency_conflict",
    "This idempotency key was used with another gate or another answer. Use a new key for a new answer.",
    { gate_id: ID, idempotency_key: "k1" },
  );

  test("the same again gives what it gave, and happens once", async () => {
    const { broker, went, records, open } = brokerOver();
    open();
    const results = [await broker.answer(answer), await broker.answer(answer)];
    expect(results).toEqual([
      { ok: true, resolution: APPROVED },
      { ok: true, resolution: APPROVED },
    ]);
    expect([went.length, records.length]).toEqual([1, 1]);
  });

  test("another answer, or another gate, with the same key is a conflict", async () => {
    const { broker, open } = brokerOver();
    open();
    const second = open();
    await broker.answer(answer);
    expect(await broker.answer({ ...answer, answer: "reject" })).toEqual(conflict);
    expect(await broker.answer({ ...answer, gate_id: second.gate_id })).toEqual({
      ...conflict,
      error: { ...conflict.error, gate_id: second.gate_id },
    });
  });

  test("without the key, or with a new one, an answered gate is answered", async () => {
    const { broker, open } = brokerOver();
    open();
    await broker.answer(answer);
    expect(await broker.answer({ gate_id: ID, answer: "approve" })).toEqual(RESOLVED);
    expect(await broker.answer({ ...answer, idempotency_key: "k2" })).toEqual(RESOLVED);
  });

  test("a rejection is remembered too", async () => {
    const { broker, open } = brokerOver();
    open();
    const first = await broker.answer({ ...answer, answer: "maybe" });
    expect(await broker.answer({ ...answer, answer: "maybe" })).toEqual(first);
    expect(await broker.answer(answer)).toEqual(conflict);
  });

  test("they count after a restart, from what the session kept", async () => {
    const { broker, records, open } = brokerOver();
    open();
    await broker.answer(answer);
    const next = brokerOver(records, "r2");
    expect(await next.broker.answer(answer)).toEqual({ ok: true, resolution: APPROVED });
    expect(await next.broker.answer({ ...answer, answer: "reject" })).toEqual(conflict);
    expect(await next.broker.answer({ gate_id: ID, answer: "approve" })).toEqual(RESOLVED);
    expect(next.went).toEqual([]);
  });

  test("entries that cannot be read are nobody's answers", async () => {
    const { broker } = brokerOver([{ idempotency_key: "k1" } as never, null as never]);
    expect(await broker.answer(answer)).toEqual(refused("unknown_gate", `There is no gate "${ID}" in this session.`));
  });
});

test("however answers come, a gate goes on at most once, with what its stored record says, and a key gives one result", async () => {
  const step = fc.record({
    gate: fc.nat(2),
    answer: fc.constantFrom("approve", "reject", "maybe"),
    key: fc.option(fc.constantFrom("a", "b", "c"), { nil: undefined }),
    act: fc.constantFrom("answer", "answer", "dismiss", "restart", "fail"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const records: StoredGate[] = [];
      let current = brokerOver(records);
      const ids = [0, 1, 2].map(() => current.open().gate_id);
      const given = new Map<string, string>();
      for (const { gate, answer, key, act } of steps) {
        const gate_id = ids[gate] ?? "";
        if (act === "dismiss") current.broker.dismiss(gate_id);
        if (act === "restart") {
          // Rejections are remembered by the process only.
          for (const [known, result] of given) if (result.includes("rejected")) given.delete(known);
          current = brokerOver(records, "next");
        }
        current.world.fail = act === "fail";
        const result = await current.broker.answer({ gate_id, answer, idempotency_key: key });
        if (key === undefined || !result.ok) continue;
        const body = canonicalHash({ key, gate_id, answer });
        expect(given.get(key) ?? `${body}${result.resolution.status}`).toBe(`${body}${result.resolution.status}`);
        given.set(key, `${body}${result.resolution.status}`);
      }
      const stored = records.map(({ gate_id }) => gate_id);
      expect(new Set(stored).size).toBe(stored.length);
      for (const { answer, answer_hash } of records) expect(canonicalHash(answer)).toBe(answer_hash);
    }),
    { numRuns: 300 },
  );
});
