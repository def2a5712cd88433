import { describe, expect, test } from "bun:test";
import { type StatusFacts, statusLine, thousands } from "../../../src/interactive/status/status-line.ts";
import { lineWidth, textOf } from "../../../src/tui/style/styled-line.ts";
import { createTheme } from "../../../src/tui/style/theme.ts";
import { SAMPLE_STATE } from "../../support/conversation-on-screen.ts";

const FULL: StatusFacts = {
  agent: {
    ...SAMPLE_STATE,
    model: "acme/a-model-with-a-long-name-2026",
    mode: "plan",
    safe: true,
    sandbox: "missing",
    context: { tokens: 50_000, window: 200_000 },
    totals: {
      turns: 3,
      usage: { input: 12_345, output: 678, cacheRead: 1_500_000, cacheWrite: 0 },
      cost: 0.1234,
      largestPrompt: 1,
    },
    jobs: 1,
    limits: { turns: 200, tokens: 50_000, cost: 2.5, minutes: 10 },
    waiting: [{ kind: "steering", message: { role: "user", content: [] } }],
  },
  branch: "feature/漢字",
  activity: { words: "shell", seconds: 75, spinner: "⠋" },
  stopKey: undefined,
  hint: undefined,
  editing: "NORMAL",
  questions: 2,
};

const theme = createTheme("dark");
const shown = (facts: StatusFacts, width: number) => textOf(statusLine(facts, width, theme));

describe("the status line", () => {
  test("holds every fact where there is room", () => {
    expect(shown(FULL, 300)).toBe(
      "2 questions wait · NORMAL · ⠋ shell 1 min 15 s · acme/a-model-with-a-long-name-2026 · medium · plan mode · safe · no sandbox · context 50k (25%) · 12k in 678 out 1.5M cached $0.123 · at most $2.5, 50k tokens, 10 min a prompt · 1 job · 1 waiting · feature/漢字",
    );
    expect(shown({ ...FULL, agent: SAMPLE_STATE, activity: undefined, editing: undefined, questions: 0 }, 80)).toBe(
      "acme/large-1 · medium · sandbox · feature/漢字",
    );
  });

  test("says nothing of tokens that nobody counted", () => {
    const totals = { ...SAMPLE_STATE.totals, turns: 2 };
    const facts = {
      ...FULL,
      agent: { ...SAMPLE_STATE, totals },
      activity: undefined,
      editing: undefined,
      questions: 0,
    };
    expect(shown(facts, 80)).toBe("acme/large-1 · medium · sandbox · feature/漢字");
  });

  test("is never wider than the screen, and has whole parts only", () => {
    const whole = new Set([
      ...shown(FULL, 300).split(" · "),
      ...["⠋ 1 min 15 s", "a-model-with-a-long-name-2026", "context 25%", "25%", "12k in 678 out $0.123", "$0.123"],
    ]);
    for (let width = 20; width <= 200; width++) {
      const line = statusLine(FULL, width, theme);
      expect(lineWidth(line)).toBeLessThanOrEqual(width);
      expect(
        textOf(line)
          .split(" · ")
          .filter((part) => !whole.has(part)),
      ).toEqual([]);
      expect(textOf(line)).not.toBe("");
    }
  });

  test("a hint stands first and is cut where it is too long; what others wrote steers nothing", () => {
    expect(shown({ ...FULL, hint: "x".repeat(50) }, 20)).toBe(`${"x".repeat(19)}…`);
    expect(shown({ ...FULL, hint: "bad\x1b[2J\nnews" }, 20)).toBe("bad news · NORMAL");
  });

  test("large numbers are short", () => {
    expect([0, 999, 1000, 9949, 9950, 12_345, 999_499, 999_500, 2_340_000].map(thousands)).toEqual([
      "0",
      "999",
      "1.0k",
      "9.9k",
      "10k",
      "12k",
      "999k",
      "1.0M",
      "2.3M",
    ]);
  });
});
