import { expect, test } from "bun:test";
import fc from "fast-check";
import { checkKey } from "../../../src/models/login/check-key.ts";

test.each([
  ["anthropic", "sk-ant-abc", { ok: true, key: "sk-ant-abc" }],
  ["anthropic", '  "sk-ant-abc"\n', { ok: true, key: "sk-ant-abc" }],
  ["groq", "`gsk_abc`", { ok: true, key: "gsk_abc" }],
  ["openai", "sk-proj-abc", { ok: true, key: "sk-proj-abc" }],
  ["my-own", "anything-at-all", { ok: true, key: "anything-at-all" }],
  [
    "openai",
    "sk-ant-abc",
    { ok: true, key: "sk-ant-abc", warning: "It looks like a key of Anthropic, not of OpenAI." },
  ],
  ["anthropic", "sk-abc", { ok: true, key: "sk-abc", warning: "It looks like a key of OpenAI, not of Anthropic." }],
  [
    "google",
    "abcdef",
    { ok: true, key: "abcdef", warning: "Keys of Google Gemini begin with AIza or AQ., and this one does not." },
  ],
  ["openai", " \n", { ok: false, message: "There is no key in it. Type or paste it, or send it on standard input." }],
  ["openai", '""', { ok: false, message: "There is no key in it. Type or paste it, or send it on standard input." }],
  [
    "openai",
    "sk-abc def",
    { ok: false, message: "A key is one word, and this has spaces or several lines. Copy the key alone." },
  ],
  [
    "openai",
    "sk-abc\nsk-def",
    { ok: false, message: "A key is one word, and this has spaces or several lines. Copy the key alone." },
  ],
  [
    "openai",
    "sk-abc…",
    { ok: false, message: "This has characters that no key has. Copy it again, from where it was made." },
  ],
  [
    "openai",
    "$OPENAI_API_KEY",
    { ok: false, message: "This is the name of a variable (OPENAI_API_KEY), not the key in it." },
  ],
  [
    "openai",
    "OPENAI_API_KEY=sk-abc",
    { ok: false, message: "This is the name of a variable (OPENAI_API_KEY), not the key in it." },
  ],
  ["openai", "k".repeat(9000), { ok: false, message: "This has 9000 characters, and no key has more than 8192." }],
])("a key of %s: %j", (provider, given, expected) => {
  expect(checkKey(provider, given)).toEqual(expected as never);
});

test("what is taken can stand in a header", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (given) => {
      const checked = checkKey("openai", given);
      if (checked.ok) expect(new Headers({ authorization: checked.key }).get("authorization")).toBe(checked.key);
    }),
  );
});
