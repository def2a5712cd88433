import type { Json, JsonObject } from "../../protocol/json.ts";
import type { Outcome } from "../agent-port.ts";
import type { GateResolution } from "../command-shapes.ts";
import type { TypedError } from "../typed-error.ts";
import { type AnswerSchema, checkAnswer, readAnswerSchema } from "./answer-schema.ts";
import { canonicalHash } from "./canonical-hash.ts";
import type { AnswerError } from "./schema-keywords.ts";
import { readStoredGates, type StoredGate } from "./stored-gates.ts";

// Moments at which the work waits for somebody, each with an address. What was answered is stored before the work goes on.

export const GATE_STAGES = ["deep-interview", "ralplan", "ultragoal"] as const;
export type GateKind = "question" | "approval" | "execution";

export interface GateDraft {
  /** One of `GATE_STAGES`; for a gate that stands beside a UI request, its method. */
  stage: string;
  kind: GateKind;
  schema: JsonObject;
  options?: Json[];
  context: JsonObject;
  /** What the schema cannot say. */
  check?(answer: unknown): AnswerError[];
}

export interface WorkflowGate {
  type: "workflow_gate";
  gate_id: string;
  stage: string;
  kind: GateKind;
  schema: JsonObject;
  schema_hash: string;
  options?: Json[];
  context: JsonObject;
  created_at: string;
  required: true;
}

export interface GateAnswer {
  gate_id: string;
  answer: unknown;
  idempotency_key?: string | undefined;
}

export type GateResult = { ok: true; resolution: GateResolution } | { ok: false; error: TypedError };
export type OpenedGate = { ok: true; gate: WorkflowGate } | { ok: false; error: TypedError };

export interface GateBrokerOptions {
  /** Stands in every id; another one for every process. */
  run: string;
  now(): number;
  store(record: StoredGate): Promise<Outcome>;
  /** What was stored in the session that is open now. */
  stored(): Promise<readonly unknown[]>;
}

export const GATE_LIMITS = {
  /** Gates that wait at the same time. */
  open: 100,
  /** Results that are remembered beside those in the session. */
  remembered: 1000,
};

interface Waiting {
  gate: WorkflowGate;
  schema: AnswerSchema;
  check: GateDraft["check"];
  goOn(answer: unknown): void;
}

interface Remembered {
  bodyHash: string;
  resolution: GateResolution;
}

export class GateBroker {
  private readonly waiting = new Map<string, Waiting>();
  private readonly settled = new Set<string>();
  private readonly byKey = new Map<string, Remembered>();
  private storing: { gateId: string; isDropped: boolean } | undefined;
  private opened = 0;
  private answering: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: GateBrokerOptions) {}

  /** `goOn` is called once, after an answer that fits was stored. A gate beside a UI request has the id of that request. */
  open(draft: GateDraft, goOn: (answer: unknown) => void, pairedId?: string): OpenedGate {
    const refusal = this.refusalToOpen(draft, pairedId);
    if (refusal !== undefined) return { ok: false, error: refusal };
    const reading = readAnswerSchema(draft.schema);
    if (!reading.ok) return reading;
    const { stage, kind, options, context, check } = draft;
    const { schema } = reading;
    const gate: WorkflowGate = {
      type: "workflow_gate",
      gate_id: pairedId ?? this.nextId(stage),
      stage,
      kind,
      schema,
      schema_hash: canonicalHash(schema),
      ...(options === undefined ? {} : { options }),
      context,
      created_at: this.time(),
      required: true,
    };
    this.waiting.set(gate.gate_id, { gate, schema, check, goOn });
    return { ok: true, gate };
  }

  /** One after the other, so that of two answers to the same gate one finds it answered. */
  answer(answer: GateAnswer): Promise<GateResult> {
    const result = this.answering.then(() => this.answerOne(answer));
    this.answering = result.catch(() => undefined);
    return result;
  }

  /** It was answered elsewhere, or nobody waits any more. False where it does not wait, or an answer to it is being stored. */
  dismiss(gateId: string): boolean {
    if (this.storing?.gateId === gateId) this.storing.isDropped = true;
    const isWaiting = this.waiting.delete(gateId);
    if (isWaiting) remember(this.settled, gateId);
    return isWaiting;
  }

  /** An answer that fits is being stored: no other counts any more, unless that fails. */
  isBeingAnswered(gateId: string): boolean {
    return this.storing?.gateId === gateId;
  }

  private refusalToOpen({ stage }: GateDraft, pairedId: string | undefined): TypedError | undefined {
    if (pairedId === undefined && !(GATE_STAGES as readonly string[]).includes(stage)) {
      const why = stage === "team" ? "is reserved" : `is none of ${GATE_STAGES.join(", ")}`;
      return { code: "invalid_workflow_stage", message: `The stage "${stage}" ${why}.`, stage };
    }
    if (this.waiting.size < GATE_LIMITS.open) return undefined;
    return { code: "too_many_gates", message: `${GATE_LIMITS.open} gates wait already. Answer some of them first.` };
  }

  private nextId(stage: string): string {
    this.opened++;
    return `wg_${this.options.run}_${stage}_${String(this.opened).padStart(6, "0")}`;
  }

  private time(): string {
    return new Date(this.options.now()).toISOString();
  }

  private async answerOne({ gate_id, answer, idempotency_key: key }: GateAnswer): Promise<GateResult> {
    const bodyHash = canonicalHash({ gate_id, answer });
    const waiting = this.waiting.get(gate_id);
    const earlier = key === undefined ? undefined : this.byKey.get(key);
    // The session is read only where what is in memory does not say enough.
    const needsStored = earlier === undefined && (key !== undefined || waiting === undefined);
    const stored = needsStored ? readStoredGates(await this.options.stored()) : [];
    const replayed = earlier ?? stored.find((record) => key !== undefined && record.key === key);
    if (replayed !== undefined) return replay(replayed, { bodyHash, key, gate_id });
    // It may have been dismissed while the session was read.
    if (waiting === undefined || !this.waiting.has(gate_id)) return this.notWaiting(gate_id, stored);
    const result = await this.resolve(waiting, { answer, bodyHash, key });
    if (result.ok && key !== undefined) rememberKey(this.byKey, key, { bodyHash, resolution: result.resolution });
    return result;
  }

  private async resolve(
    waiting: Waiting,
    { answer, bodyHash, key }: { answer: unknown; bodyHash: string; key: string | undefined },
  ): Promise<GateResult> {
    const { gate, schema, check, goOn } = waiting;
    const { gate_id, schema_hash, stage, kind } = gate;
    const misfits = checkAnswer(schema, answer);
    const errors = misfits.length > 0 ? misfits : (check?.(answer) ?? []);
    const about = { gate_id, answer_hash: canonicalHash(answer), resolved_at: this.time() };
    if (errors.length > 0) {
      const error = { code: "invalid_workflow_gate_answer" as const, gate_id, schema_hash, errors };
      return { ok: true, resolution: { ...about, status: "rejected", error } };
    }
    const keyed = key === undefined ? {} : { idempotency_key: key };
    const record = { ...about, ...keyed, stage, kind, schema_hash, body_hash: bodyHash, answer };
    const outcome = await this.storeFor(waiting, record);
    if (!outcome.ok) return { ok: false, error: { code: "not_stored", message: outcome.message, gate_id } };
    goOn(answer);
    return { ok: true, resolution: { ...about, status: "accepted" } };
  }

  /** Nobody else answers it meanwhile. What could not be stored waits again. */
  private async storeFor(waiting: Waiting, record: StoredGate): Promise<Outcome> {
    const { gate_id } = waiting.gate;
    const storing = { gateId: gate_id, isDropped: false };
    this.waiting.delete(gate_id);
    this.storing = storing;
    const outcome = await this.options.store(record);
    this.storing = undefined;
    if (outcome.ok || storing.isDropped) remember(this.settled, gate_id);
    else this.waiting.set(gate_id, waiting);
    return outcome;
  }

  private notWaiting(gateId: string, stored: readonly { gateId: string }[]): GateResult {
    if (this.settled.has(gateId) || stored.some((record) => record.gateId === gateId)) return alreadyResolved(gateId);
    return {
      ok: false,
      error: { code: "unknown_gate", message: `There is no gate "${gateId}" in this session.`, gate_id: gateId },
    };
  }
}

function replay(
  { bodyHash, resolution }: Remembered,
  asked: { bodyHash: string; key: string | undefined; gate_id: string },
): GateResult {
  if (bodyHash === asked.bodyHash) return { ok: true, resolution };
  const message = "This idempotency key was used with another gate or another answer. Use a new key for a new answer.";
  const { key, gate_id } = asked;
  return { ok: false, error: { code: "idempotency_conflict", message, gate_id, idempotency_key: key } };
}

function alreadyResolved(gateId: string): GateResult {
  const message = `The gate "${gateId}" was answered already, or nobody waits for it any more.`;
  return { ok: false, error: { code: "already_resolved", message, gate_id: gateId } };
}

function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  for (const oldest of ids) {
    if (ids.size <= GATE_LIMITS.remembered) break;
    ids.delete(oldest);
  }
}

function rememberKey(results: Map<string, Remembered>, key: string, result: Remembered): void {
  results.set(key, result);
  for (const oldest of results.keys()) {
    if (results.size <= GATE_LIMITS.remembered) break;
    results.delete(oldest);
  }
}
