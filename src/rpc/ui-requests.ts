import type { AgentEvent } from "../protocol/agent-events.ts";
import type { Ask, AskOption } from "../protocol/asks.ts";
import type { AgentPort } from "./agent-port.ts";
import type { FlatFrame, Inbound, UiRequest } from "./frames.ts";
import { gateForAsk, gateForQuestion, type QuestionStart } from "./gates/asks-as-gates.ts";
import type { GateBroker, GateDraft } from "./gates/gate-broker.ts";
import type { TypedError } from "./typed-error.ts";

// What the agent wants to know is put to the host twice, with one id: as a gate for programs and as a request for a screen. The
// first answer counts, whichever of the two it answers.

export interface UiRequests {
  note(event: AgentEvent): void;
  /** Why the answer cannot be taken; an answer to something nobody waits for is no mistake. */
  answer(frame: Inbound<"extension_ui_response">): TypedError | undefined;
  /** The title a host may show, where it wants one. */
  title(title: string): void;
  /** An address a person has to open in a browser. */
  openUrl(url: string, instructions: string): void;
}

export interface UiRequestsOptions {
  agent: Pick<AgentPort, "call">;
  broker: GateBroker;
  send(frame: FlatFrame): void;
  now(): number;
  /** True where nobody is asked, because the answer was given already. */
  takesAsk(ask: Ask): boolean;
}

type Answer = { type: "value"; value: string } | { type: "confirmed"; yes: boolean } | { type: "cancelled" };

interface Open {
  /** The frame a host answers. */
  id: string;
  /** Undefined where the answer does not fit. */
  take(answer: Answer): (() => void) | undefined;
  isAnswered: boolean;
  expected: string;
}

export function createUiRequests(options: UiRequestsOptions): UiRequests {
  const { agent, broker, send, now, takesAsk } = options;
  /** By what the agent calls them. */
  const open = new Map<string, Open>();
  let [requests, others] = [0, 0];
  const otherId = () => {
    others += 1;
    return `ui_note_${others}`;
  };

  const put = (key: string, asked: Asked) => {
    const goOn = (answer: unknown) => asked.fromGate(answer);
    if (asked.isPaired) requests += 1;
    const opened = broker.open(asked.draft, goOn, asked.isPaired ? `ui_${requests}` : undefined);
    // The host has let too many wait: nobody could answer one more.
    if (!opened.ok) return asked.decline();
    const { gate } = opened;
    open.set(key, { id: gate.gate_id, take: asked.take, isAnswered: false, expected: asked.expected });
    send(gate);
    send(asked.request(gate.gate_id));
  };
  const close = (key: string) => {
    const closed = open.get(key);
    open.delete(key);
    if (closed === undefined) return;
    broker.dismiss(closed.id);
    if (!closed.isAnswered)
      send({ type: "extension_ui_request", id: otherId(), method: "cancel", targetId: closed.id });
  };

  return {
    note(event) {
      if (event.type === "ask-start" && !takesAsk(event.ask)) put(event.ask.id, askedFor(event.ask, agent, now()));
      else if (event.type === "question-start") put(event.questionId, askedBy(event, agent));
      else if (event.type === "ask-end") close(event.askId);
      else if (event.type === "question-end") close(event.questionId);
    },
    answer(frame) {
      const asked = [...open.values()].find(({ id }) => id === frame.id);
      if (asked === undefined || asked.isAnswered || broker.isBeingAnswered(asked.id)) return undefined;
      const act = asked.take(answerOf(frame));
      if (act === undefined)
        return {
          code: "invalid_answer",
          message: `${frame.id} takes ${asked.expected}. It still waits.`,
          target: frame.id,
        };
      asked.isAnswered = true;
      act();
      return undefined;
    },
    title: (title) => send({ type: "extension_ui_request", id: otherId(), method: "setTitle", title }),
    openUrl: (url, instructions) =>
      send({ type: "extension_ui_request", id: otherId(), method: "open_url", url, instructions }),
  };
}

function answerOf(frame: Inbound<"extension_ui_response">): Answer {
  if ("value" in frame) return { type: "value", value: frame.value };
  return "confirmed" in frame ? { type: "confirmed", yes: frame.confirmed } : { type: "cancelled" };
}

/** One thing the agent wants to know, in both forms. */
interface Asked {
  draft: GateDraft;
  /** The gate has the id of the request instead of one of its own. */
  isPaired: boolean;
  request(id: string): UiRequest;
  fromGate(answer: unknown): void;
  take: Open["take"];
  decline(): void;
  expected: string;
}

function askedFor(ask: Ask, agent: UiRequestsOptions["agent"], now: number): Asked {
  const { draft, read } = gateForAsk(ask);
  const { options, summary } = ask;
  const isYesOrNo = options.every((option) => option === "yes" || option === "no");
  const timeout = Math.max(0, ask.expiresAt - now);
  const about = { type: "extension_ui_request" as const, title: "Permission", message: messageOf(ask), timeout };
  const say = (answer: AskOption) => void agent.call("answer", { askId: ask.id, answer });
  return {
    draft,
    isPaired: true,
    request: (id) =>
      isYesOrNo ? { ...about, id, method: "confirm" } : { ...about, id, method: "select", options: [...options] },
    fromGate: (answer) => say(read(answer)),
    take(answer) {
      const option = answer.type === "value" ? answer.value : answer.type === "confirmed" && answer.yes ? "yes" : "no";
      const offered = options.find((each) => each === option);
      return offered === undefined ? undefined : () => say(offered);
    },
    decline: () => say("no"),
    expected: `one of ${options.join(", ")} for "${summary.slice(0, 100)}"`,
  };
}

/** Everything that would be done: what a person cannot see they cannot allow. */
function messageOf({ summary, resources, cwd, warning, reason }: Ask): string {
  return [
    summary,
    ...resources.filter((resource) => !summary.includes(resource)),
    ...(cwd === undefined ? [] : [`in ${cwd}`]),
    ...(warning === undefined ? [] : [warning]),
    ...(reason === undefined ? [] : [reason]),
  ].join("\n");
}

function askedBy(start: QuestionStart, agent: UiRequestsOptions["agent"]): Asked {
  const { draft, read } = gateForQuestion(start);
  const { questionId, question, options } = start;
  const say = (answers?: string[]) =>
    void agent.call("answer_question", { questionId, ...(answers === undefined ? {} : { answers }) });
  const about = { type: "extension_ui_request" as const, title: question };
  return {
    draft,
    isPaired: false,
    request: (id) =>
      options.length === 0 ? { ...about, id, method: "input" } : { ...about, id, method: "select", options },
    fromGate: (answer) => say(read(answer)),
    take(answer) {
      if (answer.type === "cancelled") return () => say();
      const value = answer.type === "confirmed" ? (answer.yes ? "yes" : "no") : answer.value;
      return value.trim() === "" ? undefined : () => say([value]);
    },
    decline: () => say(),
    expected: "an answer with something in it",
  };
}
