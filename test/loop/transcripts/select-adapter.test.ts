import { describe, expect, test } from "bun:test";
import { ADAPTER_NAMES } from "../../../src/loop/transcripts/adapter.ts";
import { ADAPTERS, selectAdapter } from "../../../src/loop/transcripts/select-adapter.ts";

describe("which transcript is read", () => {
  test.each([
    [{ runnerDefault: "codex" }, "codex", "runner"],
    [{ runnerDefault: "plain", environment: "rtf1" }, "rtf1", "environment"],
    [{ runnerDefault: "plain", environment: "rtf1", flag: "claude" }, "claude", "flag"],
    [{ runnerDefault: "claude", environment: "rtf1", flag: "auto" }, "claude", "runner"],
    [{ runnerDefault: "claude", environment: "auto" }, "claude", "runner"],
    [{ runnerDefault: "plain", environment: " " }, "plain", "runner"],
    [{ runnerDefault: "plain", flag: " RTF1 " }, "rtf1", "flag"],
  ] as const)("%j", (choice, name, from) => {
    expect(selectAdapter(choice)).toEqual({ ok: true, adapter: ADAPTERS[name], from });
  });

  test.each([
    [{ flag: "xml" }, "xml", "--transcript"],
    [{ flag: "", environment: "codex" }, "", "--transcript"],
    [{ environment: "__proto__" }, "__proto__", "RALPH_TRANSCRIPT"],
  ] as const)("a name nobody knows is refused: %j", (choice, value, place) => {
    expect(selectAdapter({ runnerDefault: "plain", ...choice })).toEqual({
      ok: false,
      reason: "unknown-transcript",
      value,
      message: `${place} is ${JSON.stringify(value)}, and there is no such transcript. Use one of: auto, plain, rtf1, codex, claude, ralph.`,
    });
  });

  test("every adapter has the name it is chosen by", () => {
    expect(ADAPTER_NAMES.map((name) => ADAPTERS[name].name)).toEqual([...ADAPTER_NAMES]);
  });
});
