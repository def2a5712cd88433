import { expect, test } from "bun:test";
import { typedStep, viewActions } from "../../../src/cli/loop/attach-keys.ts";
import { farewell, statusLine } from "../../../src/cli/loop/attach-wording.ts";

test("keys act one by one; arrows, Alt and the mouse are no keys of ours", () => {
  const rows: [string, string[]][] = [
    ["i", ["interactive"]],
    ["sCq", ["stop", "checkpoint", "leave"]],
    ["\x03", ["leave"]],
    ["x \r", []],
    ["\x1b[Aq", ["leave"]],
    ["\x1bOC\x1bs\x1b[<0;12;5M\x1b[1;5D", []],
    ["\x1b", []],
  ];
  expect(rows.map(([typed]) => viewActions(typed) as string[])).toEqual(rows.map(([, actions]) => actions));
});

test("Esc by itself waits, twice it is one for the program, with a key it is a sequence, and Ctrl-] leaves", () => {
  const sent = (send: string) => ({ send, leave: false, isWaiting: false });
  const rows: [boolean, string, ReturnType<typeof typedStep>][] = [
    [false, "ls\r", sent("ls\r")],
    [false, "\x1b", { send: "", leave: false, isWaiting: true }],
    [true, "\x1b", sent("\x1b")],
    [false, "\x1b\x1b", sent("\x1b")],
    [true, "[A", sent("\x1b[A")],
    [false, "\x1b[A", sent("\x1b[A")],
    [false, ":wq\x1drest", { send: ":wq", leave: true, isWaiting: false }],
    [true, "\x1d", { send: "", leave: true, isWaiting: false }],
  ];
  expect(rows.map(([wasWaiting, typed]) => typedStep(wasWaiting, typed))).toEqual(rows.map(([, , step]) => step));
});

test("the status has as many words as the terminal has room", () => {
  const fields = {
    task_name: "checkout\x1b[2J",
    iteration: 3,
    max_iterations: 50,
    current_story: "US-003",
    agent: "claude",
    status: "running",
  };
  expect([120, 80, 40, 24].map((columns) => statusLine(fields, "", columns))).toEqual([
    "checkout␛[2J | iteration 3/50 | US-003 | claude | running | i take over  s stop  c checkpoint  q leave",
    "checkout␛[2J | iteration 3/50 | US-003 | claude | running | i s c q",
    "3/50 | US-003 | i s c q",
    "3/50 | US-003 | i s c q",
  ]);
  expect(statusLine({ ...fields, task_name: "a" }, "stopping", 40)).toBe("a | 3/50 | US-003 | stopping | i s c q");
  expect([
    farewell({ ...fields, task_name: "a" }, "too\nslow"),
    farewell({ task_name: "a", status: "stopped" }, "x"),
  ]).toEqual([
    { text: "The connection to a was lost: too␊slow. Look: ralph status a", isWell: false },
    { text: "The loop a is stopped.", isWell: true },
  ]);
});
