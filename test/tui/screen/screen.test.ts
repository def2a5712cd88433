import { describe, expect, test } from "bun:test";
import { createScreen, type ScreenOptions } from "../../../src/tui/screen/create-screen.ts";
import { createFramePacer } from "../../../src/tui/screen/frame-pacer.ts";
import { reflowOf, rowsAboveCursor } from "../../../src/tui/screen/reflow.ts";
import { type Line, line, span } from "../../../src/tui/style/styled-line.ts";
import { openEmulator } from "../../support/emulated-terminal.ts";

const MODES = { hasBracketedPaste: true, hasExtendedKeys: true, hasFocusReports: true };

function open(columns = 20, rows = 6, options: Partial<ScreenOptions> = {}) {
  const terminal = openEmulator({ columns, rows });
  const timers: (() => void)[] = [];
  let now = 0;
  const screen = createScreen({
    setTimer: (callback) => {
      timers.push(callback);
      return () => timers.splice(timers.indexOf(callback), 1);
    },
    now: () => {
      now += 10_000;
      return now;
    },
    write: terminal.write,
    size: terminal.size,
    print: { depth: "true", hasLinks: true },
    modes: MODES,
    reflow: () => "xterm.js",
    isPlain: false,
    ...options,
  });
  screen.start();
  return { terminal, screen, timers };
}

const lines = (...texts: string[]): Line[] => texts.map((text) => line(text));
const numbered = (count: number, name: string) => Array.from({ length: count }, (_, index) => `${name} ${index}`);

describe("the screen", () => {
  test("has finished lines above and the live region below, with the cursor in it", async () => {
    const { terminal, screen } = open();
    screen.commit(lines("first", "second"));
    screen.draw(lines("> typing", "status"), { row: 0, column: 8 });
    expect(await terminal.screen()).toEqual(["first", "second", "> typing", "status", "", ""]);
    expect(await terminal.cursor()).toEqual({ row: 2, column: 8 });
  });

  test("gives finished lines to the terminal's own scrollback, each once, in order", async () => {
    const { terminal, screen } = open();
    const all = numbered(50, "line");
    for (const text of all) {
      screen.commit(lines(text));
      screen.draw(lines("live", "status"));
    }
    expect(await terminal.lines()).toEqual([...all, "live", "status"]);
    expect(await terminal.screen()).toEqual(["line 46", "line 47", "line 48", "line 49", "live", "status"]);
  });

  test("leaves the wrapping of a long finished line to the terminal, so that it stays one line", async () => {
    const { terminal, screen } = open(10, 6);
    screen.commit(lines("a".repeat(25), "b".repeat(20), "漢字".repeat(6)));
    screen.draw(lines("live"));
    expect(await terminal.lines()).toEqual(["a".repeat(25), "b".repeat(20), "漢字".repeat(6), "live"]);
  });

  test("the live region grows, shrinks and vanishes without a trace", async () => {
    const { terminal, screen } = open();
    screen.commit(lines("done"));
    for (const count of [1, 4, 2, 6, 0, 3, 1]) screen.draw(lines(...numbered(count, "row")), { row: 0, column: 0 });
    expect(await terminal.lines()).toEqual(["done", "row 0"]);
  });

  test("crops a live region that is taller than the screen around the cursor, and nothing of it is left in the scrollback", async () => {
    const { terminal, screen } = open(20, 4);
    screen.commit(lines("done"));
    screen.draw(lines(...numbered(10, "row")));
    expect(await terminal.screen()).toEqual(["row 6", "row 7", "row 8", "row 9"]);
    screen.draw(lines(...numbered(10, "row")), { row: 2, column: 1 });
    expect([await terminal.screen(), await terminal.cursor()]).toEqual([
      ["row 2", "row 3", "row 4", "row 5"],
      { row: 0, column: 1 },
    ]);
    screen.draw(lines("small"));
    expect(await terminal.lines()).toEqual(["done", "small"]);
  });

  test("cuts rows that are too wide, and never lets them run over", async () => {
    const { terminal, screen } = open(10, 4);
    screen.draw(lines("0123456789", "0123456789x", "漢字漢字漢字"));
    expect(await terminal.screen()).toEqual(["0123456789", "012345678…", "漢字漢字…", ""]);
  });
});

test("a full row that is drawn again keeps its last cell", async () => {
  const { terminal, screen } = open(10, 4);
  screen.draw(lines("0123456789", "short"));
  screen.draw(lines("abcdefghij", "longer"));
  expect(await terminal.screen()).toEqual(["abcdefghij", "longer", "", ""]);
  // Other emulators erase the last cell where this one erases nothing.
  expect(terminal.written()).not.toContain("abcdefghij\x1b[K");
});

test("a row whose width terminals disagree about cannot run over, also when it comes with finished lines", () => {
  const { terminal, screen } = open(10, 4);
  screen.commit(lines("done"));
  screen.draw(lines("plain", "👩‍👩‍👧‍👦"));
  expect(terminal.written()).toContain("\x1b[?7hdone\r\nplain\r\n\x1b[?7l👩‍👩‍👧‍👦\x1b[?7h");
});

describe("a window that changes its size", () => {
  test("is drawn in again when it has stayed the same for a while, once, and no timer is left", async () => {
    const { terminal, screen, timers } = open(20, 6, { reflow: () => "exact" });
    screen.draw(lines("live", "status"), { row: 1, column: 2 });
    await terminal.cursor();
    const before = terminal.written().length;
    for (const columns of [18, 15, 12, 10]) {
      terminal.resize(columns, 6);
      screen.resized();
      screen.commit(lines(`at ${columns}`));
      screen.draw(lines("live", "status"), { row: 1, column: 2 });
    }
    expect([terminal.written().length, timers.length]).toEqual([before, 1]);
    for (const callback of timers.splice(0)) callback();
    expect([await terminal.lines(), timers.length]).toEqual([
      ["at 18", "at 15", "at 12", "at 10", "live", "status"],
      0,
    ]);
  });

  test("before anybody knows of it costs no finished line", async () => {
    const terminal = openEmulator({ columns: 20, rows: 10 });
    let columns = 40;
    const { screen, timers } = open(40, 10, {
      write: terminal.write,
      size: () => ({ columns, rows: 10 }),
      reflow: () => "exact",
    });
    screen.commit(lines("one", "two", "three"));
    screen.draw(lines("a".repeat(35), "b".repeat(38), "status"), { row: 2, column: 3 });
    columns = 20;
    screen.resized();
    for (const callback of timers.splice(0)) callback();
    screen.draw(lines("live"));
    for (const callback of timers.splice(0)) callback();
    expect(await terminal.lines()).toEqual(["one", "two", "three", "live"]);
  });

  test("that has its old size again is left alone", () => {
    const { terminal, screen, timers } = open(20, 6, { reflow: () => "exact" });
    screen.draw(lines("live"));
    screen.resized();
    expect([timers.length, terminal.size()]).toEqual([0, { columns: 20, rows: 6 }]);
  });
});

describe("the bytes of a frame", () => {
  function frames() {
    const written: string[] = [];
    const { screen } = open(20, 6, {
      write: (text) => {
        written.push(text);
        return true;
      },
      size: () => ({ columns: 20, rows: 6 }),
    });
    return { screen, take: () => written.splice(0) };
  }

  test("are none when nothing changed", () => {
    const { screen, take } = frames();
    screen.draw(lines("a", "b"), { row: 0, column: 1 });
    take();
    screen.draw(lines("a", "b"), { row: 0, column: 1 });
    screen.resized();
    expect(take()).toEqual([]);
  });

  test("hold only the rows that changed, inside one synchronized update", () => {
    const { screen, take } = frames();
    screen.draw(lines("one", "two", "three"), { row: 2, column: 0 });
    take();
    screen.draw([line("one"), line(span("TWO", { bold: true })), line("three")], { row: 2, column: 0 });
    expect(take()).toEqual([
      "\x1b[?2026h\x1b[?25l\x1b[?7l\x1b[1A\r\x1b[0;1mTWO\x1b[0m\x1b[K\x1b[1B\r\x1b[?7h\x1b[?2026l\x1b[?25h",
    ]);
  });

  test("only move the cursor when only the cursor moved", () => {
    const { screen, take } = frames();
    screen.draw(lines("one", "two"), { row: 1, column: 0 });
    take();
    screen.draw(lines("one", "two"), { row: 0, column: 2 });
    expect(take()).toEqual(["\x1b[1A\r\x1b[2C"]);
  });

  test("never clear the screen or the scrollback and never enter the alternate screen", async () => {
    const { terminal, screen, timers } = open(20, 6);
    for (let turn = 0; turn < 200; turn++) {
      screen.commit(lines(`line ${turn} \x1b[2J\x1b[3J\x1b[?1049h\x1bc`));
      screen.draw(lines(...numbered(turn % 8, "row")), { row: 0, column: turn % 5 });
      if (turn % 10 === 0) {
        await terminal.cursor();
        terminal.resize(20 + (turn % 7), 6);
        screen.resized();
        for (const callback of timers.splice(0)) callback();
      }
    }
    screen.stop();
    const forbidden = ["[2J", "[3J", "[1J", "?1049", "?47h", "\x1bc", "[H", "[T", "[L", "[M"];
    expect(forbidden.filter((sequence) => terminal.written().includes(sequence))).toEqual([]);
  });

  test("write every finished line exactly once", () => {
    const { screen, take } = frames();
    for (let turn = 0; turn < 100; turn++) {
      screen.commit(lines(`<${turn}>`));
      screen.draw(lines(...numbered(turn % 5, "row")));
    }
    const written = take().join("");
    const counts = Array.from({ length: 100 }, (_, turn) => written.split(`<${turn}>`).length - 1);
    expect(counts).toEqual(Array.from({ length: 100 }, () => 1));
  });
});

describe("a terminal that does not read", () => {
  test("gets no frames, and then the last one with every finished line", async () => {
    const terminal = openEmulator({ columns: 20, rows: 6 });
    let isReading = true;
    let writes = 0;
    const { screen } = open(20, 6, {
      write: (text) => {
        writes++;
        terminal.write(text);
        return isReading;
      },
      size: terminal.size,
    });
    isReading = false;
    screen.draw(lines("first frame"));
    const before = writes;
    for (let turn = 0; turn < 100; turn++) {
      screen.commit(lines(`line ${turn}`));
      screen.draw(lines(`frame ${turn}`));
    }
    expect(writes).toBe(before);
    isReading = true;
    screen.drained();
    expect(writes).toBe(before + 1);
    expect(await terminal.lines()).toEqual([...numbered(100, "line"), "frame 99"]);
  });
});

describe("giving the terminal back", () => {
  const left = "\x1b[?2026l\x1b[0m\x1b[?1004l\x1b[>4m\x1b[<u\x1b[?2004l\x1b[?7h\x1b[?25h";

  test("stop writes what is finished, takes the live region away and restores every mode", async () => {
    const { terminal, screen } = open();
    screen.draw(lines("live"));
    screen.commit(lines("last words"));
    screen.stop();
    screen.draw(lines("never"));
    screen.commit(lines("never"));
    expect([await terminal.lines(), terminal.written().endsWith(left)]).toEqual([["last words"], true]);
    expect(terminal.written().startsWith("\x1b[?2004h\x1b[>5u\x1b[>4;2m\x1b[?1004h")).toBe(true);
  });

  test("suspend and resume leave room for another program between them", async () => {
    const { terminal, screen } = open();
    screen.commit(lines("before"));
    screen.draw(lines("live"), { row: 0, column: 2 });
    screen.suspend();
    expect(await terminal.lines()).toEqual(["before"]);
    terminal.write("$ shell\r\n");
    screen.commit(lines("meanwhile"));
    screen.draw(lines("not now"));
    screen.resume();
    expect([await terminal.lines(), await terminal.cursor()]).toEqual([
      ["before", "$ shell", "meanwhile", "not now"],
      { row: 3, column: 0 },
    ]);
  });

  test("is drawn anew, with its modes, where others have written without our knowing", async () => {
    const { terminal, screen } = open();
    screen.commit(lines("before"));
    screen.draw(lines("one", "two"), { row: 0, column: 2 });
    terminal.write("\r\n\n[1]+  Stopped\r\n$ fg\r\n\x1b[?2004l");
    const sent = terminal.written().length;
    screen.returned();
    expect([await terminal.lines(), await terminal.cursor()]).toEqual([
      ["before", "one", "two", "[1]+  Stopped", "$ fg", "one", "two"],
      { row: 4, column: 2 },
    ]);
    expect(terminal.written().slice(sent)).toStartWith(`${left}\x1b[?2004h`);
    screen.draw(lines("one", "three"), { row: 1, column: 0 });
    expect(await terminal.lines()).toEqual(["before", "one", "two", "[1]+  Stopped", "$ fg", "one", "three"]);
  });

  test("lines committed while suspended are not lost when it ends there", async () => {
    const { terminal, screen } = open();
    screen.suspend();
    screen.commit(lines("kept"));
    screen.stop();
    expect(await terminal.lines()).toEqual(["kept"]);
  });
});

test("the plain screen has finished lines only and no sequences", () => {
  let written = "";
  const screen = createScreen({
    write: (text) => {
      written += text;
      return true;
    },
    size: () => ({ columns: 20, rows: 6 }),
    print: { depth: "true", hasLinks: true },
    modes: MODES,
    reflow: () => "none",
    setTimer: () => () => {},
    now: () => 0,
    isPlain: true,
  });
  screen.start();
  screen.draw(lines("live"), { row: 0, column: 0 });
  screen.commit([line("a ", span("bold", { bold: true, link: "https://a.b" }), "  "), line("\x1b[2Jb")]);
  screen.suspend();
  screen.resume();
  screen.stop();
  screen.commit(lines("never"));
  expect(written).toBe("a bold\nb\n");
});

describe("what is known of terminals", () => {
  test.each([
    [{ term: "xterm-256color", program: "xterm.js(6.0.0)" }, "xterm.js"],
    [{ term: "xterm-256color", program: "vscode" }, "xterm.js"],
    [{ term: "xterm-256color", program: "XTerm(390)" }, "none"],
    [{ term: "xterm-kitty" }, "exact"],
    [{ term: "tmux-256color" }, "exact"],
    [{ term: "xterm-256color", program: "iTerm.app" }, "exact"],
    [{ term: "xterm-256color" }, "none"],
    [{ term: "linux" }, "none"],
  ] as const)("%j reflows: %s", (name, reflow) => {
    expect(reflowOf(name)).toBe(reflow);
  });

  test("the rows above the cursor are counted as the terminal breaks them", () => {
    const row = (text: string, width = text.length) => ({ printed: text, text, width, isWrapping: false });
    const region = {
      rows: [row("a".repeat(25)), row("漢字漢字漢", 10), row("b".repeat(15))],
      row: 2,
      column: 12,
      isCursorShown: true,
    };
    expect([
      rowsAboveCursor(region, 10, "exact"),
      rowsAboveCursor(region, 9, "exact"),
      rowsAboveCursor(region, 10, "none"),
    ]).toEqual([3 + 1 + 1, 3 + 2 + 1, 2]);
  });
});

test("a frame pacer shows the first change at once, shares a frame among the next ones, never makes a key wait, and is still when idle", () => {
  let now = 0;
  let frames = 0;
  const timers: { callback: () => void; at: number }[] = [];
  const pacer = createFramePacer({
    frame: () => frames++,
    intervalMs: 16,
    now: () => now,
    setTimer: (callback, milliseconds) => {
      const timer = { callback, at: now + milliseconds };
      timers.push(timer);
      return () => timers.splice(timers.indexOf(timer), 1);
    },
  });
  pacer.request();
  now = 4;
  for (let turn = 0; turn < 10; turn++) pacer.request();
  expect([frames, timers.map(({ at }) => at)]).toEqual([1, [16]]);
  now = 16;
  for (const { callback } of timers.splice(0)) callback();
  expect([frames, timers]).toEqual([2, []]);
  now = 20;
  pacer.request();
  pacer.showNow();
  expect([frames, timers]).toEqual([3, []]);
  now = 24;
  pacer.request();
  pacer.stop();
  expect([frames, timers]).toEqual([3, []]);
});

describe("a frame pacer", () => {
  const open = (frameMs: number) => {
    let now = 0;
    let frames = 0;
    const waits: number[] = [];
    const pacer = createFramePacer({
      frame: () => {
        frames++;
        now += frameMs;
      },
      intervalMs: 16,
      now: () => now,
      setTimer: (_, milliseconds) => {
        waits.push(milliseconds);
        return () => {};
      },
    });
    return { pacer, frames: () => frames, waits };
  };

  test("shows all keys of one reading in one frame, and nothing where none wants to be shown", () => {
    const { pacer, frames } = open(0);
    pacer.together(() => {
      for (let key = 0; key < 1000; key++) pacer.showNow();
      expect(frames()).toBe(0);
    });
    expect(frames()).toBe(1);
    pacer.together(() => {});
    expect(frames()).toBe(1);
  });

  test("rests after a slow frame as long as it took", () => {
    const { pacer, waits } = open(500);
    pacer.request();
    pacer.request();
    expect(waits).toEqual([500]);
  });
});
