import type { Reflow } from "../tui/screen/reflow.ts";
import type { ScreenSize } from "../tui/screen/screen.ts";
import type { PrintOptions } from "../tui/style/print-line.ts";
import type { ThemeName } from "../tui/style/theme.ts";

/** The terminal as it is handed in: streams, size, time. */
export interface TerminalPort {
  /** False when it does not read; `onDrain` tells when it does again. */
  write(text: string): boolean;
  size(): ScreenSize;
  onInput(listener: (bytes: Uint8Array) => void): () => void;
  onResize(listener: () => void): () => void;
  /** The process stood still and goes on; others have written to the terminal meanwhile. */
  onBack(listener: () => void): () => void;
  onDrain(listener: () => void): () => void;
  /** Gives the keyboard back to the terminal's own line editing, and takes it again. */
  setRaw(isRaw: boolean): void;
  /** Whether what is typed comes here; while another program has the terminal it does not. */
  setReading(isReading: boolean): void;
  /** Puts the process into the background; resolves when it is back. */
  suspend(): Promise<void>;
  setTimer(callback: () => void, milliseconds: number): () => void;
  /** Milliseconds from an unknown start. */
  now(): number;
}

export interface Looks {
  theme: ThemeName;
  /** The theme follows the terminal's background, once that is known. */
  isThemeAutomatic: boolean;
  /** The value of TERM, for what the terminal does when its window changes. */
  term: string;
  hasAsciiGlyphs: boolean;
  print: PrintOptions;
  reflow: Reflow;
  /** Lines only, for a screen reader. */
  isPlain: boolean;
}
