import { describe, expect, test } from "bun:test";
import {
  ALL_COMMANDS,
  type OpenOptions,
  openOnScreen,
  SAMPLE_SERVICES,
  SAMPLE_STATE,
} from "../support/conversation-on-screen.ts";

async function after(text: string, options: OpenOptions = {}) {
  const world = openOnScreen(options);
  world.type(text);
  world.press("enter");
  await world.settle();
  return world;
}

const MODELS = [
  { selector: "acme/large-1", provider: "acme", description: "large" },
  { selector: "acme/small-1", provider: "acme", description: "small" },
  { selector: "other/big", provider: "other", description: "big", problem: "no key for other" },
];

describe("slash commands", () => {
  test("are those of the list whose part exists, each under one name", () => {
    const names = ALL_COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    const wanted =
      "help model effort mode safe normal resume tree fork new clear compact undo context usage cost tools permissions tasks jobs run export copy hotkeys theme settings doctor exit quit q history name";
    expect(wanted.split(" ").filter((name) => !names.includes(name))).toEqual([]);
    const partless = "memory agents goals plugins mcp login logout".split(" ");
    expect(partless.filter((name) => names.includes(name))).toEqual([]);
  });

  test("are found whatever the case, and an unknown one names what was probably meant", async () => {
    const world = await after("/EFFORT high");
    expect(world.calls).toEqual([["set_effort", { effort: "high" }]]);
    expect((await (await after("/modle")).seen())[0]).toBe(
      "There is no command /modle. Is /model meant? /help shows all.",
    );
  });

  test("an exclamation mark runs a command of the person, whose end is shown and which Esc stops", async () => {
    const result = { output: "one\ntwo\n", ending: "It ended with exit code 3.", isStopped: false, isTruncated: false };
    const answer: OpenOptions["answer"] = (name) => (name === "run_command" ? { ok: true, result } : undefined);
    const world = await after("! git log | head", { answer });
    expect(world.calls).toEqual([["run_command", { command: "git log | head" }]]);
    expect((await world.seen()).slice(0, 4).map((row) => row.trim())).toEqual([
      "$ git log | head It ended with exit code 3.",
      "",
      "one",
      "two",
    ]);
    world.play({ type: "state-changed", state: { ...SAMPLE_STATE, command: "sleep 100" } });
    expect((await world.seen()).at(-1)).toContain("! sleep 100");
    world.press("escape");
    await world.settle();
    expect(world.calls.at(-1)).toEqual(["stop_command", {}]);
  });

  test("a path at the beginning is no command", async () => {
    const world = await after("/etc/hosts is broken");
    expect(world.calls.map(([name]) => name)).toEqual(["prompt"]);
  });

  test("a name that is written out is meant, though the list points to another", async () => {
    const customCommands = async () => [
      { name: "quick", description: "", argumentHint: "", expand: () => "do it quickly" },
    ];
    const world = openOnScreen({ services: { customCommands } });
    await world.settle();
    world.type("/q");
    world.press("enter");
    await world.settle();
    expect([world.exits(), world.calls]).toEqual([1, []]);
  });

  test("have their arguments suggested, and Enter takes the one the list points to", async () => {
    const world = openOnScreen({ services: { listModels: async () => MODELS } });
    world.type("/model sm");
    await world.settle();
    expect((await world.seen()).slice(-2)[0]).toBe("› acme/small-1  small");
    world.press("enter");
    await world.settle();
    expect(world.calls).toEqual([["set_model", { model: "acme/small-1" }]]);
  });

  test("Enter behind a command opens its list, and takes a suggestion only when somebody went to it", async () => {
    const world = await after("/effort ");
    expect([world.calls, (await world.seen())[0]]).toEqual([[], `── Effort ${"─".repeat(70)}`]);
    const chosen = openOnScreen();
    chosen.type("/effort ");
    await chosen.settle();
    chosen.press("down", "enter");
    await chosen.settle();
    expect(chosen.calls).toEqual([["set_effort", { effort: "minimal" }]]);
  });

  test("suggestions that were sent away stay away for that command", async () => {
    const world = openOnScreen();
    world.type("/mo");
    expect((await world.seen()).some((row) => row.startsWith("› mode"))).toBe(true);
    world.press("escape");
    world.type("de");
    expect((await world.seen()).some((row) => row.includes("mode"))).toBe(true);
    expect((await world.seen()).filter((row) => row.includes("what the model is at"))).toEqual([]);
    world.press("ctrl+u");
    world.type("/mo");
    expect((await world.seen()).some((row) => row.startsWith("› mode"))).toBe(true);
  });

  test("/hotkeys shows the chords in force in groups, and marks what a person bound", async () => {
    const world = await after("/hotkeys", {
      columns: 100,
      rows: 100,
      keys: { bindings: { "app.exit": ["ctrl+q"], "app.suspend": [] } },
    });
    const seen = await world.seen();
    const rows = seen.filter((row) => /app\.(exit|suspend|clear) *$|^(Ralph|Writing|Lists)/.test(row));
    expect(rows.map((row) => row.replace(/ +/g, " "))).toEqual([
      "Ralph",
      "Ctrl+C │ clear the input; twice: leave │ app.clear",
      "Ctrl+Q (yours) │ leave, when the input is empty │ app.exit",
      "none (yours) │ put Ralph into the background │ app.suspend",
      "Writing",
      "Lists and trees",
    ]);
  });

  test("/help has the grammar of every command", async () => {
    const world = await after("/help compact");
    expect((await world.seen()).slice(0, 3).map((row) => row.trim())).toEqual([
      "command                 │",
      "──────────────────────────────────────────────────",
      "/compact [what matters] │ shorten the conversation",
    ]);
  });

  test("/name asks for a name, and /history puts an earlier prompt into the input", async () => {
    const named = await after("/name");
    named.type("my work");
    named.press("enter");
    await named.settle();
    expect(named.calls).toEqual([["set_name", { name: "my work" }]]);

    const world = openOnScreen({ history: ["first thing", "second thing", "third"] });
    world.press("ctrl+r");
    await world.settle();
    world.type("first");
    world.press("enter");
    expect([world.app.draft, world.calls]).toEqual(["first thing", []]);
  });

  test("/undo shows what would change and takes it back only after a yes", async () => {
    const undone: unknown[] = [];
    const undo = async (_path: string, turn: string | undefined, apply: boolean) => {
      undone.push([turn, apply]);
      return { ok: true as const, text: apply ? "taken back" : "src/app.ts: 3 lines" };
    };
    const no = await after("/undo", { services: { undo } });
    expect((await no.seen()).slice(0, 5)).toEqual([
      `── Take this back? ${"─".repeat(61)}`,
      "src/app.ts: 3 lines",
      "  1  yes",
      "› 2  no",
      "Enter answer   Esc no",
    ]);
    no.press("enter");
    const yes = await after("/undo 2", { services: { undo } });
    yes.press("y");
    await yes.settle();
    expect(undone).toEqual([
      [undefined, false],
      ["2", false],
      ["2", true],
    ]);
    expect((await yes.seen())[0]).toBe("taken back");
  });
});

describe("pickers", () => {
  test("models stand under their providers, those that cannot be used are passed over, and Tab keeps the choice", async () => {
    const kept: string[] = [];
    const world = await after("/model", {
      services: {
        listModels: async () => MODELS,
        listProfiles: async () => [
          { name: "fast", provider: "acme", roles: [{ role: "default", selector: "acme/small-1" }] },
        ],
        applyProfile: async (name, isForGood) => ({ ok: true, text: `${name} ${isForGood}` }),
        setDefaultModel: async (selector) => {
          kept.push(selector);
          return { ok: true, text: "kept" };
        },
      },
    });
    world.press("up");
    expect((await world.seen()).slice(0, 11)).toEqual([
      `── Model ${"─".repeat(71)}`,
      "/",
      "  acme (ready)",
      "› profile fast        default",
      "  acme/large-1 (now)  large",
      "  acme/small-1        small",
      "  other (no key)",
      "  other/big           no key for other",
      "  default    acme/small-1",
      "Enter choose   Esc close   Tab choose for good   type to filter",
      "─".repeat(80),
    ]);
    world.press("up");
    world.press("tab");
    await world.settle();
    expect([world.calls, kept]).toEqual([[["set_model", { model: "acme/small-1" }]], ["acme/small-1"]]);
  });

  test("Alt+P chooses a model that is not kept, and Ctrl+P the next that can be used", async () => {
    const world = openOnScreen({ services: { listModels: async () => MODELS } });
    world.press("alt+p");
    await world.settle();
    world.type("small");
    world.press("enter");
    await world.settle();
    world.press("ctrl+p");
    await world.settle();
    expect(world.calls).toEqual([
      ["set_model", { model: "acme/small-1", temporary: true }],
      ["set_model", { model: "acme/small-1" }],
    ]);
  });

  test("the tree folds and unfolds, filters, and goes back to a message", async () => {
    const row = (entryId: string, depth: number, isOnBranch = true) =>
      ({ entryId, depth, role: "user", text: `message ${entryId}`, isOnBranch }) as const;
    const sessionTree = async () => [row("a", 0), row("b", 1, false), row("c", 2, false), row("d", 1)];
    const world = await after("/tree", { services: { sessionTree } });
    const shown = async () => (await world.seen()).filter((text) => text.includes("message"));
    expect((await shown()).map((text) => text.trim().replace(/ +/g, " "))).toEqual([
      "› message a",
      "› message b another branch",
      "› message c another branch",
      "› › message d",
    ]);
    world.press("up", "up", "ctrl+left");
    expect((await shown()).map((text) => text.trim().replace(/ +/g, " "))).toEqual([
      "› message a",
      "› + message b another branch",
      "› message d",
    ]);
    world.press("alt+right");
    world.type("message c");
    world.press("enter");
    await world.settle();
    expect(world.calls).toEqual([["branch", { entryId: "c" }]]);
  });

  test("a place in the tree is named with Tab, and an empty name takes the name away", async () => {
    const sessionTree = async () =>
      [{ entryId: "a", depth: 0, role: "user", text: "message a", isOnBranch: true, label: "old" }] as const;
    const world = await after("/tree", { services: { sessionTree: async () => [...(await sessionTree())] } });
    expect((await world.seen()).find((text) => text.includes("message a"))?.trim()).toBe("› › [old] message a");
    world.press("tab", "ctrl+u");
    world.type("new");
    world.press("enter");
    await world.settle();
    world.press("tab", "ctrl+u", "enter");
    await world.settle();
    expect(world.calls).toEqual([
      ["set_label", { entryId: "a", label: "new" }],
      ["set_label", { entryId: "a", label: null }],
    ]);
  });

  test("commands beside the conversation are listed, shown with what they printed, and ended with Tab", async () => {
    const job = (id: string, isRunning: boolean) => ({
      ...{ id, command: "npm run dev\n# more", startedAt: 1, isRunning, standing: isRunning ? "running." : "exit 0." },
      log: `/artifacts/${id}.txt`,
    });
    const jobs = [job("job-1", false), job("job-2", true)];
    const answer: OpenOptions["answer"] = (name) => {
      if (name === "list_jobs") return { ok: true, result: { jobs } };
      if (name === "read_job") return { ok: true, result: { job: job("job-2", true), output: "one\ntwo ``` \n" } };
      return name === "end_job" ? { ok: true, result: { job: job("job-2", false) } } : undefined;
    };
    const world = await after("/jobs", { answer });
    const listed = (await world.seen()).filter((text) => text.includes("npm run dev"));
    expect(listed.map((text) => text.trim().replace(/ +/g, " "))).toEqual([
      "› job-2 npm run dev running.",
      "job-1 npm run dev exit 0.",
    ]);
    world.press("enter");
    await world.settle();
    const shown = (await world.seen()).join("\n");
    expect(shown).toContain("job-2 npm run dev: running. All of it: /artifacts/job-2.txt");
    expect(shown).toContain("two ```");
    world.type("/jobs");
    world.press("enter");
    await world.settle();
    world.press("tab");
    await world.settle();
    expect(world.calls).toEqual([
      ["list_jobs", {}],
      ["read_job", { jobId: "job-2" }],
      ["list_jobs", {}],
      ["end_job", { jobId: "job-2" }],
    ]);
    const none: OpenOptions["answer"] = () => ({ ok: true, result: { jobs: [] } });
    expect((await (await after("/jobs", { answer: none })).seen())[0]).toBe("No command runs beside the conversation.");
  });

  test("sessions are found by their words, and the one that is open is passed over", async () => {
    const opened: unknown[] = [];
    const session = (id: string, preview: string, isCurrent = false) => ({
      id,
      name: "",
      preview,
      changedAt: Date.now() - 3 * 60_000,
      messages: 4,
      isCurrent,
    });
    const world = await after("/resume", {
      services: {
        listSessions: async () => [session("1", "this one", true), session("2", "fix the tests"), session("3", "docs")],
        openAgent: async (wish) => {
          opened.push(wish);
          return { ok: false, message: "not now" };
        },
      },
    });
    expect((await world.seen()).slice(2, 6)).toEqual([
      "  this one       3 min ago, 4 messages, this one",
      "› fix the tests  3 min ago, 4 messages",
      "  docs           3 min ago, 4 messages",
      "  fix the tests",
    ]);
    world.type("docs");
    world.press("enter");
    await world.settle();
    expect([opened, (await world.seen()).at(-1)?.startsWith("not now")]).toEqual([[{ type: "resume", id: "3" }], true]);
  });

  test("a service that is not there offers nothing", async () => {
    const world = await after("/model", { services: { ...SAMPLE_SERVICES, listModels: async () => MODELS } });
    expect((await world.seen()).find((row) => row.startsWith("Enter"))).toBe(
      "Enter choose   Esc close   type to filter",
    );
  });
});
