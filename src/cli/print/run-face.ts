import type { AgentEvent, AgentOutcome } from "../../protocol/agent-events.ts";
import type { UserMessage } from "../../protocol/messages.ts";
import { EXIT, exitCodeFor } from "../exit-codes.ts";
import type { Face, FaceName, FaceOptions } from "./face.ts";
import { FACES } from "./faces.ts";
import type { Schema } from "./json-schema-places.ts";
import type { PromptLines } from "./prompt-lines.ts";

/** Everything between an agent and standard output in one run. */
export interface RunFace extends Pick<Face, "begin" | "mayRestart"> {
  emit(event: AgentEvent): void;
  /** What is said to the agent when it is done; undefined where nothing is left to say. */
  followUp(signal: AbortSignal): Promise<UserMessage | undefined>;
  exitCode(outcome: AgentOutcome): number;
}

export interface RunFaceOptions {
  name: FaceName;
  face: FaceOptions;
  schema?: Schema | undefined;
  /** What is asked after the first prompt. */
  more?: readonly UserMessage[] | undefined;
  /** And after that, as it comes. */
  later?: PromptLines | undefined;
  /** Hides secrets from programs. */
  veil?: ((emit: (event: AgentEvent) => void) => (event: AgentEvent) => void) | undefined;
}

export async function createRunFace(given: RunFaceOptions): Promise<RunFace> {
  const { name, face: options, schema, more, later, veil } = given;
  const face = FACES[name]({ ...options, isStructured: schema !== undefined });
  const structured =
    schema === undefined ? undefined : (await import("./structured-answer.ts")).createStructuredAnswer(schema, face);
  const show = structured === undefined ? (event: AgentEvent) => face.show(event) : structured.emit;
  const waiting = [...(more ?? [])];
  let isUnreadable = false;
  const nextLine = async (signal: AbortSignal) => {
    const next = await later?.next(signal);
    isUnreadable = next?.type === "problem";
    if (next?.type === "problem") options.note(next.message);
    return next?.type === "message" ? next.message : undefined;
  };
  return {
    emit: veil === undefined || name === "text" ? show : veil(show),
    mayRestart: () => face.mayRestart(),
    ...(face.begin === undefined ? {} : { begin: (state) => face.begin?.(state) }),
    followUp: async (signal) => structured?.followUp() ?? waiting.shift() ?? nextLine(signal),
    exitCode(outcome) {
      if (structured?.hasFailed() === true) return EXIT.failed;
      return isUnreadable && outcome.type === "done" ? EXIT.usage : exitCode(outcome);
    },
  };
}

function exitCode(outcome: AgentOutcome): number {
  if (outcome.type === "failed") return exitCodeFor(outcome.error.kind);
  if (outcome.type === "interrupted") return EXIT.interrupted;
  if (outcome.type === "limit-reached") return EXIT.limit;
  return outcome.type === "done" ? EXIT.done : EXIT.failed;
}
