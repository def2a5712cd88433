import { createTheme, type Theme, type ThemeName } from "../tui/style/theme.ts";

export const THEMES: readonly ThemeName[] = ["dark", "light", "high-contrast", "ascii"];

/** Undefined where there is no theme of this name. */
export function themeNamed(name: string, hasAsciiGlyphs: boolean): Theme | undefined {
  const known = THEMES.find((one) => one === name);
  return known === undefined ? undefined : createTheme(known, { hasAsciiGlyphs: hasAsciiGlyphs || known === "ascii" });
}
