import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "../../src/protocol/agent-events.ts";
import { contextOf } from "../../src/sessions/context.ts";
import { readSession } from "../../src/sessions/read-session.ts";
import { ralphPaths } from "../../src/system/paths.ts";
import { ralphCommand } from "../support/run-ralph.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";

const SCRIPT = `version: 1
turns:
  - steps:
      - text: "I look at the code."
      - tool: { name: read_file, input: { path: add.ts } }
  - steps:
      - tool: { name: edit_file, input: { path: add.ts, old_string: "a - b", new_string: "a + b" } }
  - steps:
      - tool: { name: shell, input: { command: "echo run >> runs.log; bun test add.test.ts 2>&1 | tail -4" } }
  - steps:
      - text: "The test passes."
  - steps:
      - text: "Nothing is left to do."
`;

let workspace: TempWorkspace;
afterEach(() => workspace.stop());

describe("a coder", () => {
  test("reads, edits, runs the test and finishes, and its session tells all of it", async () => {
    workspace = scratch();
    const events = await work("make the test pass");
    expect(events.filter((event) => event.type === "tool-end").map((event) => event.result.isError)).toEqual([
      false,
      false,
      false,
    ]);
    expect(events.at(-1)).toMatchObject({ type: "agent-end", outcome: { type: "done" }, totals: { turns: 4 } });
    expect(workspace.read("project/add.ts")).toContain("a + b");
    const { messages, problems } = await session();
    expect(messages).toEqual([
      "user",
      "assistant",
      "tool-result",
      "assistant",
      "tool-result",
      "assistant",
      "tool-result",
      "assistant",
    ]);
    expect(problems).toEqual([]);
    expect(JSON.stringify(events)).toContain("1 pass");
  });

  test("killed at any moment goes on where it was: nothing acknowledged is lost and no call is run twice", async () => {
    for (let point = 1; point <= 12; point++) {
      workspace = scratch();
      const acknowledged = await workUntilKilled(point);
      const before = await session();
      // Every message whose end was told is in the file.
      expect(before.messages.length).toBeGreaterThanOrEqual(acknowledged);
      await work("go on");
      const after = await session();
      expect(after.problems).toEqual([]);
      expect(after.messages.slice(0, before.settled)).toEqual(before.messages.slice(0, before.settled));
      expect(after.messages.at(-1)).toBe("assistant");
      const runs =
        (existsSync(join(workspace.project, "runs.log")) ? workspace.read("project/runs.log") : "").split("\n").length -
        1;
      expect(runs).toBeLessThanOrEqual(1);
      workspace.stop();
    }
    workspace = scratch();
  }, 60_000);
});

function scratch(): TempWorkspace {
  const made = tempWorkspace();
  made.write("project/add.ts", "export function add(a: number, b: number): number {\n  return a - b;\n}\n");
  made.write(
    "project/add.test.ts",
    'import { expect, test } from "bun:test";\nimport { add } from "./add.ts";\ntest("adds", () => expect(add(1, 2)).toBe(3));\n',
  );
  made.write("script.yml", SCRIPT);
  return made;
}

/** The first run begins a session, the next one goes on with it. */
function command(prompt: string): string[] {
  const flags = sessionFiles().length === 0 ? [] : ["-c"];
  const model = `scripted/${join(workspace.root, "script.yml")}`;
  return [...ralphCommand(), "-p", prompt, "--yolo", "--sandbox", "off", "--mode", "json", "--model", model, ...flags];
}

function environment(): Record<string, string | undefined> {
  const bun = join(process.execPath, "..");
  return { ...workspace.environment, PATH: `${bun}:${workspace.environment.PATH ?? ""}` };
}

async function work(prompt: string): Promise<AgentEvent[]> {
  const { stdout, stderr, exitCode } = Bun.spawnSync(command(prompt), { env: environment(), cwd: workspace.project });
  if (exitCode !== 0) throw new Error(stderr.toString());
  return stdout
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter((event) => event.type !== "result");
}

/** Kills it with SIGKILL right after its n-th finished event; returns how many messages had been told by then. */
async function workUntilKilled(point: number): Promise<number> {
  const child = Bun.spawn(command("make the test pass"), {
    env: environment(),
    cwd: workspace.project,
    stdout: "pipe",
    stderr: "ignore",
  });
  const decoder = new TextDecoder();
  let text = "";
  let told = 0;
  for await (const bytes of child.stdout) {
    text += decoder.decode(bytes, { stream: true });
    const events = text
      .split("\n")
      .slice(0, -1)
      .map((line): AgentEvent => JSON.parse(line));
    told = events.filter(({ type }) => type === "message-end" || type === "tool-end").length;
    if (events.filter(({ type }) => type !== "message-update").length >= point) break;
  }
  child.kill("SIGKILL");
  await child.exited;
  return told;
}

function paths() {
  const environment = { RALPH_HOME: workspace.home };
  return ralphPaths({ home: workspace.home, environment, platform: process.platform });
}

function sessionFiles(): string[] {
  const { sessions } = paths();
  return existsSync(sessions) ? [...new Bun.Glob("**/*.jsonl").scanSync({ cwd: sessions, absolute: true })] : [];
}

async function session() {
  const [path = ""] = sessionFiles();
  const read = await readSession(path, paths().blobs);
  if (!read.ok) throw new Error(`${read.message}: ${readFileSync(path, "utf8")}`);
  const { messages, interrupted } = contextOf(read.entries);
  return {
    messages: messages.map(({ role }) => role),
    problems: read.problems,
    settled: messages.length - interrupted.length,
  };
}
