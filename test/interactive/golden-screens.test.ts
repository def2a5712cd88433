import { describe, expect, test } from "bun:test";
import {
  answerEvents,
  type OpenOptions,
  openOnScreen,
  STARTED,
  sampleAsk,
  toolCall,
  toolEnd,
  user,
} from "../support/conversation-on-screen.ts";

const READ = toolCall("read", "read_file", { path: "src/parser.ts" });
const EDIT = toolCall("edit", "edit_file", { path: "src/parser.ts" });
const RUN = toolCall("run", "shell", { command: "npm test -- parser" });
const DIFF =
  "Changed src/parser.ts:\n@@ -41,3 +41,4 @@\n 41:ab|export function parse(text: string) {\n-42|  return text.split(',');\n+42:cd|  // Quotes hold commas together.\n+43:ef|  return splitQuoted(text);\n 44:gh|}";

/** A whole stretch of work, with an ask at its end and somebody who has begun to write. */
async function work(options: OpenOptions): Promise<string[]> {
  const world = openOnScreen(options);
  world.play(STARTED, user("make the parser respect quotes"));
  world.play(
    { type: "message-start", role: "assistant" },
    {
      type: "message-update",
      event: { type: "thinking-delta", index: 0, text: "The parser splits at every comma, I think." },
    },
    { type: "message-update", event: { type: "thinking-end", index: 0 } },
    ...answerEvents("I look at the parser first.", [READ, EDIT]).slice(1),
  );
  world.play({ type: "tool-start", call: READ }, toolEnd(READ, "a\nb\nc", { durationMs: 4 }));
  world.play({ type: "tool-start", call: EDIT }, toolEnd(EDIT, DIFF, { durationMs: 12 }));
  world.play(...answerEvents('Done:\n\n1. quotes are **kept**\n2. `a,"b,c"` has two fields\n\nNow the tests.', [RUN]));
  world.play({ type: "ask-start", ask: sampleAsk({ resources: ["npm test -- parser"], needs: { network: true } }) });
  world.type("and the docs");
  world.pass(1000);
  return world.seen();
}

describe("a stretch of work on the screen", () => {
  for (const [columns, rows] of [
    [80, 24],
    [120, 40],
    [40, 20],
  ] as const) {
    test(`at ${columns} columns and ${rows} rows`, async () => {
      expect(await work({ columns, rows })).toMatchSnapshot();
    });
  }

  test("in ASCII and without colour says the same", async () => {
    const seen = await work({ theme: "ascii", depth: "none" });
    expect(seen).toMatchSnapshot();
    expect(seen.join("\n")).toMatch(/^[\x20-\x7e\n]*$/);
  });
});
