import type { RpcCommandName, RpcParams } from "../../src/rpc/commands.ts";
import type { Inbound, InboundName } from "../../src/rpc/frames.ts";

// One well-formed line of every kind, with every field it may have.

const IMAGE = { type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" };

export const SAMPLE_COMMANDS: { [Name in RpcCommandName]: Required<RpcParams<Name>> } = {
  prompt: { message: "hi", images: [IMAGE], streamingBehavior: "steer" },
  steer: { message: "hi", images: [IMAGE] },
  follow_up: { message: "hi", images: [IMAGE] },
  abort: {},
  abort_and_prompt: { message: "hi", images: [IMAGE] },
  new_session: { parentSession: "parent" },
  get_state: { include: ["tools", "systemPrompt"] },
  set_todos: { phases: [{ id: "p", name: "Plan", tasks: [{ id: "t", content: "Look", status: "pending" }] }] },
  set_host_tools: {
    tools: [{ name: "echo", label: "Echo", description: "Echoes", parameters: { type: "object", properties: {} } }],
  },
  set_host_uri_schemes: { schemes: [{ scheme: "db", description: "Rows", writable: true, immutable: false }] },
  workflow_gate_response: { gate_id: "none", answer: true, idempotency_key: "k" },
  negotiate_unattended: {
    declaration: {
      actor: "a/test",
      budget: { max_tokens: 1, max_tool_calls: 1, max_wall_time_ms: 1, max_cost_usd: 0 },
      scopes: ["prompt"],
      action_allowlist: [],
    },
  },
  set_model: { provider: "scripted", modelId: "demo" },
  cycle_model: {},
  get_available_models: {},
  get_login_providers: {},
  login: { providerId: "none", key: "k", redirectUrl: "http://localhost:1455/auth/callback?code=c&state=s" },
  set_thinking_level: { level: "low" },
  cycle_thinking_level: {},
  set_steering_mode: { mode: "all" },
  set_follow_up_mode: { mode: "all" },
  set_interrupt_mode: { mode: "wait" },
  compact: { customInstructions: "keep names" },
  set_auto_compaction: { enabled: false },
  set_auto_retry: { enabled: false },
  abort_retry: {},
  bash: { command: "echo hi" },
  abort_bash: {},
  get_session_stats: {},
  export_html: { outputPath: "page.html" },
  switch_session: { sessionPath: "nowhere" },
  branch: { entryId: "nothing" },
  get_branch_messages: {},
  get_last_assistant_text: {},
  set_session_name: { name: "A name" },
  get_messages: {},
};

export const SAMPLE_FRAMES: { [Name in InboundName]: Inbound<Name> } = {
  extension_ui_response: { type: "extension_ui_response", id: "ui_1", value: "yes" },
  host_tool_update: {
    type: "host_tool_update",
    id: "host_1",
    partialResult: { content: [{ type: "text", text: "…" }] },
  },
  host_tool_result: {
    type: "host_tool_result",
    id: "host_1",
    result: { content: [{ type: "text", text: "done" }] },
    isError: false,
  },
  host_uri_result: {
    type: "host_uri_result",
    id: "uri_1",
    content: "row",
    contentType: "text/plain",
    notes: ["fresh"],
    immutable: false,
    isError: false,
    error: "none",
  },
};
