import type { ModelEvent } from "./model-events.ts";

// What looks at answers while they come and may have one stopped, as the turn loop sees it.

export interface AnswerWatch {
  /** An answer begins. What was seen of the one before is forgotten. */
  begin(): void;
  /** With true the answer is stopped at once and nothing more of it is seen. */
  see(event: ModelEvent): boolean;
  /** What the model is told in place of the answer that was stopped, or behind what it had said. Asked once for each. */
  stopped(): BrokenRules & { keepsAnswer: boolean };
  /** The answer is part of the conversation. What the model is told behind it and its results; undefined for nothing. */
  ended(): BrokenRules | undefined;
  /** What stands before the result of this call; undefined for nothing. */
  beforeResult(toolCallId: string): BrokenRules | undefined;
}

/** Rules an answer broke, and the words in which the model is told. */
export interface BrokenRules {
  rules: TriggeredRule[];
  text: string;
}

export interface TriggeredRule {
  name: string;
  path: string;
}
