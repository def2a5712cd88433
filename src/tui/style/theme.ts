import { type Colour, PLAIN, type Style } from "./styled-line.ts";

// What things look like. A theme gives every role a style and every sign a glyph; whoever draws names roles, never colours.

export type Role =
  | "text"
  | "muted"
  | "accent"
  | "heading"
  | "emphasis"
  | "strong"
  | "code"
  | "link"
  | "quote"
  | "border"
  | "selection"
  | "match"
  | "success"
  | "warning"
  | "error"
  | "blocked"
  | "added"
  | "removed"
  | "keyword"
  | "string"
  | "number"
  | "comment";

/** Signs that exist in ASCII as well, so that meaning never hangs on a font or a colour. */
export interface Glyphs {
  bullet: string;
  pointer: string;
  ellipsis: string;
  /** Between facts in one row. */
  separator: string;
  horizontal: string;
  vertical: string;
  checked: string;
  unchecked: string;
  success: string;
  failure: string;
  /** Somebody said no: not the same as a failure. */
  blocked: string;
  full: string;
  empty: string;
  spinner: readonly string[];
}

export interface Theme {
  name: ThemeName;
  styles: Readonly<Record<Role, Style>>;
  glyphs: Glyphs;
}

export type ThemeName = "dark" | "light" | "high-contrast" | "ascii";

export interface ThemeOptions {
  /** Foreground colours that replace the theme's own. */
  colours?: Partial<Record<Role, Colour>>;
  hasAsciiGlyphs?: boolean;
}

export function createTheme(
  name: ThemeName,
  { colours = {}, hasAsciiGlyphs = name === "ascii" }: ThemeOptions = {},
): Theme {
  const styles = { ...SHAPES };
  for (const [role, style] of entries(PALETTES[name])) styles[role] = { ...styles[role], ...style };
  for (const [role, colour] of entries(colours)) styles[role] = { ...styles[role], foreground: colour };
  return { name, styles, glyphs: hasAsciiGlyphs ? ASCII_GLYPHS : GLYPHS };
}

function entries<Value>(table: Partial<Record<Role, Value>>): [Role, Value][] {
  return Object.entries(table) as [Role, Value][];
}

/** What every theme shares; alone it is the theme without colours. */
const SHAPES: Record<Role, Style> = {
  text: PLAIN,
  muted: { dim: true },
  accent: { bold: true },
  heading: { bold: true },
  emphasis: { italic: true },
  strong: { bold: true },
  code: PLAIN,
  link: { underline: true },
  quote: { italic: true },
  border: { dim: true },
  selection: { bold: true },
  match: { underline: true },
  success: PLAIN,
  warning: { bold: true },
  error: { bold: true },
  blocked: { bold: true },
  added: PLAIN,
  removed: PLAIN,
  keyword: PLAIN,
  string: PLAIN,
  number: PLAIN,
  comment: { dim: true },
};

/** Names of the sixteen colours follow the palette a person chose for the terminal. */
const PALETTES: Record<ThemeName, Partial<Record<Role, Style>>> = {
  dark: {
    accent: { foreground: "cyan" },
    heading: { foreground: "cyan" },
    code: { foreground: "yellow" },
    link: { foreground: "blue" },
    quote: { foreground: "green" },
    selection: { foreground: "cyan" },
    success: { foreground: "green" },
    warning: { foreground: "yellow" },
    error: { foreground: "red" },
    blocked: { foreground: "magenta" },
    added: { foreground: "green" },
    removed: { foreground: "red" },
    keyword: { foreground: "magenta" },
    string: { foreground: "green" },
    number: { foreground: "yellow" },
  },
  light: {
    accent: { foreground: "blue" },
    heading: { foreground: "blue" },
    code: { foreground: 94 },
    link: { foreground: "blue" },
    quote: { foreground: 28 },
    selection: { foreground: "blue" },
    success: { foreground: 28 },
    warning: { foreground: 94 },
    error: { foreground: 124 },
    blocked: { foreground: "magenta" },
    added: { foreground: 28 },
    removed: { foreground: 124 },
    keyword: { foreground: "magenta" },
    string: { foreground: 28 },
    number: { foreground: 94 },
  },
  "high-contrast": {
    muted: { dim: false },
    border: { dim: false },
    comment: { dim: false, italic: true },
    accent: { foreground: "bright-cyan" },
    heading: { foreground: "bright-white", underline: true },
    code: { foreground: "bright-yellow" },
    link: { foreground: "bright-cyan" },
    selection: { inverse: true },
    match: { bold: true },
    success: { foreground: "bright-green", bold: true },
    warning: { foreground: "bright-yellow" },
    error: { foreground: "bright-red" },
    blocked: { foreground: "bright-magenta" },
    added: { foreground: "bright-green" },
    removed: { foreground: "bright-red" },
    keyword: { bold: true },
    string: { foreground: "bright-green" },
    number: { foreground: "bright-yellow" },
  },
  ascii: {},
};

const GLYPHS: Glyphs = {
  bullet: "•",
  pointer: "›",
  ellipsis: "…",
  separator: "·",
  horizontal: "─",
  vertical: "│",
  checked: "☑",
  unchecked: "☐",
  success: "✓",
  failure: "✗",
  blocked: "⊘",
  full: "█",
  empty: "░",
  spinner: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
};

const ASCII_GLYPHS: Glyphs = {
  bullet: "*",
  pointer: ">",
  ellipsis: "...",
  separator: "|",
  horizontal: "-",
  vertical: "|",
  checked: "[x]",
  unchecked: "[ ]",
  success: "+",
  failure: "x",
  blocked: "!",
  full: "#",
  empty: "-",
  spinner: ["|", "/", "-", "\\"],
};
