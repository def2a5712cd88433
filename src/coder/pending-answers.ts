import type { PersonAnswer } from "../permissions/gate/create-gate.ts";
import type { AgentEvent } from "../protocol/agent-events.ts";
import type { Ask, Decision } from "../protocol/asks.ts";
import type { MethodParams } from "../protocol/methods.ts";
import type { UserAnswer, UserQuestion } from "../tools/ask-user.ts";

/** What waits for a person. Any face can answer; the first answer counts. */
export interface PendingAnswers {
  asks(): Ask[];
  ask(ask: Omit<Ask, "id">): Promise<PersonAnswer>;
  question(question: UserQuestion): Promise<UserAnswer>;
  /** False when nothing waits under this id. */
  answerAsk(askId: string, answer: AskAnswer): boolean;
  answerQuestion(questionId: string, answers: string[] | undefined): boolean;
  /** The work was stopped: asks are answered with no, questions are declined. */
  dismiss(): void;
}

/** As a face gives it; the rules are those of the ask where it names none. */
export type AskAnswer = Omit<MethodParams<"answer">, "askId">;

function personAnswer({ answer, rules }: AskAnswer, ask: Ask): PersonAnswer {
  if (answer === "yes") return { type: "once" };
  return answer === "no" ? { type: "no" } : { type: answer, rules: rules ?? ask.rules ?? [] };
}

function decisionOf({ type }: PersonAnswer): Decision {
  return type === "no" || type === "never"
    ? { effect: "deny", tier: "person", reason: "The person said no." }
    : { effect: "allow", tier: "person", reason: "The person said yes." };
}

export function createPendingAnswers(emit: (event: AgentEvent) => void): PendingAnswers {
  const asks = new Map<string, { ask: Ask; settle: (answer: PersonAnswer) => void }>();
  const questions = new Map<string, (answers: string[] | undefined) => void>();
  const settle = (askId: string, answerTo: (ask: Ask) => PersonAnswer): boolean => {
    const waiting = asks.get(askId);
    asks.delete(askId);
    waiting?.settle(answerTo(waiting.ask));
    return waiting !== undefined;
  };
  const answerQuestion = (questionId: string, answers: string[] | undefined): boolean => {
    const settle = questions.get(questionId);
    questions.delete(questionId);
    settle?.(answers);
    return settle !== undefined;
  };
  return {
    asks: () => [...asks.values()].map(({ ask }) => ask),
    async ask(asked) {
      const ask: Ask = { ...asked, id: crypto.randomUUID() };
      const answered = Promise.withResolvers<PersonAnswer>();
      asks.set(ask.id, { ask, settle: answered.resolve });
      emit({ type: "ask-start", ask });
      const answer = await answered.promise;
      emit({ type: "ask-end", askId: ask.id, decision: decisionOf(answer) });
      return answer;
    },
    async question({ question, options, multi }) {
      const questionId = crypto.randomUUID();
      const answered = Promise.withResolvers<string[] | undefined>();
      questions.set(questionId, answered.resolve);
      emit({ type: "question-start", questionId, question, options, multi });
      const answers = await answered.promise;
      emit({ type: "question-end", questionId, ...(answers === undefined ? {} : { answers }) });
      return answers === undefined ? { type: "declined" } : { type: "answer", answers };
    },
    answerAsk: (askId, answer) => settle(askId, (ask) => personAnswer(answer, ask)),
    answerQuestion,
    dismiss() {
      for (const id of [...asks.keys()]) settle(id, () => ({ type: "no" }));
      for (const id of [...questions.keys()]) answerQuestion(id, undefined);
    },
  };
}
