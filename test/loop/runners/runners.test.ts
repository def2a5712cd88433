import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { chooseRunners, installedAgents } from "../../../src/loop/runners/choose-runner.ts";
import { findProgram } from "../../../src/loop/runners/find-program.ts";
import type { InvokeOptions, RunnerName } from "../../../src/loop/runners/runner.ts";
import { createRunners } from "../../../src/loop/runners/runners.ts";
import { readPermissionRule } from "../../../src/permissions/gate/permission-rule.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();
const runners = createRunners({ ralph: ["/opt/ralph"], agentCommand: "my-agent --fast" });

const plain: InvokeOptions = {
  prompt: "Do story 1.",
  root: "/code/project",
  isRepository: true,
  yolo: false,
  checkCommands: [],
  finalMessageFile: "/state/final.txt",
  promptFile: "/state/prompt.md",
};
const full: InvokeOptions = {
  ...plain,
  isRepository: false,
  model: "some-model",
  effort: "high",
  checkCommands: ["npm test && node --test a.test.js", "make", "test -n '$(rm x)'"],
};

function invoke(name: RunnerName, options: InvokeOptions) {
  return runners[name]?.invoke(options);
}

function argvOf(name: RunnerName, options: InvokeOptions) {
  return invoke(name, options)?.argv;
}

function takeOver(name: RunnerName, session?: string) {
  return runners[name]?.takeOver({ ...plain, ...(session !== undefined && { session }) }).argv;
}

describe("a headless invocation", () => {
  test("of ralph reads the prompt from stdin and prints every event", () => {
    expect(invoke("ralph", plain)).toEqual({
      argv: ["/opt/ralph", "-p", "--mode", "json", "--allow-category", "file_write"],
      environment: {},
      stdin: "Do story 1.",
      transcript: "ralph",
    });
  });

  test("of codex names the folder, the sandbox and the file of the last message", () => {
    expect(invoke("codex", plain)).toEqual({
      argv: [
        ...["codex", "exec", "--json", "-C", "/code/project", "--sandbox", "workspace-write"],
        ...["--output-last-message", "/state/final.txt", "-"],
      ],
      environment: {},
      stdin: "Do story 1.",
      transcript: "codex",
      finalMessageFile: "/state/final.txt",
    });
  });

  test("of claude accepts edits", () => {
    expect(invoke("claude", plain)).toEqual({
      argv: ["claude", "-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits"],
      environment: {},
      stdin: "Do story 1.",
      transcript: "claude",
    });
  });

  test("of a custom command is run by a login shell and finds the prompt in a file too", () => {
    expect(invoke("custom", plain)).toEqual({
      argv: ["bash", "-lc", "my-agent --fast"],
      environment: { RALPH_PROMPT_FILE: "/state/prompt.md" },
      stdin: "Do story 1.",
      transcript: "plain",
      promptFile: "/state/prompt.md",
    });
  });

  test("carries model, effort and the commands of the checks in the words of each agent", () => {
    expect({
      ralph: argvOf("ralph", full),
      codex: argvOf("codex", full),
      claude: argvOf("claude", full),
    }).toEqual({
      ralph: [
        ...["/opt/ralph", "-p", "--mode", "json", "--model", "some-model", "--effort", "high"],
        ...["--allow-category", "file_write", "--allow", "Bash(npm test)"],
        ...["--allow", "Bash(node --test a.test.js)", "--allow", "Bash(make)"],
      ],
      codex: [
        ...["codex", "exec", "--json", "-C", "/code/project", "--sandbox", "workspace-write"],
        ...["-m", "some-model", "-c", "model_reasoning_effort=high", "--skip-git-repo-check"],
        ...["--output-last-message", "/state/final.txt", "-"],
      ],
      claude: [
        ...["claude", "-p", "--output-format", "stream-json", "--verbose", "--model", "some-model", "--effort", "high"],
        ...["--permission-mode", "acceptEdits", "--allowedTools"],
        ...["Bash(npm test:*)", "Bash(node --test a.test.js:*)", "Bash(make)"],
      ],
    });
  });

  test("opens an agent's own gate only with yolo", () => {
    const gates = /yolo|dangerously/;
    const open = (options: InvokeOptions) =>
      (["ralph", "codex", "claude"] as const).map((name) => argvOf(name, options)?.filter((word) => gates.test(word)));
    expect({ without: open(full), with: open({ ...full, yolo: true }) }).toEqual({
      without: [[], [], []],
      with: [["--yolo"], ["--dangerously-bypass-approvals-and-sandbox"], ["--dangerously-skip-permissions"]],
    });
  });

  test("there is no custom runner without a command", () => {
    expect(createRunners({ ralph: ["ralph"] }).custom).toBeUndefined();
  });
});

test("the rules given to ralph are rules it can read, whatever the checks are", () => {
  const lines = [
    "npm test",
    "cd app && npm run lint:all",
    "/usr/bin/true",
    "CI=1 npm test",
    "a | b ; c",
    "echo $HOME",
    "x > y",
    "(a)",
    "",
  ];
  const argv = argvOf("ralph", { ...plain, checkCommands: lines }) ?? [];
  const rules = argv.filter((_, index) => argv[index - 1] === "--allow");
  expect(rules).toEqual(["Bash(npm test)", "Bash(cd app)", "Bash(npm run lint:all)", "Bash(a)", "Bash(b)", "Bash(c)"]);
  const bodies = rules.map((rule) => readPermissionRule(rule, "allow", "test"));
  expect(bodies.map((reading) => reading.ok && reading.rule.body.type)).toEqual(rules.map(() => "command"));
});

describe("taking over", () => {
  test("goes on in the agent's conversation", () => {
    expect({
      ralph: takeOver("ralph", "s-1"),
      codex: takeOver("codex", "s-1"),
      claude: takeOver("claude", "s-1"),
      custom: takeOver("custom", "s-1"),
    }).toEqual({
      ralph: ["/opt/ralph", "-r", "s-1", "--allow-category", "file_write"],
      codex: ["codex", "resume", "-C", "/code/project", "--sandbox", "workspace-write", "s-1"],
      claude: ["claude", "--resume", "s-1", "--permission-mode", "acceptEdits"],
      custom: ["bash", "-lc", "my-agent --fast"],
    });
  });

  test("begins a new one where its id is not known", () => {
    expect({ ralph: takeOver("ralph"), codex: takeOver("codex"), claude: takeOver("claude") }).toEqual({
      ralph: ["/opt/ralph", "--allow-category", "file_write"],
      codex: ["codex", "-C", "/code/project", "--sandbox", "workspace-write"],
      claude: ["claude", "--permission-mode", "acceptEdits"],
    });
  });
});

describe("the choice of the agent", () => {
  const none = { codex: false, claude: false, ralph: false };
  const all = { codex: true, claude: true, ralph: true };
  const nobody = { hasAgentCommand: false };

  test("follows flag, command, story, task", () => {
    const wishes = { flag: "claude, codex", hasAgentCommand: true, story: "ralph", task: "codex" };
    const without = (...names: (keyof typeof wishes)[]) =>
      chooseRunners(
        {
          ...wishes,
          ...Object.fromEntries(names.map((name) => [name, name === "hasAgentCommand" ? false : undefined])),
        },
        all,
      );
    expect([
      without(),
      without("flag"),
      without("flag", "hasAgentCommand"),
      without("flag", "hasAgentCommand", "story"),
    ]).toEqual([
      { ok: true, runners: ["claude", "codex"], reason: "flag" },
      { ok: true, runners: ["custom"], reason: "agent-command" },
      { ok: true, runners: ["ralph"], reason: "story" },
      { ok: true, runners: ["codex"], reason: "task" },
    ]);
  });

  test("falls to codex, then claude, then ralph, and says why", () => {
    expect([
      chooseRunners(nobody, all),
      chooseRunners(nobody, { ...all, codex: false }),
      chooseRunners(nobody, { ...none, ralph: true }),
    ]).toEqual([
      { ok: true, runners: ["codex"], reason: "codex-installed" },
      { ok: true, runners: ["claude"], reason: "claude-installed" },
      { ok: true, runners: ["ralph"], reason: "provider-configured" },
    ]);
    expect(chooseRunners(nobody, none).ok).toBe(false);
  });

  test("refuses names it does not know and a custom agent without a command", () => {
    expect([
      chooseRunners({ ...nobody, task: "opencode" }, all),
      chooseRunners({ ...nobody, flag: "codex,custom" }, all),
      chooseRunners({ ...nobody, flag: "," }, all),
    ]).toEqual([
      {
        ok: false,
        message: 'The agent "opencode" that prd.json names is not known. Use one of ralph, codex, claude, custom.',
      },
      { ok: false, message: 'The agent "custom" needs a command. Give it with --agent-cmd "COMMAND".' },
      { ok: false, message: "--agent names no agent." },
    ]);
  });

  test("looks at PATH without running anything", () => {
    const folder = directory();
    const bin = join(folder, "bin");
    mkdirSync(join(bin, "claude"), { recursive: true });
    writeFileSync(join(bin, "codex"), "#!/bin/sh\ntouch ran\n");
    expect(installedAgents(`:relative:${bin}`, false)).toEqual({ codex: false, claude: false, ralph: false });
    chmodSync(join(bin, "codex"), 0o755);
    expect(findProgram("codex", relative(process.cwd(), bin))).toBeUndefined();
    symlinkSync(join(bin, "codex"), join(folder, "claude"));
    expect(installedAgents(`${folder}:${bin}`, true)).toEqual({ codex: true, claude: true, ralph: true });
    expect(findProgram("codex", `${folder}:${bin}`)).toBe(join(bin, "codex"));
    expect(findProgram("codex", undefined)).toBeUndefined();
  });
});
