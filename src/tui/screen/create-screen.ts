import { createInlineScreen, type InlineScreenOptions } from "./inline-screen.ts";
import { createPlainScreen } from "./plain-screen.ts";
import type { Screen } from "./screen.ts";

export interface ScreenOptions extends InlineScreenOptions {
  /** Finished lines only and no sequences: for what is no terminal, and for people who have the screen read to them. */
  isPlain: boolean;
}

export function createScreen(options: ScreenOptions): Screen {
  return options.isPlain ? createPlainScreen(options.write) : createInlineScreen(options);
}
