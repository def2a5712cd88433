import { describe, expect, test } from "bun:test";
import { allowedInMode, MODES, type Mode, modeOverlay, refusedInMode } from "../../src/tools/modes.ts";
import { createSwitchMode } from "../../src/tools/switch-mode.ts";
import { callTool, failedWith, said } from "../support/call-tool.ts";

describe("modes", () => {
  test("plan and explore allow only what changes nothing, and the tools of the conversation itself", () => {
    const tools = [
      { name: "write_file", isReadOnly: false },
      { name: "read_file", isReadOnly: true },
      { name: "TodoWrite", isReadOnly: false },
      { name: "switch_mode", isReadOnly: false },
    ];
    const allowed = (mode: Mode) => tools.filter((tool) => allowedInMode(mode, tool)).map(({ name }) => name);
    const all = tools.map(({ name }) => name);
    expect(Object.fromEntries(MODES.map((mode) => [mode, allowed(mode)]))).toEqual({
      default: all,
      plan: ["read_file", "TodoWrite", "switch_mode"],
      explore: ["read_file", "TodoWrite", "switch_mode"],
      debug: all,
      review: all,
    });
  });

  test("every mode but the default one has words of its own", () => {
    expect(MODES.map((mode) => modeOverlay(mode).split(".")[0])).toEqual([
      "",
      ...["plan", "explore", "debug", "review"].map((mode) => `Mode: ${mode}`),
    ]);
  });

  test("a refusal says which mode and what to do", () => {
    expect(refusedInMode("plan", { name: "shell" })).toBe(
      "shell was not run: plan mode allows only tools that change nothing. Finish with what you can read, or ask to leave the mode with switch_mode.",
    );
  });
});

describe("switch_mode", () => {
  function start(mode: Mode, answer: { ok: true } | { ok: false; message: string } = { ok: true }) {
    const asked: Mode[] = [];
    const tool = createSwitchMode({
      current: () => mode,
      change: async (next) => {
        asked.push(next);
        return answer;
      },
    });
    return { asked, call: (input: Record<string, unknown>) => callTool(tool, input) };
  }

  test("changes the mode and shows its words", async () => {
    const { call, asked } = start("default");
    expect(await call({ mode: "Plan" })).toEqual(
      said(`The mode is plan now (was default).\n${modeOverlay("plan")}`, { mode: "plan" }),
    );
    expect(asked).toEqual(["plan"]);
  });

  test("an unknown mode lists the valid ones", async () => {
    expect(await start("default").call({ mode: "yolo" })).toEqual({
      refused: '"mode" must be one of default, plan, explore, debug, review',
    });
  });

  test("the decision is not the model's: a refusal leaves the mode", async () => {
    const { call } = start("plan", { ok: false, message: "The person wants to stay in plan mode." });
    expect(await call({ mode: "default" })).toEqual(
      failedWith("The person wants to stay in plan mode.", { mode: "plan" }),
    );
  });

  test("the mode that is on already changes nothing", async () => {
    const { call, asked } = start("debug");
    expect(await call({ mode: "debug" })).toEqual(said("The mode is debug already.", { mode: "debug" }));
    expect(asked).toEqual([]);
  });
});
