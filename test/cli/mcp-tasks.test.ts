import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { loopWorld, TASK } from "../support/loop-world.ts";
import { serveStdio } from "../support/mcp-client.ts";
import { runRalph } from "../support/run-ralph.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

setDefaultTimeout(60_000);

const STORY = { id: "S-1", title: "One", acceptanceCriteria: [], priority: 1, passes: false, notes: "" };
const FILES = ["prd.json", "progress.txt", "prompt.md", "prd_prompt.txt", "understand_prompt.md", "codebase_map.md"];

describe("ralph_validate", () => {
  test("says what ralph run would say, problem by problem", async () => {
    await using workspace = tempWorkspace();
    const bad = {
      branchName: "",
      userStories: [
        { ...STORY, priority: "high" },
        { ...STORY, extra: 1 },
      ],
    };
    workspace.write("project/tasks/bad/prd.json", JSON.stringify(bad));
    workspace.write("project/tasks/no-json/prd.json", "{");
    workspace.write("project/tasks/a b/prd.json", "{}");
    workspace.write("project/tasks/good/prd.json", JSON.stringify({ branchName: "work", userStories: [STORY] }));
    mkdirSync(join(workspace.project, "tasks/none"));
    await using served = await serveStdio(workspace);
    interface Validated {
      folder: string;
      valid: boolean;
      problems: { path: string; message: string; remedy: string }[];
    }
    const validate = async (name: string) =>
      (await served.call("ralph_validate", { task: `tasks/${name}` })) as Validated;
    for (const name of ["bad", "no-json"]) {
      const { folder, valid, problems } = await validate(name);
      const { stderr } = await runRalph(["run", `tasks/${name}`], { workspace });
      const file = join(folder, "prd.json");
      const lines = problems.map(({ path, message, remedy }) => `${file}: ${path && `${path} `}${message}. ${remedy}`);
      expect([valid, `ralph: ${lines.join("\n")}\n`]).toEqual([false, stderr]);
    }
    expect((await validate("bad")).problems.map(({ path }) => path)).toContain("branchName");
    expect(await validate("good")).toEqual({
      folder: join(workspace.project, "tasks/good"),
      valid: true,
      problems: [],
      stories: { all: 1, passing: 0 },
    } as Validated);
    const none = join(workspace.project, "tasks/none");
    expect((await validate("none")).problems).toEqual([
      {
        path: "",
        message: `${none} has no prd.json. Make one with: ralph init ${none}`,
        remedy: "Make one with ralph_init.",
      },
    ]);
    expect((await validate("a b")).problems).toMatchObject([{ path: "", remedy: "Give the folder such a name." }]);
    expect(await served.call("ralph_validate", { task: "nowhere" })).toBe(
      `failed: There is no folder nowhere. Tasks lie under ${workspace.project}.`,
    );
  });

  test("names agents nobody knows, unless the person chose another", async () => {
    await using workspace = tempWorkspace();
    const task = { schemaVersion: "2.0", agent: "custom", userStories: [STORY, { ...STORY, id: "S-2", agent: "hal" }] };
    workspace.write("project/prd.json", JSON.stringify(task));
    const remedy = "Name one of ralph, codex, claude, or take it out.";
    await using served = await serveStdio(workspace);
    expect(await served.call("ralph_validate", { task: "prd.json" })).toEqual({
      folder: workspace.project,
      valid: false,
      problems: [
        { path: "agent", message: 'The agent "custom" needs a command. Give it with --agent-cmd "COMMAND".', remedy },
        {
          path: "userStories[1].agent",
          message: 'The agent "hal" that the story names is not known. Use one of ralph, codex, claude, custom.',
          remedy,
        },
      ],
      stories: { all: 2, passing: 0 },
    });
    await using other = await serveStdio(workspace, ["--agent-cmd", "true"]);
    expect(await other.call("ralph_validate", { task: "." })).toMatchObject({ valid: true, problems: [] });
  });
});

describe("ralph_init", () => {
  test("makes what is missing, keeps what is there, and says what is wrong with it", async () => {
    await using workspace = tempWorkspace();
    await using served = await serveStdio(workspace);
    const folder = join(workspace.project, "scripts/ralph");
    const empty = expect.objectContaining({ path: "userStories" });
    expect(await served.call("ralph.init")).toEqual({ folder, created: FILES, kept: [], problems: [] });
    expect(await served.call("ralph_init")).toEqual({ folder, created: [], kept: FILES, problems: [empty] });
    workspace.write("project/stories.md", "## Story: Pay by card\n\n## Story: Pay by bill\n");
    const made = join(workspace.project, "tasks/new/pay");
    const args = { folder: "tasks/new/pay", from: "stories.md" };
    expect(await served.call("ralph_init", args)).toEqual({
      folder: made,
      created: ["prd.json", "progress.txt"],
      kept: [],
      problems: [],
    });
    expect(await served.call("ralph_validate", { task: "tasks/new/pay" })).toMatchObject({
      valid: true,
      stories: { all: 2, passing: 0 },
    });
    expect(await served.call("ralph_init", args)).toBe(
      `failed: Nothing was written: ${join(made, "prd.json")} is there already. Name another folder.`,
    );
    workspace.write("project/bad.json", '{"branchName":"x","userStories":[]}');
    expect(await served.call("ralph_init", { folder: "tasks/other", from: "bad.json" })).toEqual({
      folder: join(workspace.project, "tasks/other"),
      created: [],
      kept: [],
      problems: [empty],
    });
    expect(existsSync(join(workspace.project, "tasks/other"))).toBe(false);
  });

  test("nothing is made or read outside of the roots, over links neither", async () => {
    await using workspace = tempWorkspace();
    const outside = join(workspace.root, "outside");
    workspace.write("outside/prd.json", '{"secret":1}');
    symlinkSync(outside, join(workspace.project, "link"));
    symlinkSync(join(outside, "later"), join(workspace.project, "dangling"));
    symlinkSync(join(outside, "prd.json"), join(workspace.project, "stories.json"));
    mkdirSync(join(workspace.project, "task"));
    symlinkSync(join(outside, "prd.json"), join(workspace.project, "task/prd.json"));
    await using served = await serveStdio(workspace);
    const refused = (path: string) => `failed: ${path} is outside of what is served: ${workspace.project}.`;
    const init = (folder: string, from?: string) => served.call("ralph_init", { folder, ...(from && { from }) });
    expect([
      await init("../outside/new"),
      await init(join(outside, "new")),
      await init("link/new/task"),
      await init("dangling"),
      await init("dangling/new"),
      await init("task"),
      await init("new", "../outside/prd.json"),
      await init("new", "stories.json"),
      await served.call("ralph_validate", { task: "task" }),
      await served.call("ralph_validate", { task: "link" }),
    ]).toEqual([
      refused("../outside/new"),
      refused(join(outside, "new")),
      refused("link/new/task"),
      refused("dangling"),
      refused("dangling/new"),
      refused("task/prd.json"),
      refused("../outside/prd.json"),
      refused("stories.json"),
      refused(join(outside, "prd.json")),
      refused("link"),
    ]);
    expect(workspace.find("outside/**")).toEqual(["outside/prd.json"]);
    expect(workspace.find("project/**/progress.txt")).toEqual([]);
  });
});

describe("ralph_understand", () => {
  const MAPS = "mkdir -p scripts/ralph; echo map >scripts/ralph/codebase_map.md\necho '<promise>COMPLETE</promise>'\n";

  test("starts a loop that draws the map and nothing else, and is watched like any other", async () => {
    using world = loopWorld({ stories: [{ checks: ["true"] }] });
    const seen = join(world.workspace.root, "seen");
    const agent = world.agent(`cat >${seen}\n${MAPS}`);
    const prompt = world.workspace.write("prompt.md", "A prompt for stories.\n");
    const flags = [
      "--sleep",
      "0",
      "--agent-cmd",
      agent,
      "--prompt",
      prompt,
      "--worktree",
      "--allowed-paths",
      "README.md",
    ];
    await using served = await serveStdio(world.workspace, flags);
    const { loop } = (await served.call("ralph_understand", { max_iterations: 3 })) as { loop: { id: string } };
    expect(loop).toMatchObject({
      task: "understanding",
      folder: join(world.project, "scripts/ralph"),
      max_iterations: 3,
      agent: "custom",
    });
    expect(await served.call("ralph_wait", { task: loop.id, timeout_seconds: 40 })).toMatchObject({
      timed_out: false,
      loop: { id: loop.id, status: "completed", verdict: "done" },
    });
    expect(world.workspace.read("seen")).not.toContain("A prompt for stories.");
    expect(await served.client.readResource({ uri: "ralph://codebase_map" })).toMatchObject({
      contents: [{ text: "map\n" }],
    });
    expect(world.git("branch", "--show-current")).toBe("ralph/understanding\n");
  });

  test("has the bounds of ralph_run", async () => {
    using world = loopWorld({ stories: [{ checks: ["true"] }] });
    world.write("docs/file", "");
    const go = join(world.workspace.root, "go");
    const agent = world.agent(`while [ ! -e "${go}" ]; do sleep 0.02; done\n${MAPS}`);
    symlinkSync("/", join(world.project, "link"));
    mkdirSync(join(world.project, "docs/scripts"));
    symlinkSync(world.workspace.root, join(world.project, "docs/scripts/ralph"));
    await using served = await serveStdio(world.workspace, [
      "--max-iterations",
      "4",
      "--sleep",
      "0",
      "--agent-cmd",
      agent,
    ]);
    const understand = (args: object) => served.call("ralph_understand", { ...args });
    expect([
      await understand({ folder: ".." }),
      await understand({ folder: "link" }),
      await understand({ folder: "docs/file" }),
      await understand({ folder: "docs" }),
      await understand({ max_iterations: 5 }),
      await understand({ agent: "claude" }),
    ]).toEqual([
      `failed: .. is outside of what is served: ${world.project}.`,
      `failed: link is outside of what is served: ${world.project}.`,
      `failed: There is no folder docs/file. Tasks lie under ${world.project}.`,
      `failed: docs/scripts/ralph is outside of what is served: ${world.project}.`,
      expect.stringContaining("max_iterations: Too big"),
      expect.stringContaining('Unrecognized key: "agent"'),
    ]);
    await understand({ folder: world.project });
    expect(await understand({})).toContain("A loop is running on");
    world.workspace.write("go", "");
    await served.call("ralph_wait", { task: "understanding", timeout_seconds: 40 });
    expect(await served.call("ralph_status", { task: TASK })).toContain("No loop here");
  });
});

describe("ralph_run", () => {
  test("of many callers at once no more than eight get a loop, and no task has two", async () => {
    await using workspace = tempWorkspace();
    const go = join(workspace.root, "go");
    const agent = workspace.write("agent.sh", `while [ ! -e "${go}" ]; do sleep 0.1; done\n`);
    const names = Array.from({ length: 10 }, (_, index) => `t${index}`);
    for (const name of names) {
      const prd = JSON.stringify({ branchName: "work", userStories: [STORY] });
      workspace.write(`project/${name}/prd.json`, prd);
    }
    await using served = await serveStdio(workspace, ["--sleep", "0", "--agent-cmd", `sh ${agent}`]);
    const tasks = [...names.slice(0, 5), ...names];
    const answers = await Promise.all(tasks.map((task) => served.call("ralph_run", { task, max_iterations: 1 })));
    const kinds = answers.map((answer) =>
      typeof answer === "object" ? "begun" : /running on|which is the most/.exec(String(answer))?.[0],
    );
    const count = (kind: string) => kinds.filter((one) => one === kind).length;
    expect([count("begun"), count("running on"), count("which is the most")]).toEqual([8, 5, 2]);
    workspace.write("go", "");
    for (const name of names.slice(0, 8)) await served.call("ralph_wait", { task: name });
    expect(await served.call("ralph_status")).toMatchObject({ loops: names.slice(0, 8).map(() => ({ iteration: 1 })) });
    expect(await served.call("ralph_run", { task: "t0", max_iterations: 1 })).toMatchObject({ loop: { task: "t0" } });
    await served.call("ralph_wait", { task: "t0" });
  });
});
