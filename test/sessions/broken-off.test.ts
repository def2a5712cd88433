import { describe, expect, test } from "bun:test";
import { brokenOff } from "../../src/sessions/broken-off.ts";
import type { EntryDraft } from "../../src/sessions/session.ts";
import { answer, call, chain, result, said, user } from "../support/session-samples.ts";

function endOf(...drafts: EntryDraft[]) {
  return brokenOff(chain(...drafts).toReversed())?.what;
}

describe("a conversation", () => {
  test.each<[string, EntryDraft[]]>([
    ["nothing was said in", []],
    ["that was answered", [said(user("go")), said(answer("Done."))]],
    ["whose answer was as long as it may be", [said(user("go")), said({ ...answer("Long"), stopReason: "length" })]],
    [
      "that was answered, with something waiting",
      [
        said(user("go")),
        said(answer("Done.")),
        { type: "queued", kind: "follow-up", message: { role: "user", content: [] } },
      ],
    ],
  ])("%s did not break off", (_, drafts) => {
    expect(endOf(...drafts)).toBeUndefined();
  });

  test.each<["answer" | "prompt" | "work", string, EntryDraft[]]>([
    [
      "answer",
      "an answer was cut",
      [said(user("go")), said({ ...answer("Hal"), stopReason: "cut" }), { type: "name", name: "n" }],
    ],
    ["prompt", "nobody answered", [said(user("go")), { type: "model-changed", model: "a/b" }]],
    ["work", "the calls of an answer were not run", [said(user("go")), said(answer("", call("a")))]],
    ["work", "nothing was said to the results", [said(user("go")), said(answer("", call("a"))), said(result("a"))]],
    [
      "work",
      "nothing was said to a rule",
      [
        said(user("go")),
        said(answer("x")),
        { type: "rules-injected", names: ["r"], message: { role: "user", content: [] } },
      ],
    ],
  ])("broke off in the %s where %s", (what, _, drafts) => {
    expect(endOf(...drafts)).toBe(what);
  });
});

test("a person is told what happened, which calls were begun, and what to do", () => {
  const entries = chain(said(user("go"))).toReversed();
  expect(brokenOff(entries, ["shell", "shell", "write_file"])).toEqual({
    what: "prompt",
    text: 'The last prompt has no answer yet. It had begun to write a call of shell, write_file, which was not run. Say "go on" to have one, or say what to do instead.',
  });
});
