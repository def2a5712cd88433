import type { PersonAnswer, PutAsk } from "../permissions/gate/create-gate.ts";
import type { AgentEvent } from "../protocol/agent-events.ts";
import type { Ask, Decision } from "../protocol/asks.ts";
import type { MethodError, MethodParams } from "../protocol/methods.ts";
import type { Clock } from "../system/clock.ts";
import type { UserAnswer, UserQuestion } from "../tools/ask-user.ts";

/** What waits for a person. Any face can answer; the first answer that can be taken counts. */
export interface PendingAnswers {
  asks(): Ask[];
  ask(ask: PutAsk): Promise<PersonAnswer>;
  question(question: UserQuestion & { about?: "leave-mode" }): Promise<UserAnswer>;
  /** Why the answer does not count; undefined where it does. What cannot be taken leaves the ask waiting. */
  answerAsk(askId: string, answer: AskAnswer): MethodError | undefined;
  answerQuestion(questionId: string, answers: string[] | undefined): boolean;
  /** The work was stopped: asks are answered with no, questions are declined. */
  dismiss(): void;
}

/** As a face gives it; the rules are those of the ask where it names none. */
export type AskAnswer = Omit<MethodParams<"answer">, "askId">;

/** An answer that comes later is about a world that has moved on. */
export const ASK_LIFETIME_MS = 30 * 60_000;
/** Of asks that are settled: what became of them is told to whoever answers late. */
const MOST_REMEMBERED = 100;

export function createPendingAnswers(
  emit: (event: AgentEvent) => void,
  clock: Clock,
  randomId = (): string => crypto.randomUUID(),
): PendingAnswers {
  const asks = new Map<string, { ask: Ask; settle: (answer: PersonAnswer) => void }>();
  const settled = new Map<string, PersonAnswer["type"]>();
  const questions = new Map<string, (answers: string[] | undefined) => void>();
  const settle = (askId: string, answer: PersonAnswer) => {
    const waiting = asks.get(askId);
    asks.delete(askId);
    settled.set(askId, answer.type);
    for (const [oldest] of settled) if (settled.size > MOST_REMEMBERED) settled.delete(oldest);
    waiting?.settle(answer);
  };
  const expire = (askId: string) => settle(askId, { type: "expired", afterMs: ASK_LIFETIME_MS });
  const answerQuestion = (questionId: string, answers: string[] | undefined): boolean => {
    const settle = questions.get(questionId);
    questions.delete(questionId);
    settle?.(answers);
    return settle !== undefined;
  };
  return {
    asks: () => [...asks.values()].map(({ ask }) => ask),
    async ask(asked) {
      const ask: Ask = { ...asked, id: crypto.randomUUID(), expiresAt: clock.now() + ASK_LIFETIME_MS };
      const answered = Promise.withResolvers<PersonAnswer>();
      asks.set(ask.id, { ask, settle: answered.resolve });
      const stopTimer = clock.timer(ASK_LIFETIME_MS, () => expire(ask.id));
      emit({ type: "ask-start", ask });
      const answer = await answered.promise;
      stopTimer();
      emit({ type: "ask-end", askId: ask.id, decision: decisionOf(answer) });
      return answer;
    },
    async question({ question, options, multi, about }) {
      const questionId = randomId();
      const answered = Promise.withResolvers<string[] | undefined>();
      questions.set(questionId, answered.resolve);
      emit({ type: "question-start", questionId, question, options, multi, ...(about === undefined ? {} : { about }) });
      const answers = await answered.promise;
      emit({ type: "question-end", questionId, ...(answers === undefined ? {} : { answers }) });
      return answers === undefined ? { type: "declined" } : { type: "answer", answers };
    },
    answerAsk(askId, answer) {
      // A machine that slept wakes up after the moment, and its timer later still.
      if ((asks.get(askId)?.ask.expiresAt ?? Number.POSITIVE_INFINITY) <= clock.now()) expire(askId);
      const waiting = asks.get(askId);
      if (waiting === undefined) return notWaiting(askId, settled.get(askId));
      const refusal = refusalOf(answer, waiting.ask);
      if (refusal === undefined) settle(askId, personAnswer(answer, waiting.ask));
      return refusal;
    },
    answerQuestion,
    dismiss() {
      for (const id of [...asks.keys()]) settle(id, { type: "no" });
      for (const id of [...questions.keys()]) answerQuestion(id, undefined);
    },
  };
}

function notWaiting(askId: string, was: PersonAnswer["type"] | undefined): MethodError {
  if (was === undefined) return { code: "not-found", message: `There is no ask ${askId}.` };
  const how = was === "expired" ? "it had expired, which is a no" : `the answer was ${WORDS[was]}`;
  return { code: "already-answered", message: `This was answered already: ${how}.` };
}

const WORDS: Record<Exclude<PersonAnswer["type"], "expired">, string> = {
  once: "yes",
  session: "yes, for this session",
  always: "yes, for good",
  no: "no",
  never: "no, for good",
};

/** What the ask does not offer cannot be said. */
function refusalOf({ answer, rules }: AskAnswer, ask: Ask): MethodError | undefined {
  if (!ask.options.includes(answer))
    return {
      code: "invalid",
      message: `This can only be answered with ${ask.options.join(", ")}: nothing of it can be kept.`,
    };
  const isKept = answer !== "yes" && answer !== "no";
  if (isKept && rules?.length === 0)
    return { code: "invalid", message: "There is no rule to keep. Answer yes or no, or give one." };
  return undefined;
}

function personAnswer({ answer, rules }: AskAnswer, ask: Ask): PersonAnswer {
  if (answer === "yes") return { type: "once" };
  return answer === "no" ? { type: "no" } : { type: answer, rules: rules ?? ask.rules ?? [] };
}

function decisionOf({ type }: PersonAnswer): Decision {
  if (type === "expired") return { effect: "deny", tier: "person", reason: "Nobody answered in time." };
  return type === "no" || type === "never"
    ? { effect: "deny", tier: "person", reason: "The person said no." }
    : { effect: "allow", tier: "person", reason: "The person said yes." };
}
