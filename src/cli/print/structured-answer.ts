import type { AgentEvent, AgentTotals } from "../../protocol/agent-events.ts";
import type { UserMessage } from "../../protocol/messages.ts";
import type { Face } from "./face.ts";
import { textOf } from "./faces.ts";
import { problemsWith } from "./json-schema-check.ts";
import type { Schema } from "./json-schema-places.ts";

/** Stands before a face and lets a run end only with an answer that fits, as often as it may be asked for. */
export interface StructuredAnswer {
  emit(event: AgentEvent): void;
  /** What the model is told when its answer did not fit; undefined where nothing more is asked. */
  followUp(): UserMessage | undefined;
  /** The last answer did not fit, and the model was asked often enough. */
  hasFailed(): boolean;
}

/** How often a model is asked again. */
const MOST_REPEATS = 2;

export function createStructuredAnswer(schema: Schema, face: Pick<Face, "show" | "structured">): StructuredAnswer {
  let text = "";
  let repeats = 0;
  let correction: string | undefined;
  let before: AgentTotals | undefined;
  let hasFailed = false;
  const end = (event: Extract<AgentEvent, { type: "agent-end" }>) => {
    const totals = sum(before, event.totals);
    const answer = event.outcome.type === "done" ? readAnswer(text, schema) : undefined;
    if (answer?.ok === false && repeats < MOST_REPEATS) {
      repeats++;
      before = totals;
      correction = correctionFor(answer.problems);
      return;
    }
    hasFailed = answer?.ok === false;
    repeats = 0;
    before = undefined;
    if (answer !== undefined) face.structured(answer);
    face.show({ ...event, totals });
  };
  return {
    emit(event) {
      if (event.type === "message-end" && event.message.role === "assistant") text = textOf(event.message);
      if (event.type === "agent-end") end(event);
      // For whoever reads, the next try is a part of the same run.
      else if (event.type !== "agent-start" || before === undefined) face.show(event);
    },
    followUp() {
      const asked = correction;
      correction = undefined;
      return asked === undefined ? undefined : { role: "user", content: [{ type: "text", text: asked }] };
    },
    hasFailed: () => hasFailed,
  };
}

type ReadAnswer = { ok: true; value: unknown } | { ok: false; problems: string[] };

function readAnswer(text: string, schema: Schema): ReadAnswer {
  let value: unknown;
  try {
    value = JSON.parse(withoutFence(text));
  } catch (error) {
    return {
      ok: false,
      problems: [`the answer is no JSON: ${error instanceof Error ? error.message : String(error)}`],
    };
  }
  const unprintable = unprintableIn(value);
  const problems = unprintable === undefined ? problemsWith(schema, value) : [unprintable];
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems };
}

const DEEPEST = 200;

/** JSON can say what cannot be written again as it was: a number beyond all numbers, or lists in lists without an end. */
function unprintableIn(answer: unknown): string | undefined {
  let level: unknown[] = [answer];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return `the answer is nested more than ${DEEPEST} deep`;
    if (level.some((value) => typeof value === "number" && !Number.isFinite(value)))
      return "the answer has a number that is too large to be written again";
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
  return undefined;
}

/** Models like to put code between fences; what is in them is the answer. */
function withoutFence(text: string): string {
  return /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text;
}

function correctionFor(problems: readonly string[]): string {
  const lines = problems.map((problem) => `- ${problem}`);
  return [
    "Your answer does not fit the schema:",
    ...lines,
    "Answer again with the whole JSON value and nothing else.",
  ].join("\n");
}

function sum(one: AgentTotals | undefined, other: AgentTotals): AgentTotals {
  if (one === undefined) return other;
  const usage = { ...one.usage };
  for (const [name, count] of Object.entries(other.usage) as [keyof typeof usage, number][])
    usage[name] = (usage[name] ?? 0) + count;
  const cost = one.cost === undefined && other.cost === undefined ? {} : { cost: (one.cost ?? 0) + (other.cost ?? 0) };
  return { turns: one.turns + other.turns, usage, ...cost };
}
