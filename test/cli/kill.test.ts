import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { asObject } from "../../src/protocol/json.ts";
import { contextOf } from "../../src/sessions/context.ts";
import { openSession } from "../../src/sessions/journal.ts";
import { ralphPaths } from "../../src/system/paths.ts";
import { providerFaults } from "../support/provider-validity.ts";
import { runRalph, startRalph } from "../support/run-ralph.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";

// SIGKILL at random points of a session with tools, as `ralph -p` runs it.

const KILLS = 300;
/** Every so many kills the session goes on to its end. */
const GOES_ON_EVERY = 15;
const RESUME_MS = 1000;
/** The calls of the script, each of which leaves its mark once where it runs. */
const MARKS = ["one", "two", "three", "four"];

const SCRIPT = `version: 1
turns:
  - steps:
      - text: ["I ", "look ", "at ", "it."]
      - tool: { name: shell, input: { command: "echo one >> marks" } }
      - tool: { name: read_file, input: { path: notes.md } }
  - steps:
      - tool: { name: write_file, input: { path: made.md, content: "made\\n" } }
      - tool: { name: shell, input: { command: "echo two >> marks" } }
  - steps:
      - tool: { name: edit_file, input: { path: notes.md, old_string: "old", new_string: "new" } }
      - tool: { name: shell, input: { command: "echo three >> marks; head -c 60000 /dev/zero | tr '\\\\0' x" } }
  - steps:
      - tool: { name: shell, input: { command: "echo four >> marks" } }
  - steps:
      - text: "All is done."
  - repeat: 20
    steps:
      - text: "Nothing is left to do."
`;

const workspaces: TempWorkspace[] = [];
afterAll(() => {
  for (const workspace of workspaces) workspace.stop();
});

test(`killed at ${KILLS} random points, no acknowledged word is lost, every session opens within a second, no call runs twice`, async () => {
  const lines = await linesOfWholeRun();
  const points = Array.from({ length: KILLS }, (_, index) => Math.floor((lines * index) / KILLS));
  const seen = { begun: 0, ended: 0, wentOn: 0 };
  const next = async (): Promise<void> => {
    for (let point = points.pop(); point !== undefined; point = points.pop()) {
      await killAndCheck(point, { goesOn: points.length % GOES_ON_EVERY === 0, seen });
    }
  };
  await Promise.all([next(), next()]);
  // The points lie where something happens: most runs had begun, and few were over before they were killed.
  expect(seen.begun).toBeGreaterThan(KILLS / 2);
  expect(seen.ended).toBeLessThan(KILLS / 4);
  expect(seen.wentOn).toBeGreaterThan(0);
}, 240_000);

function scratch(): TempWorkspace {
  const workspace = tempWorkspace();
  workspaces.push(workspace);
  workspace.write("project/notes.md", "old\n");
  workspace.write("script.yml", SCRIPT);
  return workspace;
}

function argumentsFor(workspace: TempWorkspace, prompt: string): string[] {
  // What a sandbox leaves behind is tried in sandbox.test.ts; without one there is time for more kills.
  return [
    "-p",
    prompt,
    "--yolo",
    "--sandbox",
    "off",
    "--mode",
    "json",
    "--model",
    `scripted/${join(workspace.root, "script.yml")}`,
  ];
}

async function linesOfWholeRun(): Promise<number> {
  const workspace = scratch();
  const { code, stdout } = await runRalph(argumentsFor(workspace, "begin"), { workspace });
  expect(code).toBe(0);
  return stdout.split("\n").length;
}

interface Kill {
  goesOn: boolean;
  seen: { begun: number; ended: number; wentOn: number };
}

/** The kill comes up to two milliseconds after so many lines were printed, so that it falls between them as well. */
async function killAndCheck(lines: number, { goesOn, seen }: Kill): Promise<void> {
  const workspace = scratch();
  const ralph = startRalph(argumentsFor(workspace, "begin"), { workspace });
  ralph.closeInput();
  const isThere = ralph.waitForOutput(new RegExp(`^(?:[^\\n]*\\n){${lines}}`)).catch(() => undefined);
  await Promise.race([isThere, ralph.exited]);
  await Bun.sleep(Math.random() * 2);
  ralph.kill("SIGKILL");
  const { stdout, signal } = await ralph.exited;
  const told = acknowledged(stdout);
  if (told.length > 0) seen.begun++;
  if (signal === null) seen.ended++;
  const [file] = workspace.find("ralph-home/data/sessions/**/*.jsonl");
  if (file === undefined) expect(told).toEqual([]);
  else await checkSession(workspace, { file, told });
  if (goesOn && file !== undefined && told.length > 0) {
    seen.wentOn++;
    await goOn(workspace);
  }
  workspace.stop();
}

/** The messages whose end was told, as texts. A line that was cut is none. */
function acknowledged(stdout: string): string[] {
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => asObject(JSON.parse(line)) ?? {})
    .flatMap((event) => {
      if (event.type === "message-end") return [JSON.stringify(event.message)];
      return event.type === "tool-end" ? [JSON.stringify(event.result)] : [];
    });
}

async function checkSession(workspace: TempWorkspace, { file, told }: { file: string; told: string[] }): Promise<void> {
  const environment = { RALPH_HOME: workspace.home };
  const places = ralphPaths({ home: workspace.root, environment, platform: process.platform });
  const started = performance.now();
  const opened = await openSession(join(workspace.root, file), { places });
  const tookMs = performance.now() - started;
  // A kill between making the file and writing its first line leaves nothing that was told.
  if (!opened.ok) return expect([told, opened.reason]).toEqual([[], "not-a-session"]);
  const { session } = opened;
  const { messages } = contextOf(session.entries, session.leafId);
  await session.close();
  const stored = new Set(messages.map((message) => JSON.stringify(message)));
  expect(told.filter((message) => !stored.has(message))).toEqual([]);
  expect(providerFaults(messages)).toEqual([]);
  // Where the kill came before the first line, nothing was told yet.
  const isExplained = (problem: string) => problem.endsWith("was cut short and left out.") || told.length === 0;
  expect(session.problems.filter((problem) => !isExplained(problem))).toEqual([]);
  expect(tookMs).toBeLessThan(RESUME_MS);
}

async function goOn(workspace: TempWorkspace): Promise<void> {
  const { code, stderr } = await runRalph(["-c", ...argumentsFor(workspace, "go on")], { workspace });
  expect([code, stderr.replace(/^ralph: (Ralph was stopped|Line \d+ was cut).*\n/gm, "")]).toEqual([0, ""]);
  const marks = existsSync(join(workspace.project, "marks")) ? workspace.read("project/marks").trim().split("\n") : [];
  expect(marks.filter((mark, index) => marks.indexOf(mark) !== index)).toEqual([]);
  expect(marks.every((mark) => MARKS.includes(mark))).toBe(true);
  for (const name of ["made.md", "notes.md"]) {
    const path = `project/${name}`;
    if (existsSync(join(workspace.root, path))) expect(workspace.read(path)).toMatch(/^(made|old|new)\n$/);
  }
}
