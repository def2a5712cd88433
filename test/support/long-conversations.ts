import fc from "fast-check";
import type { AssistantMessage, Message } from "../../src/protocol/messages.ts";
import type { EntryDraft } from "../../src/sessions/session.ts";
import { answer, call, result, said, user } from "./session-samples.ts";

// Conversations as agents have them: requests, tool loops with small and large results, answers.

export const NO_COUNT: AssistantMessage["usage"] = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** No provider counted its tokens, so four bytes are one. */
export function uncounted(message: AssistantMessage): AssistantMessage {
  return { ...message, usage: NO_COUNT };
}

/** A summary that passes. */
export const GOOD_SUMMARY = `## Goal
Ship it.
## Decisions and constraints
none
## Done
Read a.ts.
## Failed
none
## Open work
The rest.
## Next step
Go on.`;

/** `turns` tool turns after one request, each with a result of so many characters. */
export function toolLoop(turns: number, characters: number, request = "build the thing"): Message[] {
  const loop = Array.from({ length: turns }, (_, index) => [
    uncounted(answer(`step ${index}`, call(`c${index}`))),
    result(`c${index}`, `${index}:${"x".repeat(characters)}`),
  ]);
  return [user(request), ...loop.flat()];
}

const size = fc.constantFrom(5, 500, 2500, 9000);
const turn: fc.Arbitrary<Message[]> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.nat(1_000_000), size)
      .map(([number, length]) => [user(`do ${number} ${"r".repeat(length)}`)]),
  },
  { weight: 1, arbitrary: size.map((length) => [uncounted(answer(`text ${"a".repeat(length)}`))]) },
  {
    weight: 4,
    arbitrary: fc
      .array(fc.record({ id: fc.constantFrom("a", "b", "c"), length: size }), { minLength: 1, maxLength: 3 })
      .map((calls) => {
        const unique = [...new Map(calls.map((one) => [one.id, one])).values()];
        return [
          uncounted(answer("", ...unique.map(({ id }) => call(id)))),
          ...unique.map(({ id, length }) => result(id, `${id}${"é".repeat(length)}`)),
        ];
      }),
  },
);

/** Valid as it is, with ids that are used again. */
export const anyConversation: fc.Arbitrary<EntryDraft[]> = fc
  .array(turn, { minLength: 1, maxLength: 25 })
  .map((turns) => [user("the goal"), ...turns.flat()].map(said));
