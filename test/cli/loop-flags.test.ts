import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { RUN_FLAGS, UNDERSTAND_FLAGS } from "../../src/cli/loop/run-flags.ts";
import { agentProgram } from "../support/agent-programs.ts";
import { type LoopWorld, linesText, loopWorld, TASK } from "../support/loop-world.ts";
import { runRalph } from "../support/run-ralph.ts";

// The flags of a run that no other file is about, and their variables: a flag beats its variable.

setDefaultTimeout(60_000);

const DONE = "echo '<promise>COMPLETE</promise>'\n";
const FILES = { "test.sh": "grep -q finished work.txt\n" };
const STORIES = [{ checks: ["sh test.sh"] }];
const ONCE = ["--max-iterations", "1", "--sleep", "0"];
const RTF1 = agentProgram("speaks-rtf1");

type Environment = Record<string, string>;

async function shown(world: LoopWorld, flags: string[], environment: Environment = {}): Promise<string[]> {
  const args = ["run", TASK, ...ONCE, "--branch", "", ...flags];
  const { stdout, stderr } = await runRalph(args, { ...world, environment });
  return linesText(`${stdout}${stderr}`).map((line) => line.replaceAll(/\b\d+ ms|\b\d\.\d s/g, "T"));
}

/** What the agent says, as it is shown. */
async function transcript(world: LoopWorld, flags: string[], environment: Environment = {}): Promise<string[]> {
  const lines = await shown(world, flags, environment);
  return lines.filter((line) => /^(AI|THINK|SYS|TOOL|PROMPT|PLAN|ACTIONS|REPORT) /.test(line));
}

describe("how the agent's output is shown", () => {
  const CALLOUTS = [
    "PLAN    look at the file, change it, run the test",
    "ACTIONS shell: rg -n todo (ok, T, 1 line)",
    "ACTIONS shell: false (fail, T, 0 lines)",
    "REPORT  1,234 tokens in, 567 out, sample",
  ];
  const SAID = ["AI    The work is done.", "AI    <promise>COMPLETE</promise>"];
  const THOUGHT = "THINK Plan: look at the file, change it, run the test";

  test("--transcript rtf1 tells roles and tools apart, and PLAN, ACTIONS and REPORT come at the end", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const summary = [
      THOUGHT,
      "TOOL  ✓ shell rg -n todo · T · 1 line",
      "TOOL  ✗ shell false · failed · T",
      ...SAID,
      ...CALLOUTS,
    ];
    const flags = ["--agent-cmd", `sh ${RTF1}`];
    expect(await transcript(world, ["--transcript", "rtf1", ...flags])).toEqual(summary);
    expect(await transcript(world, flags, { RALPH_TRANSCRIPT: "rtf1" })).toEqual(summary);
    expect(await transcript(world, ["--transcript", "rtf1"], { AGENT_CMD: `sh ${RTF1}` })).toEqual(summary);
    const plain = await transcript(world, ["--transcript", "plain", ...flags], { RALPH_TRANSCRIPT: "rtf1" });
    expect(plain.length).toBe(10);
    expect(plain.every((line) => line.startsWith("AI    @@RALPH@@"))).toBe(true);
    expect(await transcript(world, ["--transcript", "auto", ...flags], { RALPH_TRANSCRIPT: "rtf1" })).toEqual(plain);
    expect(await transcript(world, flags, { RALPH_TRANSCRIPT: " " })).toEqual(plain);
    expect(await shown(world, flags, { RALPH_TRANSCRIPT: "xml" })).toEqual([
      'ralph: RALPH_TRANSCRIPT is "xml"; it should be one of auto, plain, rtf1, codex, claude, ralph.',
    ]);
  });

  test("--ai-tool-mode full shows what tools print, none shows none of them; --ascii has other signs", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const flags = ["--transcript", "rtf1", "--agent-cmd", `sh ${RTF1}`];
    expect((await transcript(world, [...flags, "--ai-tool-mode", "full", "--ascii"])).slice(1, 6)).toEqual([
      "TOOL  > shell rg -n todo",
      "TOOL  notes.txt:1:todo",
      "TOOL  + shell rg -n todo | T | 1 line",
      "TOOL  > shell false",
      "TOOL  x shell false | failed | T",
    ]);
    const none = [THOUGHT, ...SAID, ...CALLOUTS];
    expect(await transcript(world, [...flags, "--ai-tool-mode", "none"], { RALPH_AI_TOOL_MODE: "full" })).toEqual(none);
    expect(await transcript(world, flags, { RALPH_AI_TOOL_MODE: "none", RALPH_ASCII: "1" })).toEqual(none);
    const refused = await runRalph(["run", TASK, ...flags], { ...world, environment: { RALPH_AI_TOOL_MODE: "some" } });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      'ralph: RALPH_AI_TOOL_MODE is "some"; it should be one of summary, full, none.\n',
    ]);
  });

  test("--ai-sys-mode full shows the agent's notes, which are counted otherwise", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const note = (text: string) => `echo '@@RALPH@@ {"type":"text","tag":"SYS","text":"${text}"}'\n`;
    const flags = ["--transcript", "rtf1", "--agent-cmd", world.agent(`${note("one")}${note("two")}`)];
    const counted = ["SYS   2 lines of the agent's own notes (--ai-sys-mode full shows them)"];
    expect(await transcript(world, flags)).toEqual(counted);
    expect(await transcript(world, flags, { RALPH_AI_SYS_MODE: "full" })).toEqual(["SYS   one", "SYS   two"]);
    expect(await transcript(world, [...flags, "--ai-sys-mode", "summary"], { RALPH_AI_SYS_MODE: "full" })).toEqual(
      counted,
    );
  });

  test("--ai-raw repeats the agent's lines; --ai-show-final says its last message again", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const flags = ["--transcript", "rtf1", "--agent-cmd", `sh ${RTF1}`];
    const raw = await shown(world, [...flags, "--ai-raw"]);
    expect(raw.filter((line) => line.startsWith("@@RALPH@@ ")).length).toBe(10);
    expect(raw.filter((line) => /^(AI|TOOL) /.test(line))).toEqual([]);
    expect(raw.filter((line) => /^(PLAN|ACTIONS|REPORT) /.test(line))).toEqual(CALLOUTS);
    expect(await shown(world, flags, { RALPH_AI_RAW: "1" })).toEqual(raw);
    expect(await shown(world, flags, { RALPH_AI_RAW: "0" })).not.toEqual(raw);
    const final = await shown(world, [...flags, "--ai-show-final"]);
    expect(final.filter((line) => line === "<promise>COMPLETE</promise>").length).toBe(1);
    expect(await shown(world, flags, { RALPH_AI_SHOW_FINAL: "1" })).toEqual(final);
  });

  test("a prompt that is echoed is hidden, with signs of life, unless it is asked for", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const prompt = world.workspace.write(
      "long.md",
      `${Array.from({ length: 30 }, (_, at) => `row ${at}`).join("\n")}\n`,
    );
    const command = world.agent("echo user; cat; echo; echo codex; echo 'It is done.'\n");
    const flags = ["--transcript", "codex", "--prompt", prompt, "--agent-cmd", command];
    const told = async (more: string[], environment: Environment = {}) =>
      (await transcript(world, [...flags, ...more], environment)).filter((line) => line.startsWith("PROMPT"));
    const hidden = await told([]);
    const [, total] = /\((\d+) lines\)/.exec(hidden[0] ?? "") ?? [];
    expect(hidden).toEqual([
      `PROMPT The prompt (${total} lines) is hidden.`,
      `PROMPT End of the prompt: ${total} lines hidden.`,
    ]);
    const often = [hidden[0], `PROMPT 30 of ${total} lines of the prompt.`, hidden[1]].flatMap((line) => line ?? []);
    expect(await told(["--ai-prompt-progress-every", "30"])).toEqual(often);
    expect(await told([], { RALPH_AI_PROMPT_PROGRESS_EVERY: "30" })).toEqual(often);
    expect(await told(["--ai-prompt-progress-every", "0"], { RALPH_AI_PROMPT_PROGRESS_EVERY: "30" })).toEqual(hidden);
    const whole = await told(["--ai-show-prompt"]);
    expect(whole.slice(0, 2)).toEqual(["PROMPT row 0", "PROMPT row 1"]);
    expect(await told([], { RALPH_AI_SHOW_PROMPT: "1" })).toEqual(whole);
  });
});

describe("what the agent is told", () => {
  const SEES = `cat >"$RALPH_TASK_DIR/../../../seen"; env | grep -E '^(MODEL|RALPH_)' | sort >>"$RALPH_TASK_DIR/../../../seen"\n`;

  test("--prompt, else PROMPT_FILE, else the task's, the user's, the project's, the data folder's, our own", async () => {
    using world = loopWorld({ stories: STORIES, files: { ...FILES, "prompt.md": "of the project" } });
    const command = world.agent(SEES);
    const first = async (flags: string[] = [], environment: Environment = {}) => {
      await shown(world, [...flags, "--agent-cmd", command], environment);
      return linesText(world.workspace.read("seen"))[0] ?? "";
    };
    world.workspace.write("ralph-home/data/prompt.md", "of the data folder");
    expect(await first()).toBe("of the project");
    world.workspace.write("ralph-home/config/prompt.md", "of the user");
    expect(await first()).toBe("of the user");
    world.write(`${TASK}/prompt.md`, "of the task");
    expect(await first()).toBe("of the task");
    const [flag, variable] = ["flag", "variable"].map((name) => world.workspace.write(name, `of the ${name}`));
    expect(await first([], { PROMPT_FILE: variable ?? "" })).toBe("of the variable");
    expect(await first(["-p", flag ?? ""], { PROMPT_FILE: variable ?? "" })).toBe("of the flag");
  });

  test("placeholders, sections per agent, AGENTS.md of project and task, and what a person injected", async () => {
    using world = loopWorld({
      stories: [{ ...STORIES[0], title: "First", description: "Do it." }],
      files: { ...FILES, "AGENTS.md": "Project rules.", [`${TASK}/AGENTS.md`]: "Task rules." },
    });
    const template = [
      "{TASK_DIR} {PRD_FILE} {PROGRESS_FILE} {BRANCH_NAME} {AGENT} {ITERATION} {STORY_ID} {UNKNOWN}",
      "<!-- agent:custom -->\nfor custom\n<!-- /agent -->",
      "<!-- agent:claude,codex -->\nfor others\n<!-- /agent -->",
    ].join("\n");
    world.write(`${TASK}/prompt.md`, template);
    await shown(world, ["--agent-cmd", world.agent(SEES)]);
    const folder = `${world.project}/${TASK}`;
    const seen = world.workspace.read("seen");
    expect(linesText(seen).slice(0, 6)).toEqual([
      "## Instructions of AGENTS.md",
      "Project rules.",
      `## Instructions of ${TASK}/AGENTS.md`,
      "Task rules.",
      `${folder} ${folder}/prd.json ${folder}/progress.txt main custom 1 S-1 {UNKNOWN}`,
      "for custom",
    ]);
    expect(seen).not.toContain("for others");
    for (const part of ["## Your story: S-1, First", "Do it.", "- `sh test.sh` exits 0"]) expect(seen).toContain(part);
  });

  test("--model and --reasoning reach a custom agent in its environment, and flags beat MODEL", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const told = async (flags: string[], environment: Environment) => {
      await shown(world, [...flags, "--agent-cmd", world.agent(SEES)], environment);
      return linesText(world.workspace.read("seen")).filter((line) => line.startsWith("MODEL"));
    };
    const environment = { MODEL: "small", MODEL_REASONING_EFFORT: "low" };
    expect(await told([], environment)).toEqual(["MODEL=small", "MODEL_REASONING_EFFORT=low"]);
    expect(await told(["-m", "large", "--reasoning", "none"], environment)).toEqual([
      "MODEL=large",
      "MODEL_REASONING_EFFORT=off",
    ]);
  });

  test("codex, claude and Ralph itself get model, level and leave in their own words", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const seen = `${world.workspace.root}/argv`;
    for (const name of ["codex", "claude"])
      world.workspace.write(`bin/${name}`, `#!/bin/sh\ncat >/dev/null; echo "$@" >${seen}\n`);
    await Bun.$`chmod +x ${world.workspace.root}/bin/codex ${world.workspace.root}/bin/claude`.quiet();
    const PATH = `${world.workspace.root}/bin:${process.env.PATH}`;
    const argv = async (flags: string[]) => {
      await shown(world, [...flags, "-m", "large", "--reasoning", "high"], { PATH });
      return world.workspace.read("argv").trim();
    };
    expect(await argv(["--yolo"])).toMatch(
      /^exec --json -C \S+ --dangerously-bypass-approvals-and-sandbox -m large -c model_reasoning_effort=high /,
    );
    expect(await argv(["--agent", "codex"])).toContain("--sandbox workspace-write -m large");
    expect(await argv(["--agent", "claude"])).toBe(
      "-p --output-format stream-json --verbose --model large --effort high --permission-mode acceptEdits --allowedTools Bash(sh test.sh:*)",
    );
    expect(await argv(["--agent", "claude", "--yolo"])).toContain("--dangerously-skip-permissions");
  });
});

describe("limits", () => {
  test("--max-tokens, --max-cost with --pricing, and the cost in report and summary", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const pricing = world.workspace.write("prices.yml", "sample:\n  input: 1000\n  output: 2000\n");
    const flags = ["--transcript", "rtf1"];
    const twice = ["--max-iterations", "2"];
    const tokens = await world.run("speaks-rtf1", { flags: [...flags, ...twice, "--max-tokens", "1801"] });
    expect(tokens.outcome.reason).toBe("The limit of 1801 tokens (--max-tokens) is reached. Open: S-1.");
    const cost = await world.run("speaks-rtf1", {
      flags: [...flags, ...twice, "--max-cost", "2", "--pricing", pricing],
    });
    expect([cost.outcome.reason, cost.verdict.usage]).toEqual([
      "The limit of 2 USD (--max-cost) is reached. Open: S-1.",
      { inputTokens: 1234, outputTokens: 567, costUsd: 2.368 },
    ]);
    const lines = await shown(world, [...flags, "--pricing", pricing, "--agent-cmd", `sh ${RTF1}`]);
    expect(lines).toContain("REPORT  1,234 tokens in, 567 out, sample, 2.3680 USD");
    expect(lines).toContain("  1 iteration · 1,801 tokens · 2.37 USD");
    const bad = world.workspace.write("bad.json", '{"sample": {"input": 1}}');
    const refused = await runRalph(["run", TASK, "--pricing", bad, "--agent-cmd", "true"], world);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      `ralph: ${bad}: "sample" needs "input" and "output", USD per million tokens, from 0 on.\n`,
    ]);
  });

  test("--idle-timeout, --iteration-timeout, --max-minutes, --max-wait and --sleep", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const idle = await world.run("hangs", { flags: ["--max-iterations", "1", "--idle-timeout", "1"] });
    expect(idle.records.map(({ ending }) => ending)).toEqual([{ type: "idle", afterSeconds: 1 }]);
    const slow = await world.run("prints-forever", { flags: ["--max-iterations", "1", "--iteration-timeout", "1"] });
    expect(slow.records.map(({ ending }) => ending)).toEqual([{ type: "timed-out", afterSeconds: 1 }]);
    const minutes = await world.run("does-nothing", { flags: ["--max-minutes", "0"] });
    expect(minutes.outcome.reason).toBe("The limit of 0 minutes (--max-minutes) is reached.");
    const quota = await world.run("reports-quota", {
      flags: ["--transcript", "rtf1", "--max-wait", "0"],
      environment: { AGENT_UNTIL: "2099-01-01T00:00:00.000Z" },
    });
    expect([quota.outcome.verdict, quota.verdict.until]).toEqual(["quota-wait", "2099-01-01T00:00:00.000Z"]);
    const pause = async (flags: string[], environment: Environment) => {
      const args = ["run", TASK, "--json", "--max-iterations", "2", ...flags, "--agent-cmd", "true"];
      const run = await runRalph(args, { ...world, environment });
      const at = (type: string, nth: number) =>
        Date.parse(
          linesText(run.stdout)
            .map((line) => JSON.parse(line))
            .filter((line) => line.type === type)[nth].time,
        );
      return at("iteration-started", 1) - at("iteration-ended", 0);
    };
    expect(await pause([], { SLEEP_SECONDS: "0.4" })).toBeGreaterThanOrEqual(390);
    expect(await pause(["-s", "0"], { SLEEP_SECONDS: "9" })).toBeLessThan(5000);
  });

  test("--allowed-paths, else ALLOWED_PATHS, ends a run that went outside, and nothing of it lands", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    const script = `mkdir -p lib; echo x >lib/a.txt; echo y >other.txt; echo finished >work.txt\n${DONE}`;
    const run = await world.run({ script }, { flags: ["--allowed-paths", "work.txt,lib/"] });
    expect(run.outcome).toEqual({
      code: 1,
      verdict: "failed",
      reason: "The agent changed files outside of what it may (--allowed-paths): other.txt.",
      iterations: 1,
      stories: { "S-1": "open" },
    });
    expect(run.of("guard")).toMatchObject([{ paths: ["other.txt"], action: "quit" }]);
    expect([world.subjects(), run.cheats]).toEqual([[], []]);
    await Bun.$`rm ${world.project}/other.txt`.quiet();
    const both = { environment: { ALLOWED_PATHS: "work.txt" } };
    const strict = await world.run({ script: `echo z >lib/b.txt\n${DONE}` }, both);
    expect(strict.outcome.reason).toContain("lib/a.txt, lib/b.txt.");
    const free = await world.run({ script }, { flags: ["--allowed-paths", ""], ...both });
    expect(free.outcome.verdict).toBe("done");
  });

  test("--prd, else PRD_FILE, names the stories", async () => {
    using world = loopWorld({ stories: STORIES, files: FILES });
    world.write("other/prd.json", world.read(`${TASK}/prd.json`).replaceAll("S-1", "OTHER"));
    const story = async (flags: string[], environment: Environment) => {
      const args = ["run", "0", "--json", ...flags, "--agent-cmd", "true"];
      const run = await runRalph(args, { ...world, environment });
      return JSON.parse(linesText(run.stdout).at(-1) ?? "{}").stories?.[0]?.id ?? run.stderr;
    };
    expect(await story(["--prd", "other/prd.json"], { PRD_FILE: `${TASK}/prd.json` })).toBe("OTHER");
    expect(await story([], { PRD_FILE: "other/prd.json" })).toBe("OTHER");
  });
});

test("every variable the contract names stands beside its flag", () => {
  const variables = RUN_FLAGS.flatMap(({ name, variable }) => (variable === undefined ? [] : [`${name} ${variable}`]));
  expect(variables.sort()).toEqual([
    "agent-cmd AGENT_CMD",
    "ai-prompt-progress-every RALPH_AI_PROMPT_PROGRESS_EVERY",
    "ai-raw RALPH_AI_RAW",
    "ai-show-final RALPH_AI_SHOW_FINAL",
    "ai-show-prompt RALPH_AI_SHOW_PROMPT",
    "ai-sys-mode RALPH_AI_SYS_MODE",
    "ai-tool-mode RALPH_AI_TOOL_MODE",
    "allowed-paths ALLOWED_PATHS",
    "ascii RALPH_ASCII",
    "branch RALPH_BRANCH",
    "interactive INTERACTIVE",
    "max-iterations MAX_ITERATIONS",
    "model MODEL",
    "no-color NO_COLOR",
    "prd PRD_FILE",
    "prompt PROMPT_FILE",
    "reasoning MODEL_REASONING_EFFORT",
    "sleep SLEEP_SECONDS",
    "transcript RALPH_TRANSCRIPT",
    "ui RALPH_UI",
  ]);
  const own = ["prd", "base-branch", "worktree", "undo", "yes"];
  expect(UNDERSTAND_FLAGS.map(({ name }) => name)).toEqual(
    RUN_FLAGS.map(({ name }) => name).filter((name) => !own.includes(name)),
  );
});
