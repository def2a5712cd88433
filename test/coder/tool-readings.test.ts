import { describe, expect, test } from "bun:test";
import { atTurnLimit, CUT_AT_LIMIT, SAID_NOTHING } from "../../src/agent/nudges.ts";
import { compactionChoices } from "../../src/coder/compaction/compaction-settings.ts";
import { createToolReadings } from "../../src/coder/compaction/tool-readings.ts";
import { createCoderGate } from "../../src/coder/permission-gate.ts";
import type { PersonAnswer } from "../../src/permissions/gate/create-gate.ts";
import type { ToolResultMessage, UserMessage } from "../../src/protocol/messages.ts";
import { SETTING_ROWS } from "../../src/protocol/setting-rows.ts";
import type { SettingValues } from "../../src/protocol/settings.ts";
import type { AskDraft, Tool } from "../../src/protocol/tool-runs.ts";
import { systemClock } from "../../src/system/clock.ts";
import { call, result, user } from "../support/session-samples.ts";

const readings = createToolReadings((name) => (name === "mv" ? "move_file" : name === "ask" ? "ask_user" : name));

describe("what is kept of a conversation", () => {
  test("are requests of a person, not what Ralph says in their place", () => {
    const texts = ["fix it", CUT_AT_LIMIT, SAID_NOTHING, atTurnLimit(7)];
    expect(texts.map((text) => readings.isRequest(user(text) as UserMessage))).toEqual([true, false, false, false]);
  });

  test("are refusals as the gate words them, and no mistakes of the model", async () => {
    const tool = { name: "shell", isReadOnly: false } as Tool;
    const ask: AskDraft = { category: "shell", resources: ["rm x"], summary: "run rm" };
    const secret: AskDraft = { category: "file_read", resources: ["/w/.env"], summary: "read .env" };
    const gate = (answer: PersonAnswer | undefined) =>
      createCoderGate({
        workspace: "/w",
        home: "/home",
        own: { config: "/home/config", data: "/home/data" },
        rememberedPath: "/home/data/none.json",
        sources: { settings: {}, allowed: [], allowedCategories: [] },
        yolo: false,
        isSandboxed: async () => false,
        clock: systemClock,
        askPerson: async () => answer,
        tell: () => {},
      }).gate;
    const verdicts = await Promise.all([
      gate({ type: "no" })([ask], tool),
      gate(undefined)([ask], tool),
      gate(undefined)([secret], tool),
    ]);
    const reasons = verdicts.map((verdict) => (verdict.type === "deny" ? verdict.reason : ""));
    const isRefusal = (text: string, isError = true) => {
      return readings.isRefusal({ ...(result("a", text) as ToolResultMessage), isError });
    };
    expect(reasons.map((reason) => isRefusal(`Not run: ${reason}.`))).toEqual([true, true, true]);
    expect(isRefusal("Not run: the arguments were not a JSON object; send them again, complete.")).toBe(false);
    expect(isRefusal("Permission denied")).toBe(false);
    expect(isRefusal("Not run: the person said no to this.", false)).toBe(false);
  });

  test("are questions and changed files, whatever spelling the model used", () => {
    expect(readings.questionOf({ ...call("a", "ask"), input: { question: "Which?" } })).toBe("Which?");
    expect(readings.questionOf(call("a", "shell"))).toBeUndefined();
    const moved = { ...call("a", "mv"), input: { source: "a.ts", destination: "b.ts" } };
    expect(readings.changedFile(moved)).toBe("b.ts");
    expect(readings.changedFile({ ...call("a", "read_file"), input: { path: "a.ts" } })).toBeUndefined();
  });
});

test("the settings of compaction have the defaults of their rows", () => {
  const defaults = Object.fromEntries(Object.entries(SETTING_ROWS).map(([key, row]) => [key, row.default]));
  const choices = compactionChoices({} as SettingValues);
  expect(choices).toEqual(compactionChoices(defaults as unknown as SettingValues));
  expect(choices).toEqual({
    enabled: true,
    promote: false,
    settings: {
      triggerPercent: 75,
      targetPercent: 35,
      keepMessages: 10,
      reserveTokens: 16_000,
      atPriceTier: false,
      server: "auto",
    },
  });
});
