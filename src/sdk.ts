// The public names of Ralph as a library, for programs that run on Bun. docs/sdk.md is their manual.

export type { AgentOutcome, AgentTotals } from "./protocol/agent-events.ts";
export type { Ask, AskOption } from "./protocol/asks.ts";
export type { Effort } from "./protocol/effort.ts";
export type { JsonObject } from "./protocol/json.ts";
export type { Model } from "./protocol/models.ts";
export type { SettingKey, SettingValues } from "./protocol/settings.ts";
export type { AskDraft } from "./protocol/tool-runs.ts";
export type { PortModel, SessionStats } from "./rpc/agent-port.ts";
export type { SessionEvent as AgentSessionEvent } from "./rpc/session-event-shapes.ts";
export type { WireImage, WireMessage, WireText } from "./rpc/wire-shapes.ts";
export type {
  AgentSession,
  CustomMessage,
  CustomMessageOptions,
  PromptOptions,
  SessionState,
  StreamingBehavior,
} from "./sdk/agent-session.ts";
export type { AskReply, Question, QuestionReply, ToolUIContext } from "./sdk/answer-callbacks.ts";
export { AuthStorage, discoverAuthStorage } from "./sdk/auth-storage.ts";
export { BUILTIN_TOOLS, type BuiltinTool, createTools } from "./sdk/builtin-tools.ts";
export {
  buildSystemPrompt,
  type ContextFile,
  discoverContextFiles,
  type SystemPromptOptions,
} from "./sdk/context-files.ts";
export { type CreateAgentSessionResult, createAgentSession } from "./sdk/create-agent-session.ts";
export type { CustomTool, CustomToolContext, CustomToolResult } from "./sdk/custom-tools.ts";
export { EventBus } from "./sdk/event-bus.ts";
export { ModelRegistry, type ModelRegistryOptions } from "./sdk/model-registry.ts";
export { createPromptTemplate, discoverPromptTemplates, type PromptTemplate } from "./sdk/prompt-templates.ts";
export type { PromptResult } from "./sdk/prompt-work.ts";
export { RalphError, type RalphErrorCode } from "./sdk/ralph-error.ts";
export { SessionManager } from "./sdk/session-manager.ts";
export type { CreateAgentSessionOptions } from "./sdk/session-options.ts";
export { Settings } from "./sdk/settings.ts";
export type { SessionSummary } from "./sessions/session-summary.ts";
