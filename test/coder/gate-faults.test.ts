import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type CoderGateOptions, createCoderGate } from "../../src/coder/permission-gate.ts";
import type { AskDraft, Tool } from "../../src/protocol/tool-runs.ts";
import { manualClock } from "../support/manual-clock.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";

const never = new Promise<never>(() => {});
const broken = () => {
  throw new Error("broken");
};

/** A gate that would allow everything, if nothing went wrong. */
function gateIn(workspace: TempWorkspace, faults: Partial<CoderGateOptions> = {}) {
  const clock = manualClock();
  const { gate } = createCoderGate({
    workspace: workspace.project,
    home: join(workspace.root, "user"),
    own: { config: join(workspace.home, "config"), data: join(workspace.home, "data") },
    rememberedPath: join(workspace.home, "data/permissions.json"),
    sources: { settings: { "permissions.allow": ["Bash", "Write(**)"] }, allowed: [], allowedCategories: [] },
    yolo: true,
    isSandboxed: async () => false,
    clock,
    askPerson: async () => ({ type: "once" }),
    tell: () => {},
    ...faults,
  });
  const tool = { name: "shell" } as Tool;
  const ask = (command = "make all"): AskDraft[] => [
    { category: "shell", resources: [command], summary: command, cwd: workspace.project },
  ];
  return { clock, decide: (command?: string) => gate(ask(command), tool) };
}

const RULES = { settings: {}, allowed: ["Bash"], allowedCategories: [] };

describe("a gate that breaks is closed", () => {
  const rows: [title: string, faults: Partial<CoderGateOptions>, reason: string][] = [
    ["the sandbox cannot be asked", { isSandboxed: async () => broken() }, "the permission gate failed (broken)"],
    ["the environment cannot be read", { environment: broken }, "the permission gate failed (broken)"],
    ["nobody takes its events", { tell: broken }, "the permission gate failed (broken)"],
    [
      "settings cannot be read",
      { sources: { ...RULES, claude: async () => broken() } },
      "the permission gate failed (broken)",
    ],
    [
      "asking breaks",
      { yolo: false, sources: { ...RULES, allowed: [] }, askPerson: async () => broken() },
      "the permission gate failed (broken)",
    ],
  ];
  test.each(rows)("where %s", async (_, faults, reason) => {
    using workspace = tempWorkspace();
    const { decide } = gateIn(workspace, faults);
    expect(await decide()).toEqual({ type: "deny", reason });
  });

  test("and allows where nothing is wrong, so that the rows above say something", async () => {
    using workspace = tempWorkspace();
    expect((await gateIn(workspace).decide()).type).toBe("allow");
  });
});

describe("a gate that does not come to an end", () => {
  const rows: [title: string, faults: Partial<CoderGateOptions>][] = [
    ["because of the sandbox", { isSandboxed: () => never }],
    ["because of settings", { sources: { ...RULES, claude: () => never } }],
  ];
  test.each(rows)("is closed after its time, %s", async (_, faults) => {
    using workspace = tempWorkspace();
    const { decide, clock } = gateIn(workspace, faults);
    const decision = decide();
    await clock.advance(30_000);
    expect(await decision).toEqual({
      type: "deny",
      reason: "the permission gate failed (it did not decide within 30 s)",
    });
  });

  test("but a person may take their time", async () => {
    using workspace = tempWorkspace();
    const person = Promise.withResolvers<{ type: "once" }>();
    const asked = Promise.withResolvers<void>();
    const askPerson = () => {
      asked.resolve();
      return person.promise;
    };
    const { decide, clock } = gateIn(workspace, { yolo: false, sources: { ...RULES, allowed: [] }, askPerson });
    const decision = decide();
    await asked.promise;
    await clock.advance(20 * 60_000);
    person.resolve({ type: "once" });
    expect((await decision).type).toBe("allow");
  });
});

describe("rules that are half written", () => {
  const rows: [title: string, text: string][] = [
    ["is cut off", '{"version":1,"workspaces":{"/x":{"allow":["Bash"],"de'],
    ["is empty", ""],
    ["is of a later version", '{"version":2,"workspaces":{}}'],
    ["is another thing", "[]"],
  ];
  test.each(rows)("close the gate for everything but looking: the file of answers %s", async (_, text) => {
    using workspace = tempWorkspace();
    workspace.write("ralph-home/data/permissions.json", text);
    expect(await gateIn(workspace).decide()).toEqual({
      type: "deny",
      reason: expect.stringContaining("a rule that may deny it cannot be read"),
    });
  });

  test("close it too where a deny rule of the settings cannot be read", async () => {
    using workspace = tempWorkspace();
    const settings = { "permissions.allow": ["Bash"], "permissions.deny": ["Bash(rm"] };
    const { decide } = gateIn(workspace, { sources: { settings, allowed: [], allowedCategories: [] } });
    expect(await decide("ls")).toEqual({
      type: "deny",
      reason: expect.stringContaining('a rule that may deny it cannot be read: "Bash(rm" is no rule'),
    });
  });
});
