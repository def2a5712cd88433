import type { Theme } from "../style/theme.ts";

export interface MarkdownOptions {
  theme: Theme;
  /** Whether links can be followed in the terminal; otherwise their addresses are written out. */
  hasLinks: boolean;
}
