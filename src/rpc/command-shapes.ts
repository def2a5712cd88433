import * as z from "zod";
import { brokenOff } from "../protocol/agent-state.ts";
import { SCOPES } from "./scopes.ts";
import { thinkingLevel } from "./wire-shapes.ts";

// What commands take and give that is more than a few fields.

const text = z.string();

export const perTurn = z.enum(["all", "one-at-a-time"]);
export const model = z
  .strictObject({
    provider: text,
    id: text,
    name: text,
    api: text,
    contextWindow: z.number(),
    maxTokens: z.number(),
    reasoning: z.boolean(),
    input: z.array(text),
    cost: z
      .strictObject({ input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() })
      .optional(),
  })
  .meta({ id: "Model" });

/** Of a list of things to do: an id or a text with something in it. */
const todoId = z.string().trim().min(1).max(64);
const todoText = z.string().trim().min(1).max(512);

export const todoPhase = z
  .strictObject({
    id: todoId,
    name: todoText,
    tasks: z
      .array(
        z.strictObject({
          id: todoId,
          content: todoText,
          status: z.enum(["pending", "in_progress", "completed", "abandoned"]),
        }),
      )
      .max(100),
  })
  .meta({ id: "TodoPhase" });

export const hostTool = z
  .strictObject({
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    label: text.optional(),
    description: text,
    parameters: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "HostTool" });

export const hostScheme = z
  .strictObject({
    scheme: z.string().regex(/^[A-Za-z][A-Za-z0-9+.-]{0,31}$/),
    description: text.optional(),
    writable: z.boolean().optional(),
    immutable: z.boolean().optional(),
  })
  .meta({ id: "HostScheme" });

export const declaration = z
  .strictObject({
    actor: z.string().min(1).max(200),
    budget: z.strictObject({
      max_tokens: z.number().int().nonnegative(),
      max_tool_calls: z.number().int().nonnegative(),
      max_wall_time_ms: z.number().int().nonnegative(),
      max_cost_usd: z.number().nonnegative(),
    }),
    scopes: z.array(z.enum(SCOPES)),
    action_allowlist: z.array(z.string().max(64)).max(100),
  })
  .meta({ id: "Declaration" });

export const stateResult = z.strictObject({
  model: model.optional(),
  thinkingLevel,
  isStreaming: z.boolean(),
  isCompacting: z.boolean(),
  brokenOff: brokenOff.optional(),
  steeringMode: perTurn,
  followUpMode: perTurn,
  interruptMode: z.enum(["immediate", "wait"]),
  sessionFile: text.optional(),
  sessionId: text,
  sessionName: text.optional(),
  autoCompactionEnabled: z.boolean(),
  messageCount: z.number(),
  queuedMessageCount: z.number(),
  todoPhases: z.array(todoPhase),
  contextUsage: z.strictObject({ tokens: z.number(), contextWindow: z.number(), percent: z.number() }),
  systemPrompt: z.array(text).optional(),
  dumpTools: z
    .array(z.strictObject({ name: text, description: text, parameters: z.record(z.string(), z.unknown()) }))
    .optional(),
});

export const gateResolution = z.strictObject({
  gate_id: text,
  status: z.enum(["accepted", "rejected"]),
  answer_hash: text,
  resolved_at: text,
  error: z
    .strictObject({
      code: z.literal("invalid_workflow_gate_answer"),
      gate_id: text,
      schema_hash: text,
      errors: z.array(z.strictObject({ path: text, keyword: text, message: text, expected: z.unknown().optional() })),
    })
    .optional(),
});

export type TodoPhase = z.infer<typeof todoPhase>;
export type HostToolDefinition = z.infer<typeof hostTool>;
export type HostSchemeDefinition = z.infer<typeof hostScheme>;
export type Declaration = z.infer<typeof declaration>;
export type GateResolution = z.infer<typeof gateResolution>;
