import { afterAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type InteractiveSession, openInteractive } from "../../../src/loop/runners/interactive-session.ts";
import { openScreen } from "../../../src/loop/runners/terminal-screen.ts";
import { agentProgram } from "../../support/agent-programs.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();
const mark = randomBytes(8).toString("hex");

async function open(argv: string[], graceMs = 100): Promise<InteractiveSession> {
  const opened = await openInteractive({
    argv,
    root: directory(),
    environment: { PATH: process.env.PATH, HOME: directory(), TEST_MARK: mark },
    size: { columns: 40, rows: 10 },
    graceMs,
  });
  if (!opened.ok) throw new Error(opened.message);
  return opened.session;
}

/** The screen, as soon as it shows this; without colours and places of the cursor. */
async function screenWith(session: InteractiveSession, text: string): Promise<string> {
  for (;;) {
    const came = Promise.withResolvers<void>();
    const stop = session.onBytes(() => came.resolve());
    const screen = await session.screen();
    if (screen.includes(text)) {
      stop();
      return screen;
    }
    const ended = session.exited.then(() => "ended");
    const first = await Promise.race([came.promise, ended]);
    stop();
    if (first === "ended" && !(await session.screen()).includes(text))
      throw new Error(`never shown: ${text}\n${screen}`);
  }
}

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

describe("a program in a terminal", () => {
  test("shows its full screen, gets keys and sizes, and gives the first screen back", async () => {
    const session = await open([agentProgram("full-screen")]);
    expect(await screenWith(session, "key: none")).toContain("\x1b[?1049h");
    expect(session.write("x")).toBe(true);
    expect(await screenWith(session, "key: x")).toContain("10 40");
    session.resize({ columns: 60, rows: 20 });
    session.write("y");
    expect(await screenWith(session, "20 60")).toContain("FULL SCREEN");
    session.write("q");
    expect(await session.exited).toEqual({ code: 7, signal: null, survivors: [] });
    const after = await session.screen();
    expect([after.includes("back on the first screen"), after.includes("FULL SCREEN")]).toEqual([true, false]);
    expect(session.write("z")).toBe(false);
  });

  test("is asked where the cursor is and knows", async () => {
    const script = "stty raw -echo; printf 'abc\\033[6n'; dd bs=1 count=6 2>/dev/null | od -An -c; stty sane";
    const session = await open(["sh", "-c", script]);
    expect(await screenWith(session, ";")).toMatch(/033\s+\[\s+1\s+;\s+4\s+R/);
    await session.exited;
  });

  test("hands every byte to those who listen, until they stop", async () => {
    const session = await open(["cat"]);
    let seen = "";
    const stop = session.onBytes((bytes) => {
      seen += new TextDecoder().decode(bytes);
    });
    session.write("one\n");
    await screenWith(session, "one\r\none");
    stop();
    session.write("two\n");
    await screenWith(session, "two\r\ntwo");
    expect(seen).toBe("one\r\none\r\n");
    await session.stop();
  });

  test("is ended with all it started, whatever that ignores", async () => {
    const script = `trap '' TERM HUP INT; (trap '' TERM HUP; setsid sleep 3600 || sleep 3600) & echo ready; while :; do sleep 1; done`;
    const session = await open(["sh", "-c", script]);
    await screenWith(session, "ready");
    expect(await session.stop()).toEqual({ code: null, signal: "SIGKILL", survivors: [] });
    expect(marked()).toEqual([]);
  });

  test("takes nothing of a shell's patience: a hang-up ends it at once", async () => {
    const session = await open(["bash", "--norc", "--noprofile", "-i"], 10_000);
    session.write("echo re''ady\n");
    await screenWith(session, "\r\nready");
    const started = performance.now();
    expect((await session.stop()).survivors).toEqual([]);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test("that goes on reading after the hang-up has nothing left to read", async () => {
    const session = await open(["sh", "-c", "trap '' HUP TERM; echo ready; cat >/dev/null"], 10_000);
    await screenWith(session, "ready");
    const started = performance.now();
    const { signal, survivors } = await session.stop();
    expect([signal, survivors]).toEqual([null, []]);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test("leaves nothing running when it ends by itself", async () => {
    const session = await open([
      "sh",
      "-c",
      "(trap '' HUP; : >ready; sleep 3600) & while [ ! -e ready ]; do sleep 0.01; done; exit 3",
    ]);
    expect(await session.exited).toEqual({ code: 3, signal: null, survivors: [] });
    expect(marked()).toEqual([]);
  });

  test("does not have to read: beyond a megabyte nothing more is taken", async () => {
    const session = await open(["sh", "-c", "stty raw -echo; echo ready; exec sleep 3600"]);
    await screenWith(session, "ready");
    let taken = 0;
    while (session.write("x".repeat(100_000))) taken++;
    expect(taken).toBeLessThanOrEqual(11);
    await session.stop();
  });

  test("may flood: memory stays bounded and the screen shows the end", async () => {
    const program = join(import.meta.dir, "../../support/programs/terminal-memory.ts");
    const child = Bun.spawn([process.execPath, program], { stdout: "pipe" });
    const { grown, last } = JSON.parse(await new Response(child.stdout).text());
    expect(last).toContain("the end of it");
    expect(grown).toBeLessThan(60_000_000);
  }, 30_000);

  test("that prints faster than its screen can follow has a screen that says what is missing", async () => {
    const screen = await openScreen({ columns: 60, rows: 5 }, () => {});
    const piece = new TextEncoder().encode("x".repeat(1_000_000));
    for (let count = 0; count < 8; count++) screen.add(piece);
    await screen.draw();
    screen.add(new TextEncoder().encode("and on it goes"));
    const drawn = await screen.draw();
    expect(drawn).toMatch(/\r\n\[… \d+ bytes left out …\]\r\nx+[\s\S]*xand on it goes$/);
  });

  test("that cannot be started says why", async () => {
    const opened = await openInteractive({
      argv: ["no-such-program-here"],
      root: directory(),
      environment: { PATH: process.env.PATH },
      size: { columns: 80, rows: 24 },
    });
    expect(opened).toEqual({
      ok: false,
      message: expect.stringContaining('"no-such-program-here" could not be started'),
    });
  });
});
