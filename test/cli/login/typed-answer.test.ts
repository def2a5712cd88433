import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { LONGEST_TYPED, typedAnswer } from "../../../src/cli/login/typed-answer.ts";

describe("what is typed for a secret", () => {
  const rows: { what: string; typed: string; answer: ReturnType<typeof typedAnswer> }[] = [
    { what: "is not there before Enter", typed: "sk-one", answer: undefined },
    { what: "ends with Enter", typed: "sk-one\r", answer: { text: "sk-one" } },
    { what: "is not made longer by a second Enter", typed: "sk-one\r\n", answer: { text: "sk-one" } },
    { what: "can be taken back, by letter and whole", typed: "wrong\x15sk-onx\x7fe\r", answer: { text: "sk-one" } },
    { what: "has no arrow keys in it", typed: "sk\x1b[D\x1bOC-one\r", answer: { text: "sk-one" } },
    { what: "is given up with Ctrl-C and Ctrl-D", typed: "sk-one\x03", answer: { text: undefined } },
    { what: "comes with all lines that came at once", typed: "sk-one\rsk-two\r", answer: { text: "sk-one\rsk-two\r" } },
    { what: "goes on after a paste", typed: "\x1b[200~sk-one\nsk-two\x1b[201~", answer: undefined },
    {
      what: "comes with all lines of a marked paste",
      typed: "\x1b[200~sk-one\nsk-two\x1b[201~\r",
      answer: { text: "sk-one\nsk-two" },
    },
    {
      what: "may end in a line end that was copied along",
      typed: "\x1b[200~sk-one\n\x1b[201~\r",
      answer: { text: "sk-one\n" },
    },
    {
      what: "is taken as it stands when it is too long",
      typed: "x".repeat(LONGEST_TYPED),
      answer: { text: "x".repeat(LONGEST_TYPED) },
    },
  ];
  for (const { what, typed, answer } of rows) {
    test(what, () => expect(typedAnswer(typed)).toEqual(answer));
  }

  test("is the same in however many pieces a marked paste comes", () => {
    const line = fc.stringMatching(/^[\x21-\x7d]{1,20}$/);
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), (lines) => {
        const typed = `\x1b[200~${lines.join("\n")}\x1b[201~`;
        const early = Array.from(typed, (_, end) => typedAnswer(typed.slice(0, end)));
        expect([...new Set(early), typedAnswer(`${typed}\r`)]).toEqual([undefined, { text: lines.join("\n") }]);
      }),
    );
  });
});
