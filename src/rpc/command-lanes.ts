import type { RpcCommandName } from "./commands.ts";
import type { TypedError } from "./typed-error.ts";

// When commands run. An answer may come before that of an earlier command; what changes the conversation keeps its order.

/**
 * `now`: before the next line is read, and behind what was said before it, unless something slow is in the way.
 * `in-order`: one after the other.
 * `beside`: at once, beside everything else.
 */
export type Lane = "now" | "in-order" | "beside";

export const LANES: Record<RpcCommandName, Lane> = {
  prompt: "in-order",
  steer: "in-order",
  follow_up: "in-order",
  abort: "in-order",
  abort_and_prompt: "in-order",
  new_session: "in-order",
  switch_session: "in-order",
  branch: "in-order",
  compact: "in-order",
  set_todos: "in-order",
  set_host_tools: "in-order",
  set_host_uri_schemes: "in-order",
  set_model: "in-order",
  cycle_model: "in-order",
  set_thinking_level: "in-order",
  cycle_thinking_level: "in-order",
  set_session_name: "in-order",
  bash: "beside",
  export_html: "beside",
  get_available_models: "beside",
  get_login_providers: "beside",
  login: "beside",
  workflow_gate_response: "beside",
  abort_bash: "now",
  abort_retry: "now",
  get_branch_messages: "now",
  get_last_assistant_text: "now",
  get_messages: "now",
  get_session_stats: "now",
  get_state: "now",
  negotiate_unattended: "now",
  set_auto_compaction: "now",
  set_auto_retry: "now",
  set_follow_up_mode: "now",
  set_interrupt_mode: "now",
  set_steering_mode: "now",
};

/** Those in order that wait for more than the disk. */
export const SLOW: ReadonlySet<RpcCommandName> = new Set([
  "abort",
  "abort_and_prompt",
  "branch",
  "compact",
  "cycle_model",
  "new_session",
  "set_model",
  "switch_session",
]);

/** Commands that wait or run, in one lane. */
const MAX_WAITING = 256;
/** Characters of the lines they came in. */
const MAX_WAITING_CHARACTERS = 32 * 1024 * 1024;

export const TOO_MANY: TypedError = {
  code: "too_many_commands",
  message: `More than ${MAX_WAITING} commands or ${MAX_WAITING_CHARACTERS} characters wait already. Send it again when some are answered.`,
};

export interface Waiting {
  hasRoom(characters: number): boolean;
  add(work: () => Promise<void>, command: { characters: number; isSlow: boolean }): void;
  isEmpty(): boolean;
  /** Something slow waits or runs. */
  isSlow(): boolean;
  /** Resolves when everything added so far is done. */
  settled(): Promise<void>;
}

export function createWaiting(order: Exclude<Lane, "now">): Waiting {
  const running = new Set<Promise<void>>();
  let last: Promise<void> = Promise.resolve();
  let [held, slow] = [0, 0];
  return {
    hasRoom: (characters) => running.size < MAX_WAITING && held + characters <= MAX_WAITING_CHARACTERS,
    add(work, { characters, isSlow }) {
      held += characters;
      slow += isSlow ? 1 : 0;
      const done = (order === "in-order" ? last.then(work) : work()).finally(() => {
        running.delete(done);
        held -= characters;
        slow -= isSlow ? 1 : 0;
      });
      running.add(done);
      last = done;
    },
    isEmpty: () => running.size === 0,
    isSlow: () => slow > 0,
    settled: async () => void (await Promise.all(running)),
  };
}
