// The public names of `ralph/client`.

export type { ExitReport } from "./client/client-errors.ts";
export { ProcessExited, RpcError } from "./client/client-errors.ts";
export type { CallOptions, CommandName, Params, Result } from "./client/command-methods.ts";
export type {
  AnswerCallbacks,
  AnswerContext,
  Approval,
  UiRequest,
  UiResponse,
  WorkflowGate,
} from "./client/gate-answers.ts";
export type {
  RunnableScheme,
  RunnableTool,
  ToolContext,
  ToolOutput,
  UriContent,
  UriContext,
} from "./client/host-calls.ts";
export type { AgentEnd, PromptWork } from "./client/prompt-work.ts";
export type { PromptOptions, RalphClient, StartOptions } from "./client/start-ralph.ts";
export { startRalph } from "./client/start-ralph.ts";
export type { Content, Image, Message, SessionEvent } from "./client/wire-types.ts";
