import type { Message } from "../../src/protocol/messages.ts";

/** What a provider would refuse about this history; empty when it is fine. */
export function providerFaults(messages: readonly Message[]): string[] {
  const faults: string[] = [];
  if (messages.length > 0 && messages[0]?.role !== "user") faults.push("does not begin with the user");
  let expected: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool-result") {
      if (expected[0] !== message.toolCallId) faults.push(`message ${index} is a result nobody waits for here`);
      expected = expected.slice(1);
      continue;
    }
    if (expected.length > 0) faults.push(`message ${index} comes before the results of ${expected.join(", ")}`);
    expected = [];
    if (!hasContent(message)) faults.push(`message ${index} is empty`);
    if (message.role === "assistant") {
      expected = message.content.flatMap((part) => (part.type === "tool-call" ? [part.id] : []));
      if (new Set(expected).size < expected.length) faults.push(`message ${index} repeats a call id`);
    }
  }
  if (expected.length > 0) faults.push(`no results for ${expected.join(", ")}`);
  return faults;
}

export function isProviderValid(messages: readonly Message[]): boolean {
  return providerFaults(messages).length === 0;
}

function hasContent(message: Message): boolean {
  return message.content.some((part) => {
    if (part.type === "text") return part.text.trim() !== "";
    return part.type === "tool-call" || (part.type === "image" && part.data !== "");
  });
}
