import { describe, expect, test } from "bun:test";
import { exportJsonl, exportMarkdown } from "../../src/sessions/export.ts";
import { sessionTotals } from "../../src/sessions/totals.ts";
import { answer, call, chain, result, said, user } from "../support/session-samples.ts";

const header = {
  type: "session" as const,
  version: 1 as const,
  id: "abc",
  at: "2026-01-02T03:04:05.000Z",
  cwd: "/projects",
};

describe("an exported session", () => {
  test("as JSON lines is the header and every entry", () => {
    const entries = chain(said(user("hi")), { type: "name", name: "n" });
    const text = exportJsonl({ header, entries });
    expect(text.endsWith("\n")).toBe(true);
    expect(
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([header, ...entries]);
  });

  test("as Markdown reads like the conversation, and no text can break out of its fence", () => {
    const entries = chain(
      said(user("look:\n```js\nopen")),
      said(answer("I will.", call("a"))),
      said(result("a", "````\n# not a heading")),
      { type: "name", name: "a\nname" },
      { type: "compaction", summary: "all done", firstKeptId: "e1", tokensBefore: 1 },
    );
    expect(exportMarkdown({ header, entries })).toBe(`# a name

_/projects, 2026-01-02T03:04:05.000Z_

## User

look:
\`\`\`js
open
\`\`\`

## Assistant

I will.

### Call of \`bash\`

\`\`\`json
{
  "command": "ls"
}
\`\`\`

### Result of \`bash\`

\`\`\`\`\`
\`\`\`\`
# not a heading
\`\`\`\`\`

## Summary of what came before

all done
`);
  });
});

describe("the totals of a session", () => {
  test("add up every answer of every branch, and say which had no price", () => {
    const priced = { ...said(answer("a")), cost: 0.25 };
    const usage = { input: 100, output: 1, cacheRead: 50, cacheWrite: 0, reasoning: 1 };
    const entries = chain(said(user("x")), priced, priced, said({ ...answer("b"), usage }));
    expect(sessionTotals(entries)).toEqual({
      turns: 3,
      usage: { input: 120, output: 11, cacheRead: 54, cacheWrite: 2, reasoning: 1 },
      cost: 0.5,
      unpricedTurns: 1,
      largestPrompt: 150,
    });
  });

  test("of nothing are nothing", () => {
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    expect(sessionTotals([])).toEqual({ turns: 0, usage, unpricedTurns: 0, largestPrompt: 0 });
  });
});
