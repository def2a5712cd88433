import * as z from "zod";
import type { GateResolution } from "../command-shapes.ts";

/** The kind of the entries that hold accepted answers. */
export const GATE_ENTRY = "workflow-gate";

const text = z.string();

/** An accepted answer as the session keeps it. */
const storedGate = z.strictObject({
  gate_id: text,
  stage: text,
  kind: z.enum(["question", "approval", "execution"]),
  answer: z.unknown(),
  answer_hash: text,
  schema_hash: text,
  /** Of gate and answer: an idempotency key stands for this and nothing else. */
  body_hash: text,
  idempotency_key: text.optional(),
  resolved_at: text,
});

export type StoredGate = z.infer<typeof storedGate>;

export interface KnownGate {
  gateId: string;
  key: string | undefined;
  bodyHash: string;
  resolution: GateResolution;
}

/** What cannot be read is nothing anybody answered. */
export function readStoredGates(entries: readonly unknown[]): KnownGate[] {
  return entries.flatMap((entry) => {
    const read = storedGate.safeParse(entry);
    if (!read.success) return [];
    const { gate_id, answer_hash, resolved_at, idempotency_key, body_hash } = read.data;
    return [
      {
        gateId: gate_id,
        key: idempotency_key,
        bodyHash: body_hash,
        resolution: { gate_id, status: "accepted", answer_hash, resolved_at },
      },
    ];
  });
}
