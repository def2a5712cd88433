import type { AgentEvent } from "../../protocol/agent-events.ts";
import type { AgentState } from "../../protocol/agent-state.ts";
import type { Output } from "../output.ts";

export interface Face {
  show(event: AgentEvent): void;
  /** The answer on the screen may still be replaced by another. */
  mayRestart(): boolean;
  /** What became of an answer that has to fit a schema; comes before the last `agent-end`. */
  structured(result: StructuredResult): void;
  /** Wants to know the agent before anything is shown. */
  begin?(state: Pick<AgentState, "tools">): void;
}

export type StructuredResult = { ok: true; value: unknown } | { ok: false; problems: readonly string[] };

export interface FaceOptions {
  output: Output;
  /** For a person, beside the answer. */
  note: (line: string) => void;
  /** Asked only when it matters: finding out loads half a terminal library. */
  isTerminal: () => boolean;
  /** The answer has to fit a schema, so its words are no output. */
  isStructured?: boolean;
  run: FaceRun;
}

/** What lines about the run itself say. */
export interface FaceRun {
  cwd: string;
  version: string;
  permissionMode: "default" | "plan" | "bypassPermissions";
  /** Milliseconds from an unknown start. */
  now(): number;
  /** Milliseconds since 1970. */
  startedAt: number;
  randomId(): string;
}

export type FaceName = "text" | "json" | "events" | "stream-json" | "result-json";

/** What a result line says about an answer that has to fit a schema. */
export function structuredFields(result: StructuredResult | undefined): object {
  if (result === undefined) return {};
  if (result.ok) return { structured_output: result.value };
  return {
    subtype: "error_max_structured_output_retries",
    is_error: true,
    error: unfitLines(result.problems).join(" "),
  };
}

export function unfitLines(problems: readonly string[]): string[] {
  return ["The answer does not fit the schema. Say more about it in the prompt, or use another --model.", ...problems];
}
