import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { asObject } from "../../src/protocol/json.ts";
import { contextOf } from "../../src/sessions/context.ts";
import { BEHIND_MS } from "../../src/sessions/drafts/answer-draft.ts";
import { openSession } from "../../src/sessions/journal.ts";
import { ralphPaths } from "../../src/system/paths.ts";
import { findProcess } from "../../src/system/process-table.ts";
import { startConversation } from "../support/conversation-terminal.ts";
import { providerFaults } from "../support/provider-validity.ts";
import { startRpcHost } from "../support/rpc-host.ts";
import { type RalphExit, runRalph, startRalph } from "../support/run-ralph.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";

// What is left of an answer when Ralph is killed while it comes, and how every face tells it.

setDefaultTimeout(60_000);

const WORDS = 60;
const WORD_MS = 10;
const word = (place: number) => `word${place} `;
const ALL_WORDS = Array.from({ length: WORDS }, (_, place) => word(place)).join("");

const FOREVER = "{ wait: 3000000 }";
const SLOW_WORDS = Array.from({ length: WORDS }, (_, place) => `{ text: "${word(place)}" }, { wait: ${WORD_MS} }`);
const THINKS = `{ thinking: "I think." }`;
const WRITES = `{ tool: { name: write_file, input: { path: never.txt, content: x } } }`;

const BROKE_OFF =
  'The last answer broke off; what had arrived of it is kept. Say "go on" to have the rest, or say what to do instead.';
const UNANSWERED = 'The last prompt has no answer yet. Say "go on" to have one, or say what to do instead.';

/** The answer to "begin"; everything else gets the rest. */
function answering(...steps: string[]): TempWorkspace {
  const workspace = tempWorkspace();
  const begin = `  - { when: begin, steps: [${steps.join(", ")}] }\n`;
  const rest = `  - { repeat: 20, steps: [{ text: "The rest." }] }\n`;
  workspace.write("script.yml", `version: 1\nturns:\n${begin}${rest}`);
  return workspace;
}

function modelOf(workspace: TempWorkspace): string[] {
  return ["--model", `scripted/${join(workspace.root, "script.yml")}`, "--sandbox", "off"];
}

function goOn(workspace: TempWorkspace, ...flags: string[]): Promise<RalphExit> {
  return runRalph(["-p", "-c", "go on", ...flags, ...modelOf(workspace)], { workspace });
}

function filesOf(workspace: TempWorkspace): { session: string; draft: string } {
  const [file = "none.jsonl"] = workspace.find("ralph-home/data/sessions/**/*.jsonl");
  const session = join(workspace.root, file);
  return { session, draft: `${session}.draft` };
}

async function opened({ root, home }: TempWorkspace, path: string) {
  const places = ralphPaths({ home: root, environment: { RALPH_HOME: home }, platform: process.platform });
  const result = await openSession(path, { places });
  if (!result.ok) throw new Error(result.message);
  const { session } = result;
  const context = contextOf(session.entries, session.leafId);
  await session.close();
  return context.messages;
}

/** The texts a draft file holds, as far as its lines are whole. */
async function draftedText(path: string): Promise<string> {
  const lines = (await Bun.file(path).text()).split("\n").slice(0, -1);
  const pieces = lines.map((line) => asObject(JSON.parse(line)) ?? {});
  return pieces.map(({ type, text }) => (type === "text" ? String(text) : "")).join("");
}

/** A run that was killed when the draft held this text. */
async function killedWith(workspace: TempWorkspace, text: string): Promise<void> {
  await using ralph = startRalph(["-p", "begin", ...modelOf(workspace)], { workspace });
  ralph.closeInput();
  const isThere = async () => {
    const { draft } = filesOf(workspace);
    return existsSync(draft) && (await draftedText(draft)).includes(text);
  };
  while (!(await isThere())) await Bun.sleep(5);
  ralph.kill("SIGKILL");
  await ralph.exited;
}

/** A run that was killed when it had stored its prompt, and no word had come. */
async function killedUnanswered(workspace: TempWorkspace): Promise<void> {
  await using ralph = startRalph(["-p", "begin", "--mode", "json", ...modelOf(workspace)], { workspace });
  ralph.closeInput();
  await ralph.waitForOutput('{"type":"message-start","role":"assistant"}');
  ralph.kill("SIGKILL");
  await ralph.exited;
}

test("killed at random moments of an answer, what was shown is kept but for the last moment, once", async () => {
  const kills = 12;
  const kept: boolean[] = [];
  const points = Array.from({ length: kills }, (_, at) => Math.floor((WORDS * at) / kills));
  const next = async (): Promise<void> => {
    for (let point = points.pop(); point !== undefined; point = points.pop()) kept.push(await killAt(point));
  };
  await Promise.all([next(), next()]);
  // The points lie in the answer: most were late enough for a first piece.
  expect(kept.filter(Boolean).length).toBeGreaterThan(kills / 2);
});

/** Whether something was kept. */
async function killAt(place: number): Promise<boolean> {
  await using workspace = answering(...SLOW_WORDS, FOREVER);
  await using ralph = startRalph(["-p", "begin", ...modelOf(workspace)], { workspace });
  ralph.closeInput();
  await ralph.waitForOutput(word(place));
  await Bun.sleep(Math.random() * WORD_MS);
  ralph.kill("SIGKILL");
  const { stdout } = await ralph.exited;
  const { session, draft } = filesOf(workspace);
  const drafted = existsSync(draft) ? await draftedText(draft) : "";
  const messages = await opened(workspace, session);
  const texts = messages.map(({ role, content }) => [role, ...content.map((part) => "text" in part && part.text)]);
  const answer = drafted === "" ? [] : [["assistant", drafted]];
  expect(texts).toEqual([["user", "begin"], ...answer]);
  expect(ALL_WORDS.startsWith(drafted)).toBe(true);
  const missing = stdout.slice(drafted.length).split(" ").length;
  expect(missing).toBeLessThan(BEHIND_MS / WORD_MS + 5);
  expect(providerFaults(messages)).toEqual([]);
  expect(existsSync(draft)).toBe(false);
  expect(await opened(workspace, session)).toEqual(messages);
  return answer.length > 0;
}

describe("print mode", () => {
  test("tells on standard error that the last answer broke off, and the model gets what had arrived", async () => {
    await using workspace = answering(`{ text: "Half of it" }`, FOREVER);
    await killedWith(workspace, "Half of it");
    const { code, stdout, stderr } = await goOn(workspace);
    expect([code, stdout, stderr]).toEqual([0, "The rest.\n", `ralph: ${BROKE_OFF}\n`]);
    const messages = await opened(workspace, filesOf(workspace).session);
    expect(messages.map(({ role, content: [part] }) => [role, part && "text" in part && part.text])).toEqual([
      ["user", "begin"],
      ["assistant", "Half of it"],
      ["user", "go on"],
      ["assistant", "The rest."],
    ]);
    expect((await goOn(workspace)).stderr).toBe("");
  });

  test("tells of a prompt nobody answered", async () => {
    await using workspace = answering(FOREVER);
    await killedUnanswered(workspace);
    const { code, stderr } = await goOn(workspace);
    expect([code, stderr]).toEqual([0, `ralph: ${UNANSWERED}\n`]);
  });

  test("names the call that was being written, which never runs", async () => {
    await using workspace = answering(THINKS, `{ text: "I write." }`, WRITES, FOREVER);
    await killedWith(workspace, "I write.");
    const { stderr } = await goOn(workspace, "--yolo");
    const begun = " It had begun to write a call of write_file, which was not run.";
    expect(stderr).toBe(`ralph: ${BROKE_OFF.replace("kept.", `kept.${begun}`)}\n`);
    expect(existsSync(join(workspace.project, "never.txt"))).toBe(false);
    const [, answer] = await opened(workspace, filesOf(workspace).session);
    expect(answer).toMatchObject({
      content: [
        { type: "thinking", text: "I think." },
        { type: "text", text: "I write." },
      ],
      stopReason: "cut",
    });
  });

  test("tells programs with an event, before the work begins", async () => {
    await using workspace = answering(`{ text: "Half of it" }`, FOREVER);
    await killedWith(workspace, "Half of it");
    const { stdout, stderr } = await goOn(workspace, "--mode", "json");
    const [first, second] = stdout.split("\n").map((line) => asObject(line === "" ? {} : JSON.parse(line)));
    expect([first, second?.type, stderr]).toEqual([
      { type: "notice", level: "warning", text: BROKE_OFF },
      "agent-start",
      "",
    ]);
  });

  test("leaves nothing behind where nothing is kept, and where the answer came to its end", async () => {
    await using workspace = answering(...SLOW_WORDS);
    const kept = await runRalph(["-p", "begin", ...modelOf(workspace)], { workspace });
    const unkept = await runRalph(["-p", "begin", "--no-session", ...modelOf(workspace)], { workspace });
    expect([kept.stdout, unkept.stdout]).toEqual([`${ALL_WORDS}\n`, `${ALL_WORDS}\n`]);
    expect(workspace.find("ralph-home/data/sessions/**/*").map((path) => path.replace(/^.*_\w+/, ""))).toEqual([
      ".jsonl",
    ]);
  });
});

describe("a copy of a session", () => {
  test("of a killed Ralph has the broken answer, too, and the original keeps its own", async () => {
    await using workspace = answering(`{ text: "Half of it" }`, FOREVER);
    await killedWith(workspace, "Half of it");
    const before = filesOf(workspace);
    const { stderr } = await goOn(workspace, "--fork");
    expect(stderr).toBe(`ralph: ${BROKE_OFF}\n`);
    const answers = async (path: string) =>
      (await opened(workspace, path)).flatMap(({ role, content }) => (role === "assistant" ? content : []));
    const [first = "", second = ""] = workspace.find("ralph-home/data/sessions/**/*.jsonl");
    expect(before.session.endsWith(first)).toBe(true);
    expect(await answers(join(workspace.root, first))).toEqual([{ type: "text", text: "Half of it" }]);
    expect(await answers(join(workspace.root, second))).toEqual([
      { type: "text", text: "Half of it" },
      { type: "text", text: "The rest." },
    ]);
  });
});

describe("ralph sessions", () => {
  test("show has the unfinished answer before anybody opened the session, and marks it afterwards", async () => {
    await using workspace = answering(`{ text: "Half of it" }`, FOREVER);
    await killedWith(workspace, "Half of it");
    const id = /_(\w+)\.jsonl$/.exec(filesOf(workspace).session)?.[1] ?? "";
    const before = await runRalph(["sessions", "show", id], { workspace });
    expect(before.stdout).toMatch(
      /── user, [^\n]*\nbegin\n\n── assistant, scripted\/[^\n]*, not finished\nHalf of it\n$/,
    );
    const forms = [
      ["export", id, "--md"],
      ["export", id, "--html"],
      ["export", id, "--jsonl"],
      ["show", id, "--json"],
    ];
    for (const form of forms) {
      const { stdout } = await runRalph(["sessions", ...form], { workspace });
      expect([form, stdout.match(/Half of it/g)?.length]).toEqual([form, 1]);
    }
    await goOn(workspace);
    const after = await runRalph(["sessions", "show", id], { workspace });
    expect(after.stdout).toMatch(/── assistant, [^\n]*, broke off\nHalf of it\n\n── user, [^\n]*\ngo on\n/);
    expect(after.stdout.endsWith("The rest.\n")).toBe(true);
  });

  test("show says where a prompt has no answer", async () => {
    await using workspace = answering(FOREVER);
    await killedUnanswered(workspace);
    const id = /_(\w+)\.jsonl$/.exec(filesOf(workspace).session)?.[1] ?? "";
    const { stdout } = await runRalph(["sessions", "show", id], { workspace });
    expect(stdout).toMatch(/\nbegin\n\n── no answer yet\n$/);
  });

  test("rm takes the draft along", async () => {
    await using workspace = answering(`{ text: "Half of it" }`, FOREVER);
    await killedWith(workspace, "Half of it");
    const id = /_(\w+)\.jsonl$/.exec(filesOf(workspace).session)?.[1] ?? "";
    await runRalph(["sessions", "rm", id, "--yes"], { workspace });
    expect(workspace.find("ralph-home/data/sessions/**/*")).toEqual([]);
  });
});

describe("a terminal", () => {
  test("shows the broken answer with -c and with /resume, and says behind it what to do", async () => {
    await using workspace = answering(`{ text: "Half of it" }`, FOREVER);
    await killedWith(workspace, "Half of it");
    const id = /_(\w+)\.jsonl$/.exec(filesOf(workspace).session)?.[1] ?? "";
    const behind = /› begin\n\nHalf of it\n\n! The last answer broke off; what had arrived of it is kept\./;
    await using first = startConversation(["-c", ...modelOf(workspace)], { workspace, columns: 100 });
    await first.see(behind);
    first.kill("SIGKILL");
    await first.exited;
    await using second = startConversation(modelOf(workspace), { workspace, columns: 100 });
    await second.seeOnScreen("scripted/");
    second.type(`/resume ${id}\r`);
    await second.see(behind);
  });
});

describe("a program that drives Ralph", () => {
  test("is told with a notice, finds it in the state until the next prompt, and the answer as stopped", async () => {
    await using workspace = answering(`{ text: "Half of it" }`, FOREVER);
    await killedWith(workspace, "Half of it");
    await using host = startRpcHost(["-c", ...modelOf(workspace)], { workspace });
    await host.waitForEvent("notice");
    expect(host.events()).toEqual([{ type: "notice", level: "warning", message: BROKE_OFF }]);
    const brokenOff = async () => asObject((await host.request({ type: "get_state" })).data)?.brokenOff;
    expect(await brokenOff()).toEqual({ what: "answer", text: BROKE_OFF });
    const { data } = await host.request({ type: "get_messages" });
    expect(data).toMatchObject({ messages: [{ role: "user" }, { role: "assistant", stopReason: "aborted" }] });
    await host.prompt("go on");
    expect(await brokenOff()).toBeUndefined();
  });

  test("and is killed: the command it ran for the person is ended when the session is opened again", async () => {
    await using workspace = answering(`{ text: "Begun." }`);
    await using host = startRpcHost(modelOf(workspace), { workspace });
    await host.prompt("begin");
    host.send({ id: "1", type: "bash", command: "echo $$ > pid; sleep 300" });
    const pidFile = join(workspace.project, "pid");
    while (!(existsSync(pidFile) && (await Bun.file(pidFile).text()) !== "")) await Bun.sleep(5);
    host.ralph.kill("SIGKILL");
    await host.ralph.exited;
    const pid = Number(await Bun.file(pidFile).text());
    expect(findProcess(pid)).toBeDefined();
    const { stderr } = await goOn(workspace);
    expect(stderr).toMatch(/^ralph: What Ralph had left running was ended \(process \d+(, \d+)*\)\.\n$/);
    expect(findProcess(pid)).toBeUndefined();
  });
});
