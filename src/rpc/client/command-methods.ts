import type { Commands } from "./wire-types.ts";

// One method per command: `get_state` is `getState`.

export type CommandName = keyof Commands;
export type Params<Name extends CommandName> = Commands[Name]["params"];
export type Result<Name extends CommandName> = Commands[Name]["result"];

export interface CallOptions {
  /** Stops waiting for the answer; what the command does goes on. */
  signal?: AbortSignal;
}

/** The fields may be left out where a command needs none. */
export type CallArguments<Name extends CommandName> =
  Record<string, never> extends Params<Name>
    ? [params?: Params<Name>, options?: CallOptions]
    : [params: Params<Name>, options?: CallOptions];

export type Call = <Name extends CommandName>(name: Name, ...rest: CallArguments<Name>) => Promise<Result<Name>>;

export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** These do more than send their command; `RalphClient` says what. */
type Own = "prompt" | "abort_and_prompt" | "set_host_tools" | "set_host_uri_schemes";

export type CommandMethods = {
  [Name in Exclude<CommandName, Own> as CamelCase<Name>]: (...rest: CallArguments<Name>) => Promise<Result<Name>>;
};

/** The compiler finds a command that is missing here, and one that is gone. */
const COMMANDS_WITH_METHODS: Record<Exclude<CommandName, Own>, true> = {
  steer: true,
  follow_up: true,
  abort: true,
  new_session: true,
  get_state: true,
  set_todos: true,
  workflow_gate_response: true,
  negotiate_unattended: true,
  set_model: true,
  cycle_model: true,
  get_available_models: true,
  get_login_providers: true,
  login: true,
  set_thinking_level: true,
  cycle_thinking_level: true,
  set_steering_mode: true,
  set_follow_up_mode: true,
  set_interrupt_mode: true,
  compact: true,
  set_auto_compaction: true,
  set_auto_retry: true,
  abort_retry: true,
  bash: true,
  abort_bash: true,
  get_session_stats: true,
  export_html: true,
  switch_session: true,
  branch: true,
  get_branch_messages: true,
  get_last_assistant_text: true,
  set_session_name: true,
  get_messages: true,
};

export function commandMethods(call: Call): CommandMethods {
  const send = call as (name: string, ...rest: unknown[]) => Promise<unknown>;
  const methods = Object.keys(COMMANDS_WITH_METHODS).map((name) => [
    camelCase(name),
    (...rest: unknown[]) => send(name, ...rest),
  ]);
  // A name and its fields belong together, which the compiler cannot follow through a table.
  return Object.fromEntries(methods) as CommandMethods;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
