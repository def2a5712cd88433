import * as z from "zod";
import {
  declaration,
  gateResolution,
  hostScheme,
  hostTool,
  model,
  perTurn,
  stateResult,
  todoPhase,
} from "./command-shapes.ts";
import type { SCOPES } from "./scopes.ts";
import { thinkingLevel, wireImage, wireMessage } from "./wire-shapes.ts";

// Every command of `ralph --mode rpc`: server, clients, validation and docs/rpc.md are made from this table.

const nothing = z.strictObject({});
const text = z.string();
const said = { message: text, images: z.array(wireImage).max(20).optional() };

/**
 * `scope` is what an unattended host must have declared to use it; null where it needs none.
 * A result of nothing has no `data`.
 */
export const RPC_COMMANDS = {
  prompt: {
    scope: "prompt",
    description:
      "Asks the agent. Answered at once; the end of the work is `agent_end`. While the agent works, `streamingBehavior` says what becomes of the message, and without it the command fails.",
    params: z.strictObject({ ...said, streamingBehavior: z.enum(["steer", "followUp"]).optional() }),
    result: nothing,
  },
  steer: {
    scope: "prompt",
    description: "Says something that counts at the next tool boundary. To an agent that is idle it is a prompt.",
    params: z.strictObject(said),
    result: nothing,
  },
  follow_up: {
    scope: "prompt",
    description: "Says something for when the agent would stop. To an agent that is idle it is a prompt.",
    params: z.strictObject(said),
    result: nothing,
  },
  abort: {
    scope: "control",
    description: "Stops the work. Answered when it has stopped.",
    params: nothing,
    result: nothing,
  },
  abort_and_prompt: {
    scope: "prompt",
    description: "Stops the work and asks. Answered at once.",
    params: z.strictObject(said),
    result: nothing,
  },
  new_session: {
    scope: "session",
    description: "A new session; `parentSession` is noted as where it came from.",
    params: z.strictObject({ parentSession: text.optional() }),
    result: z.strictObject({ cancelled: z.boolean() }),
  },
  get_state: {
    scope: null,
    description: "The state of the agent. Tools and the system prompt only where `include` names them.",
    params: z.strictObject({ include: z.array(z.enum(["tools", "dumpTools", "systemPrompt"])).optional() }),
    result: stateResult,
  },
  set_todos: {
    scope: "control",
    description: "Replaces the list of things to do and gives it back as it was kept.",
    params: z.strictObject({ phases: z.array(todoPhase).max(100) }),
    result: z.strictObject({ todoPhases: z.array(todoPhase) }),
  },
  set_host_tools: {
    scope: "host_tools",
    description: "Tools the host runs, in place of those it gave before. The model sees them from its next request on.",
    params: z.strictObject({ tools: z.array(hostTool).max(200) }),
    result: z.strictObject({ toolNames: z.array(text) }),
  },
  set_host_uri_schemes: {
    scope: "host_uri",
    description: "Schemes of addresses the host reads and writes, in place of those it gave before.",
    params: z.strictObject({ schemes: z.array(hostScheme).max(100) }),
    result: z.strictObject({ schemes: z.array(text) }),
  },
  workflow_gate_response: {
    scope: null,
    description: "Answers a gate. An answer that does not fit its schema is rejected and the gate stays open.",
    params: z.strictObject({
      gate_id: text,
      answer: z.unknown(),
      idempotency_key: z.string().min(1).max(200).optional(),
    }),
    result: gateResolution,
  },
  negotiate_unattended: {
    scope: null,
    description: "Declares that nobody watches: what may be spent, which commands are used, which actions are allowed.",
    // Whatever is declared reaches `unattended/declaration.ts`, which says what is missing, partial or unknown.
    params: z.strictObject({ declaration: z.unknown().optional() }),
    result: z.strictObject({ status: z.literal("accepted"), run_id: text, declaration }),
  },
  set_model: {
    scope: "model",
    description: "Goes on with another model, from the next request.",
    params: z.strictObject({ provider: text, modelId: text }),
    result: model,
  },
  cycle_model: {
    scope: "model",
    description: "Goes on with the next model. The data is null where there is just one.",
    params: nothing,
    result: z.strictObject({ model, thinkingLevel, isScoped: z.boolean() }).nullable(),
  },
  get_available_models: {
    scope: null,
    description: "Models that can be asked now.",
    params: nothing,
    result: z.strictObject({ models: z.array(model) }),
  },
  get_login_providers: {
    scope: null,
    description: "Providers one can log in to: with a `browser`, or with a `key`. Nothing that is stored is told.",
    params: nothing,
    result: z.strictObject({
      providers: z.array(
        z.strictObject({
          id: text,
          name: text,
          method: z.enum(["browser", "key"]),
          authenticated: z.boolean(),
          stored: text.optional(),
        }),
      ),
    }),
  },
  login: {
    scope: "admin",
    description:
      "Logs in and stores it: with `key`, or with a browser, which the host is asked to open by `open_url`; then it is answered within 300 seconds, when the person is done. `redirectUrl` brings the address a browser on another machine ended on to the login that waits.",
    params: z.strictObject({
      providerId: text,
      key: z.string().max(8192).optional(),
      redirectUrl: z.string().max(16_384).optional(),
    }),
    result: z.strictObject({ providerId: text }),
  },
  set_thinking_level: {
    scope: "model",
    description: "How hard the model thinks, from the next request, as far as it can.",
    params: z.strictObject({ level: thinkingLevel }),
    result: nothing,
  },
  cycle_thinking_level: {
    scope: "model",
    description: "The next level the model takes. The data is null where it takes none.",
    params: nothing,
    result: z.strictObject({ level: thinkingLevel }).nullable(),
  },
  set_steering_mode: {
    scope: "control",
    description: "Whether waiting steering messages are delivered one at a time or all at once.",
    params: z.strictObject({ mode: perTurn }),
    result: nothing,
  },
  set_follow_up_mode: {
    scope: "control",
    description: "Whether waiting follow-ups are delivered one at a time or all at once.",
    params: z.strictObject({ mode: perTurn }),
    result: nothing,
  },
  set_interrupt_mode: {
    scope: "control",
    description: "Whether steering drops the rest of a batch of tool calls or waits for it.",
    params: z.strictObject({ mode: z.enum(["immediate", "wait"]) }),
    result: nothing,
  },
  compact: {
    scope: "control",
    description: "Shortens what the model sees of the conversation.",
    params: z.strictObject({ customInstructions: text.optional() }),
    result: z.strictObject({ tokensBefore: z.number(), tokensAfter: z.number(), summarised: z.boolean() }),
  },
  set_auto_compaction: {
    scope: "control",
    description: "Whether the conversation is shortened by itself when it gets too long.",
    params: z.strictObject({ enabled: z.boolean() }),
    result: nothing,
  },
  set_auto_retry: {
    scope: "control",
    description: "Whether a request that failed for a passing reason is tried again.",
    params: z.strictObject({ enabled: z.boolean() }),
    result: nothing,
  },
  abort_retry: {
    scope: "control",
    description: "Stops waiting for the next attempt.",
    params: nothing,
    result: nothing,
  },
  bash: {
    scope: "bash",
    description: "Runs a command of the host. The model is told of it with the next prompt.",
    params: z.strictObject({ command: text }),
    result: z.strictObject({
      output: text,
      exitCode: z.number().optional(),
      cancelled: z.boolean(),
      truncated: z.boolean(),
      fullOutputPath: text.optional(),
    }),
  },
  abort_bash: {
    scope: "bash",
    description: "Stops the command of the host that runs.",
    params: nothing,
    result: nothing,
  },
  get_session_stats: {
    scope: "message:read",
    description: "Counts, tokens and cost of the session.",
    params: nothing,
    result: z.strictObject({
      sessionFile: text.optional(),
      sessionId: text,
      userMessages: z.number(),
      assistantMessages: z.number(),
      toolCalls: z.number(),
      toolResults: z.number(),
      totalMessages: z.number(),
      tokens: z.strictObject({
        input: z.number(),
        output: z.number(),
        cacheRead: z.number(),
        cacheWrite: z.number(),
        total: z.number(),
      }),
      cost: z.number().optional(),
    }),
  },
  export_html: {
    scope: "export",
    description: "Writes the session as one page that needs no network.",
    params: z.strictObject({ outputPath: text.optional() }),
    result: z.strictObject({ path: text }),
  },
  switch_session: {
    scope: "session",
    description: "Goes on with another session, by its file or its id.",
    params: z.strictObject({ sessionPath: text }),
    result: z.strictObject({ cancelled: z.boolean() }),
  },
  branch: {
    scope: "session",
    description: "The next prompt takes the place of this one. Gives its text back.",
    params: z.strictObject({ entryId: text }),
    result: z.strictObject({ text, cancelled: z.boolean() }),
  },
  get_branch_messages: {
    scope: "message:read",
    description: "Prompts that `branch` takes, oldest first.",
    params: nothing,
    result: z.strictObject({ messages: z.array(z.strictObject({ entryId: text, text })) }),
  },
  get_last_assistant_text: {
    scope: "message:read",
    description: "The text of the newest answer; null where there is none.",
    params: nothing,
    result: z.strictObject({ text: text.nullable() }),
  },
  set_session_name: {
    scope: "session",
    description: "Names the session.",
    params: z.strictObject({ name: text }),
    result: nothing,
  },
  get_messages: {
    scope: "message:read",
    description: "The conversation as the model sees it.",
    params: nothing,
    result: z.strictObject({ messages: z.array(wireMessage) }),
  },
} as const satisfies Record<
  string,
  { scope: (typeof SCOPES)[number] | null; description: string; params: z.ZodType; result: z.ZodType }
>;

export type RpcCommandName = keyof typeof RPC_COMMANDS;
export type RpcParams<Name extends RpcCommandName> = z.infer<(typeof RPC_COMMANDS)[Name]["params"]>;
export type RpcResult<Name extends RpcCommandName> = z.infer<(typeof RPC_COMMANDS)[Name]["result"]>;
