import type { Message } from "../../../protocol/messages.ts";

/** What a provider takes as the id of a tool call, and an id made for it from 64 hexadecimal digits. */
export interface IdRule {
  fits: RegExp;
  make: (digits: string) => string;
}

/** Mistral takes exactly nine letters and digits. */
export const NINE_CHARACTERS: IdRule = { fits: /^[A-Za-z0-9]{9}$/, make: (digits) => digits.slice(0, 9) };
/** OpenAI refuses ids longer than 40 characters. */
export const SHORT: IdRule = { fits: /^[\w.:-]{1,40}$/, make: (digits) => `call_${digits.slice(0, 24)}` };

/**
 * The ids to send for the calls of this conversation. An id that fits is kept, the others are derived from their own text, so a
 * call and its result agree, different calls stay different, and a longer conversation gives the same ids again.
 */
export function wireToolCallIds(messages: Message[], rule: IdRule): (id: string) => string {
  const wireIds = new Map<string, string>();
  const taken = new Set<string>();
  for (const id of messages.flatMap(idsIn)) {
    if (wireIds.has(id)) continue;
    const wireId = freeId(id, rule, taken);
    wireIds.set(id, wireId);
    taken.add(wireId);
  }
  return (id) => wireIds.get(id) ?? id;
}

function idsIn(message: Message): string[] {
  if (message.role === "tool-result") return [message.toolCallId];
  if (message.role === "user") return [];
  return message.content.flatMap((part) => (part.type === "tool-call" ? [part.id] : []));
}

function freeId(id: string, rule: IdRule, taken: Set<string>): string {
  if (rule.fits.test(id) && !taken.has(id)) return id;
  for (let attempt = 0; ; attempt += 1) {
    const candidate = rule.make(new Bun.CryptoHasher("sha256").update(`${attempt}:${id}`).digest("hex"));
    if (!taken.has(candidate)) return candidate;
  }
}
