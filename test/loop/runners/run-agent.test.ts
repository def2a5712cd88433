import { afterAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentRun, type RunAgentOptions, runAgent } from "../../../src/loop/runners/run-agent.ts";
import type { Invocation } from "../../../src/loop/runners/runner.ts";
import type { AgentLine } from "../../../src/loop/transcripts/adapter.ts";
import { findProcess } from "../../../src/system/process-table.ts";
import { type AgentProgram, agentProgram } from "../../support/agent-programs.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();
const mark = randomBytes(8).toString("hex");

interface Trial extends Partial<Omit<RunAgentOptions, "invocation">> {
  agent?: AgentProgram;
  script?: string;
  invocation?: Partial<Invocation>;
  variables?: Record<string, string>;
  /** Called with every line as it comes. */
  onLine?: (text: string) => void;
}

/** Runs an agent in a folder of its own and gives back everything there is to know. */
async function trial({ agent, script, invocation, variables, onLine, ...options }: Trial) {
  const folder = options.root ?? directory();
  const logFile = join(directory(), "agent.log");
  const lines: AgentLine[] = [];
  const run = await runAgent({
    invocation: {
      argv: agent === undefined ? ["sh", "-c", script ?? ""] : [agentProgram(agent)],
      environment: {},
      stdin: "",
      transcript: "plain",
      ...invocation,
    },
    root: folder,
    environment: { PATH: process.env.PATH, HOME: folder, TEST_MARK: mark, ...variables },
    logFile,
    onLines: (batch) => {
      lines.push(...batch);
      for (const { text } of batch) onLine?.(text);
    },
    ...options,
  });
  return { run, folder, logFile, lines, texts: lines.map(({ text }) => text) };
}

/** The run without what differs from time to time. */
function facts({ pid: _, durationMs: __, ...rest }: AgentRun) {
  return rest;
}

const clean = { stderrTail: "", leftover: false, survivors: [] };

/** Processes this file's agents left, found without the code under test. */
function marked(): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, "latin1").includes(mark);
    } catch {
      return false;
    }
  });
}

afterAll(() => expect(marked()).toEqual([]));

describe("an agent that ends by itself", () => {
  test("has read its prompt, done its work and said its lines", async () => {
    const plan = directory();
    mkdirSync(join(plan, "US-1"));
    writeFileSync(join(plan, "US-1/done.txt"), "yes\n");
    const { run, folder, texts } = await trial({
      agent: "finishes",
      variables: { AGENT_PLAN: plan, RALPH_STORY: "US-1" },
    });
    expect(facts(run)).toEqual({ ...clean, ending: { type: "finished" } });
    expect(texts).toEqual(["The work is done.", "<promise>COMPLETE</promise>"]);
    expect(readFileSync(join(folder, "done.txt"), "utf8")).toBe("yes\n");
  });

  test("gets the prompt on stdin and in a file only its owner reads, and stdin ends there", async () => {
    const promptFile = join(directory(), "prompt.md");
    const stdin = `€ first\nlast without end ${"x".repeat(300_000)}`;
    const { texts } = await trial({
      script: 'cat; echo; cmp - "$RALPH_PROMPT_FILE" </dev/null; wc -c <"$RALPH_PROMPT_FILE"',
      invocation: { stdin, promptFile, environment: { RALPH_PROMPT_FILE: promptFile } },
    });
    expect(texts.filter((text) => !text.startsWith("cmp:"))).toEqual([
      ...stdin.split("\n"),
      String(Buffer.byteLength(stdin)),
    ]);
    expect(statSync(promptFile).mode & 0o777).toBe(0o600);
  });

  test("may leave its prompt unread", async () => {
    const { run } = await trial({ agent: "does-nothing", invocation: { stdin: "x".repeat(2_000_000) } });
    expect(facts(run)).toEqual({ ...clean, ending: { type: "finished" } });
  });

  test("fails with its code and the end of its standard error", async () => {
    const { run, lines } = await trial({ agent: "fails", variables: { AGENT_EXIT: "3" } });
    expect(facts(run)).toEqual({
      ...clean,
      ending: { type: "failed", message: "It ended with code 3.", exit: 3 },
      stderrTail: "the model could not be reached",
    });
    const said = lines.map(({ text, stream }) => `${stream}: ${text}`).sort();
    expect(said).toEqual(["stderr: the model could not be reached", "stdout: I begin."]);
  });

  test("keeps only the end of a long standard error", async () => {
    const { run } = await trial({ script: "seq 1 100000 >&2; exit 1" });
    expect(run.stderrTail).toEndWith("\n99999\n100000");
    expect(run.stderrTail.length).toBeLessThanOrEqual(8192);
  });

  test("is told apart from one that a signal ended", async () => {
    const { run } = await trial({ script: "kill -SEGV $$" });
    expect(run.ending).toEqual({ type: "failed", message: "It was ended by SIGSEGV." });
  });

  test("may print anything at all, and the log holds it byte for byte", async () => {
    const { run, texts, logFile } = await trial({ agent: "prints-garbage" });
    expect(run.ending).toEqual({ type: "finished" });
    expect(texts).toEqual([
      "good line",
      "\ufffd\ufffd\ufffd not text \0 and a NUL",
      '{"type":"item.completed","item":{"id":',
      '@@RALPH@@ {"type":',
      '@@RALPH@@ {"type":"unheard-of"}',
      "\x1b[31mred\x1b[0m \x1b]0;title\x07 bell",
      "progress 10%",
      "progress 20%",
      "progress 30%",
      "half a character: \ufffd",
    ]);
    const bytes = readFileSync(logFile);
    expect(bytes.subarray(10, 13)).toEqual(Buffer.from([0xff, 0xfe, 0x80]));
    expect(bytes.subarray(-2)).toEqual(Buffer.from([0xe2, 0x82]));
  });

  test("that left a daemon holding its streams is over, and the daemon too", async () => {
    const pids = join(directory(), "pids");
    const { run, texts } = await trial({ agent: "forks-daemon", graceMs: 50, variables: { AGENT_PIDS: pids } });
    expect(facts(run)).toEqual({ ...clean, ending: { type: "finished" }, leftover: true });
    expect(texts.sort()).toEqual(["I am done.", "daemon ready"]);
    expect(isRunning(Number(readFileSync(pids, "utf8")))).toBe(false);
  });

  test("may open its streams by name", async () => {
    expect((await trial({ script: "echo one > /dev/stdout; echo two > /dev/stderr" })).texts.sort()).toEqual([
      "one",
      "two",
    ]);
  });
});

test("an agent that cannot be started says why", async () => {
  const missing = await trial({ invocation: { argv: ["no-such-agent-here"] } });
  expect(facts(missing.run)).toEqual({
    ...clean,
    ending: { type: "not-started", message: 'The program "no-such-agent-here" was not found.' },
  });
  const noLog = await trial({ agent: "finishes", logFile: "/no/such/folder/agent.log" });
  expect([noLog.run.ending.type, noLog.lines]).toEqual(["not-started", []]);
});

test("who was started is told before the first line, with its start time", async () => {
  const order: unknown[] = [];
  const stop = new AbortController();
  const { run } = await trial({
    script: "echo line; exec sleep 3600",
    signal: stop.signal,
    onStarted: (agent) => order.push(agent),
    onLine: (text) => {
      order.push(text);
      stop.abort();
    },
  });
  expect(order).toEqual([{ pid: run.pid, started: expect.any(String) }, "line"]);
});

test("every line was in the log before it was handed on", async () => {
  const logFile = join(directory(), "agent.log");
  const missing: string[] = [];
  await trial({
    script: "for i in 1 2 3 4 5 6 7 8 9; do echo line $i; echo other $i >&2; done",
    logFile,
    onLine: (text) => {
      if (!readFileSync(logFile, "utf8").includes(`${text}\n`)) missing.push(text);
    },
  });
  expect(missing).toEqual([]);
});

describe("an agent is ended", () => {
  test("when it is silent for too long", async () => {
    const { run } = await trial({ agent: "hangs", idleMs: 100 });
    expect(facts(run)).toEqual({ ...clean, ending: { type: "idle", afterSeconds: 0.1 } });
  });

  test("but not for silence while anything comes, on either stream", async () => {
    const script = "for i in 1 2 3 4 5 6; do sleep 0.1; printf . >&2; done; exec sleep 3600";
    const { run, lines } = await trial({ script, idleMs: 400 });
    expect([run.ending, lines.map(({ text }) => text)]).toEqual([{ type: "idle", afterSeconds: 0.4 }, ["......"]]);
  });

  test("at its deadline, also in the middle of a flood", async () => {
    const { run, lines } = await trial({ agent: "prints-forever", deadlineMs: 150, logLimitBytes: 100_000 });
    expect(facts(run)).toEqual({ ...clean, ending: { type: "timed-out", afterSeconds: 0.15 } });
    expect(lines.length).toBeGreaterThan(1000);
  });

  test("when it is stopped, with all it started, even if it ignores that", async () => {
    const stop = new AbortController();
    const { run, texts } = await trial({
      agent: "ignores-term",
      signal: stop.signal,
      graceMs: 50,
      onLine: () => stop.abort(),
    });
    expect(facts(run)).toEqual({ ...clean, ending: { type: "stopped" } });
    expect(texts).toEqual(["ready"]);
    expect(isRunning(run.pid ?? 0)).toBe(false);
  });

  test("before it is started when it is stopped before", async () => {
    const { run, folder } = await trial({ script: "touch ran", signal: AbortSignal.abort() });
    expect([facts(run), existsSync(join(folder, "ran"))]).toEqual([{ ...clean, ending: { type: "stopped" } }, false]);
  });

  test("as finished when it says in the signal file that it is idle", async () => {
    const signalFile = join(directory(), "signal.json");
    const { run, texts } = await trial({ agent: "stays-open", signalFile });
    expect(facts(run)).toEqual({ ...clean, ending: { type: "finished" }, session: "open-session" });
    expect(texts).toEqual(["<promise>COMPLETE</promise>"]);
  });

  test("not by what an earlier one left in the signal file", async () => {
    const signalFile = join(directory(), "signal.json");
    writeFileSync(signalFile, '{"event":"idle","session_id":"an older one"}');
    const { run, texts } = await trial({ script: 'cat "$RALPH_SIGNAL_FILE" 2>/dev/null; exit 4', signalFile });
    expect([run.ending, texts]).toEqual([{ type: "failed", message: "It ended with code 4.", exit: 4 }, []]);
  });
});

test.skipIf(!existsSync("/dev/full"))("an agent whose output cannot be stored is ended, unseen", async () => {
  const { run, lines } = await trial({ agent: "prints-forever", logFile: "/dev/full" });
  expect(run.ending).toEqual({
    type: "failed",
    message: expect.stringMatching(/^The log \/dev\/full cannot be written: ENOSPC/),
  });
  expect(lines).toEqual([]);
});

test("a log beyond its bound keeps beginning and end", async () => {
  const { logFile, lines } = await trial({
    agent: "prints-million",
    logLimitBytes: 10_000,
    variables: { AGENT_LINES: "5000" },
  });
  const log = readFileSync(logFile, "utf8");
  expect(lines.length).toBe(5001);
  expect(log).toStartWith("line 1 of what");
  expect(log).toMatch(/\[… \d+ bytes left out/);
  expect(log).toEndWith("line 5000 of what the agent did and thought\n<promise>COMPLETE</promise>\n");
  expect(log.length).toBeLessThan(10_200);
});

test("a million lines arrive in a process of less than 70 MB", async () => {
  const program = join(import.meta.dir, "../../support/programs/agent-memory.ts");
  const child = Bun.spawn([process.execPath, program], { stdout: "pipe" });
  const { highest, durationMs: _, ...rest } = JSON.parse(await new Response(child.stdout).text());
  expect(rest).toEqual({
    ending: { type: "finished" },
    lines: 1_000_001,
    last: "<promise>COMPLETE</promise>",
    logBytes: 45_888_924,
  });
  expect(highest).toBeLessThan(70_000_000);
});

function isRunning(pid: number): boolean {
  return findProcess(pid) !== undefined;
}
