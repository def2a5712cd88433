import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { ScriptTurn } from "../../src/protocol/script.ts";
import type { ConversationTerminal } from "../support/conversation-terminal.ts";
import { handsOnTmux, tmuxProgram } from "../support/hands.ts";
import { rehearsalHome, rehearse, streamed } from "../support/rehearsal.ts";
import { ralphCommand } from "../support/run-ralph.ts";
import { paperOf } from "../support/terminal-paper.ts";
import { percentile, shownInput, typeWatching, unmistakable } from "../support/typing.ts";

// The whole program in a pseudo-terminal, on a bad day.

setDefaultTimeout(40_000);

const READY = "play/first";
const IDLE = /^play\/first/m;
const RESIZES = 200;
const DELTAS = 100_000;
const KEYS = 500;
const ROUNDS = 6;
/** A person at a slow machine would begin to feel it here; `bench/face.ts` measures what it is. */
const MOST_ECHO_MS = 250;
const MOST_MEMORY_MEGABYTES = 200;

const label = (index: number) => `L${String(index).padStart(4, "0")}`;
const labels = (count: number) => Array.from({ length: count }, (_, index) => label(index));
const labelsIn = (rows: readonly string[]) => rows.flatMap((row) => row.match(/L\d{4}/g) ?? []);

/** Paragraphs that are known by their number. */
function numbered(count: number, { from = 0, pauseMs = 10 } = {}): ScriptTurn["steps"] {
  return streamed((index) => `${label(from + index)} is a line of the answer.\n\n`, { count, group: 2, pauseMs });
}

describe("a window that changes its size two hundred times while an answer streams", () => {
  test.each([
    ["breaks rows that no longer fit", { TERM_PROGRAM: "vscode" }, true],
    ["cuts rows that no longer fit", {}, false],
    ["breaks them, unknown to Ralph", {}, true],
  ])("in a terminal that %s: every line is there once, in order, and the cursor is in the input", async (...row) => {
    const [, environment, doesReflow] = row;
    await using workspace = rehearsalHome([{ steps: numbered(400, { pauseMs: 15 }) }]);
    await using ralph = rehearse(workspace, [], { environment, doesReflow });
    await ralph.seeOnScreen(READY);
    ralph.type("tell\r");
    await ralph.see(label(3));
    ralph.type("written meanwhile");
    let isStillStreaming = false;
    for (let at = 0; at < RESIZES; at++) {
      ralph.resize(40 + ((at * 37) % 81), 14 + ((at * 17) % 28));
      await nextOutput(ralph);
      if (at === RESIZES / 2) isStillStreaming = !(await ralph.see(/./)).includes(label(399));
    }
    ralph.resize(100, 30);
    await ralph.see(label(399));
    await ralph.seeOnScreen(IDLE);
    expect([isStillStreaming, labelsIn(await ralph.emulator.lines())]).toEqual([true, labels(400)]);
    const screen = await ralph.emulator.screen();
    const { row: cursorRow, column } = await ralph.emulator.cursor();
    expect([screen[cursorRow], column]).toEqual(["› written meanwhile", "› written meanwhile".length]);
  });
});

test("a million escape sequences in what a tool prints, and some in an answer, reach no terminal", async () => {
  const turns: ScriptTurn[] = [
    {
      steps: [
        { text: "Look: \x1b[2J\x9b3J\x1b]0;mine\x07\x1b[?1049h\n\n" },
        { tool: { name: "shell", input: { command: "cat ../noise" } } },
      ],
    },
    { steps: [{ text: "It was read." }] },
  ];
  await using workspace = rehearsalHome(turns);
  workspace.write("noise", noise(1_000_000));
  await using ralph = rehearse(workspace, ["--yolo", "--sandbox", "off"], { columns: 120, rows: 40 });
  await ralph.seeOnScreen(READY);
  ralph.type("go\r");
  await ralph.seeOnScreen("shell cat ../noise");
  ralph.type("still heard");
  await ralph.seeOnScreen("› still heard");
  await ralph.see("It was read.");
  ralph.type("\x0f");
  await ralph.seeOnScreen("the last one once more");
  expect(peakMegabytes(ralph.pid)).toBeLessThan(MOST_MEMORY_MEGABYTES);
  const { foreign } = paperOf(ralph.emulator.written(), { finishedRows: () => 0 });
  expect(foreign).toEqual([]);
  expect((await ralph.emulator.lines()).slice(0, 8)).toEqual([
    expect.stringMatching(/^ralph \S+ · \/help shows what can be done$/),
    "",
    "› go",
    "",
    "Look:",
    "",
    expect.stringMatching(/^✓ shell cat \.\.\/noise( \d+ ms| [\d.]+ s)?$/),
    expect.stringMatching(/^ {2}… \d+ lines \(Ctrl\+O\) before this$/),
  ]);
});

test.skipIf(tmuxProgram === null)(
  "in tmux, too, every line is there once and in order after fifty changes of size",
  async () => {
    await using workspace = rehearsalHome([{ steps: numbered(200, { pauseMs: 30 }) }]);
    await using hands = await handsOnTmux({ workspace, environment: {} });
    await hands.type([...ralphCommand(), "--model", "play/first"].map((word) => `'${word}'`).join(" "));
    await hands.press("enter");
    await hands.see(IDLE);
    await hands.type("tell");
    await hands.press("enter");
    await hands.see(label(3));
    for (let at = 0; at < 50; at++) await hands.resize(44 + ((at * 37) % 81), 20 + ((at * 17) % 28));
    await hands.resize(100, 40);
    await hands.see(new RegExp(`${label(199)}[\\s\\S]*\\nplay/first`));
    expect(labelsIn(await hands.lines())).toEqual(labels(200));
  },
);

/** Everything a terminal obeys: CSI, OSC, DCS, APC, single escapes, and the same as C1 characters. */
function noise(count: number): string {
  const sequences = [
    ...["\x1b[31m", "\x1b[2J", "\x1b[3J", "\x1b[?1049h", "\x1b[99A", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\"],
    ...["\x1bP1$r0m\x1b\\", "\x1b_G\x1b\\", "\x1bc", "\x9b2J", "\x9d0;t\x9c", "\x90q\x9c"],
  ];
  const line = `${Array.from({ length: 20 }, (_, at) => sequences[at % sequences.length]).join("x")}\n`;
  return line.repeat(Math.ceil(count / 20));
}

test("all bytes of a long session: only known sequences, and no finished line is written or erased again", async () => {
  const turns: ScriptTurn[] = Array.from({ length: ROUNDS }, (_, at): ScriptTurn[] => [
    {
      steps: [
        { thinking: "Hm." },
        ...numbered(20, { from: at * 40, pauseMs: 4 }),
        { tool: { name: "shell", input: { command: "seq 1 40" } } },
        { tool: { name: "write_file", input: { path: `made-${at}.txt`, content: "one\ntwo\n" } } },
      ],
    },
    { steps: [...numbered(20, { from: at * 40 + 20, pauseMs: 4 }), { text: "\n```js\nlet a = 1;\n```\n\nEnd.\n" }] },
  ]).flat();
  await using workspace = rehearsalHome(turns);
  await using ralph = rehearse(workspace, ["--yolo", "--sandbox", "off"], { columns: 120, rows: 30 });
  await ralph.seeOnScreen(READY);
  for (let at = 0; at < ROUNDS; at++) {
    ralph.type(`prompt ${at}\r`);
    await ralph.see(label(at * 40 + 2));
    ralph.type("typed meanwhile");
    await ralph.see(label(at * 40 + 39));
    ralph.type("\x15");
    await ralph.seeOnScreen(IDLE);
    ralph.type("/model\r");
    await ralph.seeOnScreen("Esc close");
    ralph.type("\x1b");
    await ralph.gone("Esc close");
  }
  const written = ralph.emulator.written();
  const { rows, foreign, rewritten } = paperOf(written, { finishedRows: finishedBefore });
  expect({ foreign, rewritten }).toEqual({ foreign: [], rewritten: [] });
  expect(labelsIn(rows)).toEqual(labels(ROUNDS * 40));
  expect(rows.flatMap((row) => /^[✓›] (prompt \d+|shell seq 1 40|write_file \S+)/.exec(row)?.[1] ?? [])).toEqual(
    Array.from({ length: ROUNDS }, (_, at) => [`prompt ${at}`, "shell seq 1 40", `write_file made-${at}.txt`]).flat(),
  );
});

/** What stands above the newest numbered line was followed by another one: it is finished. */
function finishedBefore(rows: readonly string[]): number {
  const newest = rows.findLastIndex((row) => /^L\d{4}/.test(row));
  return newest < 0 ? 0 : rows.slice(0, newest).findLastIndex((row) => /^L\d{4}/.test(row)) + 1;
}

test(`${KEYS} keys while ${DELTAS} deltas stream: none is lost or swapped, and each is seen soon`, async () => {
  const words = (index: number) => `word${index % 97}${index % 40 === 39 ? "\n\n" : " "}`;
  const steps = streamed(words, { count: DELTAS, group: 40, pauseMs: 1 });
  await using workspace = rehearsalHome([{ steps: [...steps, { text: "The very end." }] }]);
  await using ralph = rehearse(workspace, [], { columns: 100, rows: 30 });
  await ralph.seeOnScreen(READY);
  ralph.type("tell\r");
  await ralph.see("word5");
  const typed = unmistakable(KEYS);
  const { text, echoes } = await typeWatching(ralph, { text: typed, everyMs: 6 });
  expect((await ralph.emulator.screen()).join("\n")).toMatch(/working \d+ s/);
  expect([text, echoes.length]).toEqual([typed, KEYS]);
  expect(percentile(echoes, 0.99)).toBeLessThan(MOST_ECHO_MS);
  await ralph.see("The very end.");
  expect(shownInput(await ralph.emulator.screen())).toBe(typed);
});

test("killed in the middle of an answer, -c has the prompt, what waits and what was being written, and goes on", async () => {
  await using workspace = rehearsalHome([
    { steps: [{ text: "The first paragraph.\n\nThe second beg" }, { wait: 30_000 }] },
    { repeat: 9, steps: [{ text: "Gone on." }] },
  ]);
  {
    await using ralph = rehearse(workspace);
    await ralph.seeOnScreen(READY);
    ralph.type("begin\r");
    await ralph.see("The second beg");
    ralph.type("listen\r");
    await ralph.seeOnScreen("soon: listen");
    ralph.type("and then\n");
    await ralph.seeOnScreen("later: and then");
    ralph.type(WRITTEN);
    await stored(() => workspace.find("ralph-home/data/drafts/*.md").some((path) => workspace.read(path) === WRITTEN));
    await stored(() =>
      workspace.find("ralph-home/data/sessions/*/*.draft").some((path) => workspace.read(path).includes("second beg")),
    );
    ralph.kill("SIGKILL");
    await ralph.exited;
  }
  await using again = rehearse(workspace, ["-c"]);
  await again.seeOnScreen("2 waiting");
  expect((await again.emulator.lines()).slice(0, -1)).toEqual([
    expect.stringMatching(/^ralph \S+ · \/help shows what can be done$/),
    "",
    "› begin",
    "",
    "The first paragraph.",
    "",
    "The second beg",
    "",
    '! The last answer broke off; what had arrived of it is kept. Say "go on" to have',
    "  the rest, or say what to do instead.",
    "soon: listen",
    "later: and then",
    "─".repeat(80),
    "› a draft of the next",
  ]);
});

test("a window that is closed, which sends two hang-ups, leaves a stored answer and nothing else", async () => {
  await using workspace = rehearsalHome([{ steps: [{ text: "The first paragraph." }, { wait: 30_000 }] }]);
  await using ralph = rehearse(workspace);
  await ralph.seeOnScreen(READY);
  ralph.type("begin\r");
  await ralph.see("The first paragraph.");
  await stored(() => workspace.find("ralph-home/data/sessions/*/*.draft").length === 1);
  // Signals that come at the same moment are one, so there are more than two.
  const hangUps = setInterval(() => ralph.kill("SIGHUP"), 1);
  await ralph.exited;
  clearInterval(hangUps);
  const [session = "", ...others] = workspace.find("ralph-home/data/sessions/*/*");
  expect([others, workspace.read(session).match(/"stopReason":"cut"/g)?.length]).toEqual([[], 1]);
});

const WRITTEN = "a draft of the next";

async function stored(isThere: () => boolean): Promise<void> {
  for (const until = performance.now() + 5000; !isThere(); await Bun.sleep(20))
    if (performance.now() > until) throw new Error("It was not stored.");
}

/** The next bytes, or a moment: a terminal that waits for the window to keep its size writes nothing. */
async function nextOutput(ralph: ConversationTerminal): Promise<void> {
  const next = Promise.withResolvers<void>();
  const stop = ralph.onOutput(next.resolve);
  await Promise.race([next.promise, Bun.sleep(10)]);
  stop();
}

function peakMegabytes(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (Number(kilobytes) * 1024) / 1e6;
}
