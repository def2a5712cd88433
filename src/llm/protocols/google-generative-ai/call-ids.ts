const MADE = "gemini-call-";
const MAX_RESPONSE_ID = 40;

/** What is known of a call whose provider gave it no id. */
export interface NamelessCall {
  responseId: string | undefined;
  /** How many parts came before it in the answer. */
  position: number;
  name: string;
  argumentText: string;
  /** How long the prompt was: it grows with every turn, so it keeps equal calls of two turns apart. */
  promptTokens: number | undefined;
}

/** The same answer always gives the same id, and two answers of one conversation never do. */
export function makeCallId({ responseId, position, name, argumentText, promptTokens }: NamelessCall): string {
  const answer = responseId?.replace(/[^A-Za-z0-9_-]/g, "").slice(0, MAX_RESPONSE_ID);
  return `${MADE}${answer || Bun.hash(`${name} ${argumentText} ${promptTokens}`).toString(36)}-${position}`;
}

/** Ids made here are unknown to the provider and never sent to it. */
export function isMadeCallId(id: string): boolean {
  return id.startsWith(MADE);
}
