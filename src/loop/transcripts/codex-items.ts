import { asArray, asNumber, asObject, asString } from "../../protocol/json.ts";
import type { ToolStatus } from "./open-tools.ts";

// The items of a Codex turn, read into the few kinds the loop tells apart.

export type CodexItem =
  | {
      type: "tool";
      id: string;
      name: string;
      input: Record<string, unknown>;
      output: string;
      status: ToolStatus;
      durationMs?: number;
      /** What its permission gate refused. */
      denied?: string;
    }
  | { type: "message"; text: string }
  | { type: "text"; tag: "THINK" | "SYS"; text: string }
  /** Its list of things to do, announced when it begins and when it changes. */
  | { type: "plan"; text: string }
  | { type: "unknown" };

type Fields = Record<string, unknown>;
type ToolFields = Pick<Extract<CodexItem, { type: "tool" }>, "name" | "input" | "output">;

export function readItem(item: unknown): CodexItem {
  const fields = asObject(item);
  if (fields === undefined) return UNKNOWN;
  const kind = asString(fields.type) ?? "";
  const tool = TOOLS.get(kind);
  if (tool !== undefined) return toolItem(fields, tool(fields));
  const text = asString(fields.text) ?? asString(fields.message);
  switch (kind) {
    case "agent_message":
      return text === undefined ? UNKNOWN : { type: "message", text };
    case "reasoning":
      return text === undefined ? UNKNOWN : { type: "text", tag: "THINK", text };
    case "error":
      return text === undefined ? UNKNOWN : { type: "text", tag: "SYS", text };
    case "todo_list":
      return { type: "plan", text: planText(asArray(fields.items)) };
    default:
      return UNKNOWN;
  }
}

const UNKNOWN: CodexItem = { type: "unknown" };

const TOOLS = new Map<string, (fields: Fields) => ToolFields>([
  ["command_execution", commandFields],
  ["file_change", ({ changes }) => ({ name: "apply_patch", input: { changes: asArray(changes) }, output: "" })],
  ["mcp_tool_call", mcpFields],
  ["web_search", ({ query }) => ({ name: "web_search", input: { query: asString(query) ?? "" }, output: "" })],
  ["collab_tool_call", ({ tool, prompt }) => ({ name: asString(tool) ?? "collab", input: { prompt }, output: "" })],
]);

function commandFields({ command, aggregated_output }: Fields): ToolFields {
  return { name: "shell", input: { command: asString(command) ?? "" }, output: asString(aggregated_output) ?? "" };
}

function mcpFields({ server, tool, arguments: input, result, error }: Fields): ToolFields {
  const texts = asArray(asObject(result)?.content).map((part) => asString(asObject(part)?.text) ?? "");
  const output = [...texts, asString(asObject(error)?.message) ?? ""].filter((text) => text !== "").join("\n");
  return { name: `${asString(server) ?? "mcp"}.${asString(tool) ?? "tool"}`, input: asObject(input) ?? {}, output };
}

function toolItem(fields: Fields, tool: ToolFields): CodexItem {
  const durationMs = asNumber(fields.duration_ms);
  return {
    type: "tool",
    id: asString(fields.id) ?? tool.name,
    ...tool,
    status: statusOf(fields),
    ...(durationMs === undefined || durationMs < 0 ? {} : { durationMs }),
    ...(fields.status === "declined" ? { denied: `${tool.name}: ${asString(fields.command) ?? "not allowed"}` } : {}),
  };
}

/** The exit code counts where there is one. An item without a status says nothing about how it ended. */
function statusOf({ type, status, exit_code }: Fields): ToolStatus {
  if (typeof exit_code === "number") return exit_code === 0 ? "ok" : "fail";
  if (status === "completed" || (type === "web_search" && status === undefined)) return "ok";
  return status === "failed" || status === "declined" ? "fail" : "unknown";
}

function planText(items: unknown[]): string {
  const lines = items.map((item) => {
    const { text, completed } = asObject(item) ?? {};
    return `[${completed === true ? "x" : " "}] ${asString(text) ?? ""}`;
  });
  return ["Plan:", ...lines].join("\n");
}
