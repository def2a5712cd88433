import type { UserMessage } from "../protocol/messages.ts";

// What Ralph says to a model in the person's place, so that it goes on or comes to an end.

export const CUT_AT_LIMIT =
  "Your answer reached the output limit and was cut; a tool call in it was dropped. Go on in smaller steps.";
export const SAID_NOTHING = "Your answer had neither text nor a tool call. Go on, or say that you are done.";
const TURN_LIMIT_END = "Without using tools, say what is done, what is not, and what to do next.";

export function atTurnLimit(turns: number): string {
  return `The limit of ${turns} turns is reached. ${TURN_LIMIT_END}`;
}

/** No person wrote this. */
export function isNudge({ content }: UserMessage): boolean {
  const [part] = content;
  if (content.length !== 1 || part?.type !== "text") return false;
  return part.text === CUT_AT_LIMIT || part.text === SAID_NOTHING || part.text.endsWith(TURN_LIMIT_END);
}
