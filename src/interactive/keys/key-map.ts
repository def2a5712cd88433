import { readChord } from "../../tui/keys/chord.ts";
import { ACTIONS, type ActionId, type ActionRow } from "./actions.ts";

/** Which keys do what, after a person's own wishes. */
export interface KeyMap {
  /** Whether the chord means this action. Several actions may share one: which counts is for whoever has the focus. */
  means(chord: string, action: ActionId): boolean;
  chordsOf(action: ActionId): readonly string[];
  /** Whether the person chose these keys, and not the preset. */
  isRemapped(action: ActionId): boolean;
  preset: KeyPreset;
}

/** `sofos`: other chords. `vim`: the keys of vi in the input. */
export const PRESETS = ["default", "sofos", "vim"] as const;
export type KeyPreset = (typeof PRESETS)[number];

export interface KeyWishes {
  preset: KeyPreset;
  /** Action id → chords as they are written; an empty list switches the action off. */
  bindings: Readonly<Record<string, readonly string[]>>;
}

export interface KeyMapResult {
  keys: KeyMap;
  /** What could not be used, for a person. */
  warnings: readonly string[];
}

export function createKeyMap({ preset, bindings }: KeyWishes): KeyMapResult {
  const warnings: string[] = [];
  const chords = new Map<string, readonly string[]>();
  for (const row of ACTIONS) chords.set(row.id, presetChords(row, preset));
  for (const [id, written] of Object.entries(bindings)) {
    if (!chords.has(id)) {
      warnings.push(`keybindings.json: there is no action ${JSON.stringify(id)}. See /hotkeys.`);
      continue;
    }
    chords.set(id, readAll(id, written, warnings));
  }
  return {
    keys: {
      means: (chord, action) => chords.get(action)?.includes(chord) ?? false,
      chordsOf: (action) => chords.get(action) ?? [],
      isRemapped: (action) => Object.hasOwn(bindings, action),
      preset,
    },
    warnings,
  };
}

export function presetChords(row: ActionRow, preset: KeyPreset): readonly string[] {
  return preset === "sofos" ? (row.sofos ?? row.chords) : row.chords;
}

function readAll(id: string, written: readonly string[], warnings: string[]): string[] {
  return written.flatMap((text) => {
    const chord = readChord(text);
    if (chord === undefined) warnings.push(`keybindings.json: ${id}: ${JSON.stringify(text)} is no key.`);
    return chord ?? [];
  });
}
