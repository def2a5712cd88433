import type { Looks } from "../../interactive/terminal-port.ts";
import { reflowOf } from "../../tui/screen/reflow.ts";
import type { ColourDepth } from "../../tui/style/colours.ts";
import type { ThemeName } from "../../tui/style/theme.ts";

export interface LooksSources {
  environment: Readonly<Record<string, string | undefined>>;
  /** The setting `theme`. */
  theme: ThemeName | "auto" | undefined;
  /** The setting `screenReader`, or the flag. */
  isPlain: boolean;
}

/** What the terminal can show, by what the environment says of it. Pure. */
export function looksOf({ environment, theme = "auto", isPlain }: LooksSources): Looks {
  const term = environment.TERM ?? "";
  const program = environment.TERM_PROGRAM;
  const guessed = theme === "auto" ? themeByColours(environment.COLORFGBG) : theme;
  return {
    theme: guessed,
    isThemeAutomatic: theme === "auto",
    term,
    hasAsciiGlyphs: theme === "ascii" || !isUnicode(environment) || term === "linux",
    print: { depth: colourDepth(environment), hasLinks: hasHyperlinks(environment) },
    reflow: reflowOf({ term, program }),
    isPlain: isPlain || isSwitchedOn(environment.RALPH_SCREEN_READER),
  };
}

/** `NO_COLOR` counts when it is set to anything but nothing; FORCE_COLOR is not asked. */
function colourDepth({
  NO_COLOR,
  COLORTERM = "",
  TERM = "",
  TERM_PROGRAM = "",
}: LooksSources["environment"]): ColourDepth {
  if (NO_COLOR !== undefined && NO_COLOR !== "") return "none";
  if (/truecolor|24bit/i.test(COLORTERM) || /direct|kitty|ghostty/.test(TERM)) return "true";
  if (/^(iTerm\.app|WezTerm|vscode|ghostty)$/.test(TERM_PROGRAM)) return "true";
  if (/256color/.test(TERM) || /^(tmux|screen)/.test(TERM)) return "256";
  return "16";
}

/** Terminals that show OSC 8; the others may print it. */
function hasHyperlinks({
  TERM = "",
  TERM_PROGRAM = "",
  VTE_VERSION,
  WT_SESSION,
  KONSOLE_VERSION,
}: LooksSources["environment"]) {
  if (/kitty|ghostty|alacritty|foot|contour/.test(TERM)) return true;
  if (/^(iTerm\.app|WezTerm|vscode|ghostty|rio|tmux)$/.test(TERM_PROGRAM)) return true;
  return Number(VTE_VERSION ?? 0) >= 5000 || WT_SESSION !== undefined || KONSOLE_VERSION !== undefined;
}

/** `15;0`: light on dark. */
function themeByColours(colours: string | undefined): "dark" | "light" {
  const background = Number(colours?.split(";").at(-1));
  return colours !== undefined && (background === 7 || background === 15) ? "light" : "dark";
}

function isUnicode({ LC_ALL, LC_CTYPE, LANG }: LooksSources["environment"]): boolean {
  const locale = [LC_ALL, LC_CTYPE, LANG].find((value) => value !== undefined && value !== "");
  return locale === undefined || /utf-?8/i.test(locale) || !/^(C|POSIX)$|\./.test(locale);
}

function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && !/^(|0|false|no|off)$/i.test(value);
}
