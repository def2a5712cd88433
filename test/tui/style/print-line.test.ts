import { describe, expect, test } from "bun:test";
import { isDark } from "../../../src/tui/style/colours.ts";
import { printLine, printPlain } from "../../../src/tui/style/print-line.ts";
import { line, type Style, span } from "../../../src/tui/style/styled-line.ts";

const printed = (style: Style, depth: "none" | "16" | "256" | "true") =>
  printLine(line(span("x", style)), { depth, hasLinks: true });

describe("a printed line", () => {
  test("sets what a span asks for and ends plain", () => {
    const all: Style = { bold: true, dim: true, italic: true, underline: true, inverse: true, strikethrough: true };
    expect(printed(all, "16")).toBe("\x1b[0;1;2;3;4;7;9mx\x1b[0m");
    expect(printLine(line("a", span("b", { bold: true }), "c"), { depth: "16", hasLinks: true })).toBe(
      "a\x1b[0;1mb\x1b[0mc",
    );
  });

  test.each([
    ["none", "x"],
    ["16", "\x1b[0;91mx\x1b[0m"],
    ["256", "\x1b[0;38;5;203mx\x1b[0m"],
    ["true", "\x1b[0;38;2;250;80;70mx\x1b[0m"],
  ] as const)("shows a colour in depth %s as %j", (depth, bytes) => {
    expect(printed({ foreground: "#fa5046" }, depth)).toBe(bytes);
  });

  test("names and places of colours stay themselves where they exist", () => {
    expect(printed({ foreground: "bright-blue", background: "red" }, "true")).toBe("\x1b[0;94;41mx\x1b[0m");
    expect(printed({ background: 240 }, "256")).toBe("\x1b[0;48;5;240mx\x1b[0m");
    expect(printed({ foreground: "red", bold: true }, "none")).toBe("\x1b[0;1mx\x1b[0m");
  });

  test("links lead only where a person would follow, and cannot break out of their sequence", () => {
    expect(printed({ link: "https://example.org/a b\x1b\\\x07" }, "none")).toBe(
      "\x1b]8;;https://example.org/a%20b%1B\\%07\x1b\\x\x1b]8;;\x1b\\",
    );
    expect(printed({ link: "javascript:alert(1)" }, "none")).toBe("x");
    expect(printLine(line(span("x", { link: "https://a.b" })), { depth: "none", hasLinks: false })).toBe("x");
  });

  test("lets no control character of a span through", () => {
    const hostile = line("a\x1b[2J\nb\tc\x9b3J");
    expect([printLine(hostile, { depth: "true", hasLinks: true }), printPlain(hostile)]).toEqual(["a b c", "a b c"]);
  });
});

test("a background is known as dark or light", () => {
  expect(["#000000", "#1e1e2e", "#fafafa", "#ffff00"].map(isDark)).toEqual([true, true, false, false]);
});
