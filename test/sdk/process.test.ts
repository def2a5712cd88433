import { afterEach, beforeEach, expect, test } from "bun:test";
import { resolve } from "node:path";
import { FIRST_PIECE } from "../support/breaking-answer.ts";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { KEY, NO_SERVERS } from "../support/front-door.ts";
import { type ProgramExit, runProgram } from "../support/run-program.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";

// What having Ralph as a library means for the process of the program.

const SDK = resolve(import.meta.dir, "../../src/sdk.ts");

let workspace: TempWorkspace;
let provider: FakeProvider;

beforeEach(async () => {
  workspace = tempWorkspace();
  provider = await startFakeProvider();
});
afterEach(() => {
  provider.stop();
  workspace.stop();
});

function run(program: string): Promise<ProgramExit> {
  const path = workspace.write("program.ts", `import * as ralph from ${JSON.stringify(SDK)};\n${program}`);
  const environment = { ...NO_SERVERS, ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: provider.origin };
  return runProgram({ workspace, path, environment });
}

/** Descriptors that lead to files of Ralph or to sockets, and children. */
const LEFT_OVER = `
  const { readdirSync, readlinkSync, readFileSync } = await import("node:fs");
  const leftOver = () => ({
    files: readdirSync("/proc/self/fd").flatMap((name) => {
      try { return [readlinkSync("/proc/self/fd/" + name)]; } catch { return []; }
    }).filter((place) => place.includes("ralph-home")),
    children: readFileSync("/proc/self/task/" + process.pid + "/children", "utf8"),
  });
`;

test.skipIf(process.platform !== "linux")(
  "a disposed session leaves no file open, no child and nothing the process waits for; nothing is printed",
  async () => {
    provider.answer(
      toolCallAnswer({ name: "shell", input: { command: "sleep 600", background: true } }),
      textAnswer("Started", { fault: { type: "hold", afterEvents: FIRST_PIECE, until: new Promise(() => {}) } }),
    );
    workspace.write("ralph-home/config/config.yml", "modle: x\nsandbox: off\n");
    const exit = await run(`
      ${LEFT_OVER}
      const { session } = await ralph.createAgentSession({ onAsk: () => true });
      const begun = new Promise((done) => session.subscribe((event) => {
        if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") done(undefined);
      }));
      const work = session.prompt("go");
      await begun;
      const during = leftOver();
      await session.dispose();
      const after = leftOver();
      console.log(JSON.stringify([during.files.length > 0, during.children !== "", after, (await work).outcome.type]));
    `);
    expect(exit).toEqual({
      code: 0,
      stdout: `${JSON.stringify([true, true, { files: [], children: "" }, "interrupted"])}\n`,
      stderr: "",
    });
  },
);

test("a program that never disposes is not kept alive by a session that has nothing to do", async () => {
  const exit = await run(`
    const { session } = await ralph.createAgentSession();
    await session.prompt("hello");
    console.log("end");
  `);
  expect(exit).toEqual({ code: 0, stdout: "end\n", stderr: "" });
});

test("a fault in a function of the program is a fault of the program, and the agent goes on", async () => {
  provider.answer(
    toolCallAnswer({ name: "write_file", input: { path: "made.txt", content: "x" } }),
    textAnswer("Refused."),
  );
  const exit = await run(`
    const faults = [];
    process.on("uncaughtException", (error) => void faults.push(error.message));
    const { session, eventBus } = await ralph.createAgentSession({
      onAsk() { throw new Error("no answer"); },
    });
    session.subscribe((event) => { if (event.type === "agent_start") throw new Error("no listener"); });
    eventBus.on("agent_start", () => { throw new Error("no bus"); });
    const { outcome, text } = await session.prompt("go");
    await session.dispose();
    console.log(JSON.stringify({ faults, outcome, text }));
  `);
  const told = { faults: ["no listener", "no bus", "no answer"], outcome: { type: "done" }, text: "Refused." };
  expect(exit).toEqual({ code: 0, stdout: `${JSON.stringify(told)}\n`, stderr: "" });
  expect(workspace.find("project/*")).toEqual([]);
});

test("an answer the ask does not offer is no yes, and the program hears why", async () => {
  provider.answer(
    toolCallAnswer({ name: "shell", input: { command: "touch made; $(cat x)" } }),
    textAnswer("Refused."),
  );
  const exit = await run(`
    const faults = [];
    process.on("uncaughtException", (error) => void faults.push(error.message));
    const { session } = await ralph.createAgentSession({ onAsk: () => "maybe" });
    await session.prompt("go");
    await session.dispose();
    console.log(JSON.stringify(faults));
  `);
  expect([exit.code, exit.stderr]).toEqual([0, ""]);
  expect(exit.stdout).toContain("onAsk: This can only be answered with yes");
  expect(workspace.find("project/*")).toEqual([]);
});

test("importing the library loads nothing that is only needed later", async () => {
  const exit = await run(`
    const loaded = Object.keys(require.cache).filter((path) => /zod|unbash|models\\/catalogue|xterm/.test(path));
    console.log(JSON.stringify(loaded), typeof ralph.createAgentSession);
  `);
  expect(exit).toEqual({ code: 0, stdout: "[] function\n", stderr: "" });
});

test("from Node the package says what to use instead", async () => {
  const root = resolve(import.meta.dir, "../..");
  const child = Bun.spawn(["node", "-e", 'import("ralph").catch(({ message }) => console.log(message))'], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  expect(await child.stdout.text()).toBe(
    'Ralph as a library runs on Bun. From Node, drive it over RPC with the client in "ralph/client".\n',
  );
});
