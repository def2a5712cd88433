// The names of keys with modifiers.

export interface Modifiers {
  hasCtrl: boolean;
  hasAlt: boolean;
  hasShift: boolean;
  hasSuper: boolean;
}

export const NO_MODIFIERS: Modifiers = { hasCtrl: false, hasAlt: false, hasShift: false, hasSuper: false };

export function chordOf(key: string, modifiers: Modifiers): string {
  const { hasCtrl, hasAlt, hasShift, hasSuper } = modifiers;
  return `${hasCtrl ? "ctrl+" : ""}${hasAlt ? "alt+" : ""}${hasShift ? "shift+" : ""}${hasSuper ? "super+" : ""}${key}`;
}

/** The chord a typed character stands for. A capital letter is its key with Shift. */
export function chordOfCharacter(character: string, modifiers: Modifiers = NO_MODIFIERS): string {
  if (character === " ") return chordOf("space", modifiers);
  const small = character.toLowerCase();
  const isCapital = small !== character && small.toUpperCase() === character;
  return chordOf(isCapital ? small : character, { ...modifiers, hasShift: modifiers.hasShift || isCapital });
}

const ALIASES: Record<string, string> = {
  control: "ctrl",
  option: "alt",
  meta: "alt",
  cmd: "super",
  command: "super",
  win: "super",
  esc: "escape",
  return: "enter",
  del: "delete",
  ins: "insert",
  pageup: "page-up",
  pgup: "page-up",
  pagedown: "page-down",
  pgdn: "page-down",
  plus: "+",
};

export const KEY_NAMES: ReadonlySet<string> = new Set([
  "enter",
  "tab",
  "escape",
  "space",
  "backspace",
  "delete",
  "insert",
  "up",
  "down",
  "left",
  "right",
  "home",
  "end",
  "page-up",
  "page-down",
  "begin",
  "menu",
  ...Array.from({ length: 35 }, (_, index) => `f${index + 1}`),
]);

/** A chord as people write it (`Shift+Ctrl+P`, `Alt+PageUp`) in the spelling of key events; undefined when it names no key. */
export function readChord(written: string): string | undefined {
  const parts = written
    .trim()
    .toLowerCase()
    .replace(/\+$/, "plus")
    .split("+")
    .map((part) => ALIASES[part] ?? part);
  const key = parts.pop() ?? "";
  if (parts.some((part) => !["ctrl", "alt", "shift", "super"].includes(part))) return undefined;
  if (!KEY_NAMES.has(key) && [...key].length !== 1) return undefined;
  return chordOf(key, {
    hasCtrl: parts.includes("ctrl"),
    hasAlt: parts.includes("alt"),
    hasShift: parts.includes("shift"),
    hasSuper: parts.includes("super"),
  });
}
