import { describe, expect, test } from "bun:test";
import { looksOf } from "../../../src/cli/interactive/looks.ts";

const looks = (environment: Record<string, string>, more: Partial<Parameters<typeof looksOf>[0]> = {}) =>
  looksOf({ environment, theme: "auto", isPlain: false, ...more });

describe("what a terminal looks like", () => {
  test("is known from the environment as a whole", () => {
    expect(looks({ TERM: "xterm-kitty", LANG: "en_GB.UTF-8" })).toEqual({
      theme: "dark",
      isThemeAutomatic: true,
      term: "xterm-kitty",
      hasAsciiGlyphs: false,
      print: { depth: "true", hasLinks: true },
      reflow: "exact",
      isPlain: false,
    });
  });

  const depths: [Record<string, string>, string][] = [
    [{ TERM: "xterm" }, "16"],
    [{ TERM: "xterm-256color" }, "256"],
    [{ TERM: "screen" }, "256"],
    [{ TERM: "xterm-256color", COLORTERM: "truecolor" }, "true"],
    [{ TERM: "xterm-256color", COLORTERM: "truecolor", NO_COLOR: "1" }, "none"],
    [{ TERM: "xterm-256color", NO_COLOR: "" }, "256"],
  ];
  test.each(depths)("has as many colours as it says: %p", (environment, depth) => {
    expect(looks(environment).print.depth as string).toBe(depth);
  });

  test("has signs in ASCII where the locale knows no others", () => {
    const glyphs = ["C.UTF-8", "en_GB.ISO-8859-1", "C", "POSIX", ""].map(
      (LANG) => looks({ TERM: "xterm", LANG }).hasAsciiGlyphs,
    );
    expect(glyphs).toEqual([false, true, true, true, false]);
  });

  test("is light where the terminal says so, and a theme that was chosen stays", () => {
    expect(looks({ TERM: "xterm", COLORFGBG: "0;15" }).theme).toBe("light");
    expect(looks({ TERM: "xterm", COLORFGBG: "0;15" }, { theme: "high-contrast" })).toMatchObject({
      theme: "high-contrast",
      isThemeAutomatic: false,
    });
  });

  test("is lines only by a variable that is switched on", () => {
    const plain = ["1", "true", "0", "off", ""].map((value) => looks({ RALPH_SCREEN_READER: value }).isPlain);
    expect(plain).toEqual([true, true, false, false, false]);
  });
});
