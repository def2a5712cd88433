import type { AgentEvent } from "../protocol/agent-events.ts";
import type { Ask, Decision } from "../protocol/asks.ts";
import type { AskDraft } from "../protocol/tool-runs.ts";
import type { UserAnswer, UserQuestion } from "../tools/ask-user.ts";

/** What waits for a person. Any face can answer; the first answer counts. */
export interface PendingAnswers {
  asks(): Ask[];
  ask(draft: AskDraft, tool: string): Promise<boolean>;
  question(question: UserQuestion): Promise<UserAnswer>;
  /** False when nothing waits under this id. */
  answerAsk(askId: string, isYes: boolean): boolean;
  answerQuestion(questionId: string, answers: string[] | undefined): boolean;
  /** The work was stopped: asks are answered with no, questions are declined. */
  dismiss(): void;
}

export function createPendingAnswers(emit: (event: AgentEvent) => void): PendingAnswers {
  const asks = new Map<string, { ask: Ask; settle: (decision: Decision) => void }>();
  const questions = new Map<string, (answers: string[] | undefined) => void>();
  const decide = (askId: string, decision: Decision): boolean => {
    const waiting = asks.get(askId);
    asks.delete(askId);
    waiting?.settle(decision);
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
    async ask(draft, tool) {
      const ask: Ask = { ...draft, id: crypto.randomUUID(), tool };
      const answered = Promise.withResolvers<Decision>();
      asks.set(ask.id, { ask, settle: answered.resolve });
      emit({ type: "ask-start", ask });
      const decision = await answered.promise;
      emit({ type: "ask-end", askId: ask.id, decision });
      return decision.effect === "allow";
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
    answerAsk: (askId, isYes) =>
      decide(
        askId,
        isYes
          ? { effect: "allow", tier: "person", reason: "The person said yes." }
          : { effect: "deny", tier: "person", reason: "The person said no." },
      ),
    answerQuestion,
    dismiss() {
      for (const id of [...asks.keys()])
        decide(id, { effect: "deny", tier: "headless", reason: "The work was stopped before an answer came." });
      for (const id of [...questions.keys()]) answerQuestion(id, undefined);
    },
  };
}
