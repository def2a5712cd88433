import { describe, expect, test } from "bun:test";
import type { InterruptMode, Rule } from "../../src/extensions/rules/rule.ts";
import { createRuleWatch, type RuleSettings } from "../../src/extensions/rules/rule-watch.ts";
import { prepareRules } from "../../src/extensions/rules/watched-rule.ts";
import type { AnswerWatch } from "../../src/protocol/answer-watch.ts";
import type { ModelEvent } from "../../src/protocol/model-events.ts";

const SETTINGS: RuleSettings = {
  contextMode: "discard",
  interruptMode: "always",
  repeatMode: "once",
  repeatGap: 2,
};

function rule(name: string, condition: string, more: Partial<Rule> = {}): Rule {
  return { name, path: `${name}.md`, content: `About ${name}.`, condition: [condition], ...more };
}

interface Setting extends Partial<RuleSettings> {
  rules?: Rule[];
  told?: Map<string, number>;
}

function watchOf({ rules = [rule("bad", "bad")], told = new Map(), ...settings }: Setting = {}) {
  const notes: string[] = [];
  const watch = createRuleWatch({
    rules: prepareRules(rules).watched,
    settings: { ...SETTINGS, ...settings },
    told,
    places: { root: "/project", cwd: "/project" },
    toolName: (name) => name,
    note: (line) => void notes.push(line),
  });
  return { watch, notes };
}

const SOURCES = {
  text: [
    { type: "text-start", index: 0 },
    { type: "text-delta", index: 0, text: "bad" },
  ],
  thinking: [
    { type: "thinking-start", index: 0 },
    { type: "thinking-delta", index: 0, text: "bad" },
  ],
  tool: [
    { type: "tool-call-start", index: 0, id: "c", name: "shell" },
    { type: "tool-call-delta", index: 0, text: '{"command":"bad"}' },
  ],
} satisfies Record<string, ModelEvent[]>;

function isStopped(watch: AnswerWatch, events: readonly ModelEvent[]): boolean {
  watch.begin();
  return events.some((event) => watch.see(event));
}

describe("a watch", () => {
  const scope = ["text", "thinking", "tool"];
  test.each([
    ["always", ["text", "thinking", "tool"]],
    ["prose-only", ["text", "thinking"]],
    ["tool-only", ["tool"]],
    ["never", []],
  ] as [InterruptMode, string[]][])("with interruptMode %s stops an answer for %p", (interruptMode, expected) => {
    const sources = Object.entries(SOURCES);
    const stopping = (setting: Setting) =>
      sources.filter(([, events]) => isStopped(watchOf(setting).watch, events)).map(([name]) => name);
    expect(stopping({ interruptMode, rules: [rule("bad", "bad", { scope })] })).toEqual(expected);
    // What the rule says goes before the setting.
    const other = interruptMode === "always" ? "never" : "always";
    expect(stopping({ interruptMode: other, rules: [rule("bad", "bad", { scope, interruptMode })] })).toEqual(expected);
  });

  test("tells of each rule where it was found, and of those that stopped the answer alone", () => {
    const rules = [
      rule("stop", "stop"),
      rule("said", "bad", { interruptMode: "never", scope: ["text"] }),
      rule("done", "bad", { interruptMode: "never", scope: ["tool"] }),
    ];
    const { watch } = watchOf({ rules });
    const tool = SOURCES.tool.map((event) => ({ ...event, index: 1 }));
    expect(isStopped(watch, [...SOURCES.text, ...tool])).toBe(false);
    const names = (told: { rules: { name: string }[] } | undefined) => told?.rules.map(({ name }) => name);
    expect([names(watch.beforeResult("other")), names(watch.beforeResult("c")), names(watch.ended())]).toEqual([
      undefined,
      ["done"],
      ["said"],
    ]);
    const { watch: other } = watchOf({ rules, contextMode: "keep" });
    expect(isStopped(other, [...SOURCES.text, { type: "text-delta", index: 0, text: " stop" }])).toBe(true);
    const { keepsAnswer, rules: broken } = other.stopped();
    expect([keepsAnswer, broken]).toEqual([true, [{ name: "stop", path: "stop.md" }]]);
  });

  test("forgets what an attempt said that is made again", () => {
    const { watch } = watchOf({ interruptMode: "never" });
    const error = { kind: "server" as const, message: "later", retryable: true };
    isStopped(watch, [...SOURCES.text, { type: "attempt-retry", attempt: 1, delayMs: 0, error }]);
    expect(watch.ended()).toBeUndefined();
  });

  test("tells a rule once, or again after the gap, also where it was told before", () => {
    const answers = (setting: Setting, count: number) => {
      const { watch } = watchOf(setting);
      return Array.from({ length: count }, () => {
        const stops = isStopped(watch, SOURCES.text);
        if (stops) watch.stopped();
        else watch.ended();
        return stops ? "stop" : "-";
      }).join(" ");
    };
    expect(answers({}, 4)).toBe("stop - - -");
    expect(answers({ told: new Map([["bad", 50]]) }, 2)).toBe("- -");
    expect(answers({ repeatMode: "after-gap" }, 6)).toBe("stop - - stop - -");
    expect(answers({ repeatMode: "after-gap", told: new Map([["bad", 1]]) }, 3)).toBe("- stop -");
  });

  test("says once that a condition is given up", () => {
    const { watch, notes } = watchOf({ rules: [rule("hard", "a(?:a|b){60}c")] });
    let number = 1;
    const letters = Array.from({ length: 100_000 }, () => {
      number = (number * 1_103_515_245 + 12_345) & 0x7f_ff_ff_ff;
      return (number & 65_536) === 0 ? "a" : "b";
    });
    for (let turn = 0; turn < 2; turn++) {
      isStopped(watch, [
        { type: "text-start", index: 0 },
        { type: "text-delta", index: 0, text: letters.join("") },
      ]);
      watch.ended();
    }
    expect(notes).toEqual([
      "The rule hard is not watched for any more: its condition takes too long. Make hard.md simpler.",
    ]);
  });

  test("cuts a rule that is too long to be told", () => {
    const { watch } = watchOf({ rules: [rule("long", "bad", { content: "x".repeat(20_000) })] });
    isStopped(watch, SOURCES.text);
    expect(watch.stopped().text).toEndWith(
      "xx\n[cut here: a rule that is told may have 16000 characters]\n</rule>\n</rule_reminder>",
    );
  });
});
