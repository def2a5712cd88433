import { readableChord } from "../../tui/components/key-hints.ts";
import { readChord } from "../../tui/keys/chord.ts";
import { nearestName } from "../nearest-name.ts";
import { ACTIONS, isActionId, placeOf } from "./actions.ts";
import { type KeyPreset, type KeyWishes, PRESETS, presetChords } from "./key-map.ts";
import { nameNow } from "./old-names.ts";

// `keybindings.json`: a flat object from actions to chords, and `preset`. What cannot be used is a warning, never a failure.

export interface ReadBindings extends KeyWishes {
  warnings: readonly string[];
  /** The file with today's names, in the order of the table; only where it has old ones. */
  migrated?: string;
}

const LARGEST_FILE = 256 * 1024;

export function readBindings(text: string): ReadBindings {
  const parsed = parse(text);
  if (typeof parsed === "string") return { preset: "default", bindings: {}, warnings: [warning(parsed)] };
  const warnings: string[] = [];
  const preset = readPreset(parsed.preset, warnings);
  const { named, isOld } = withNamesOfToday(parsed, warnings);
  const bindings: Record<string, readonly string[]> = {};
  for (const [id, written] of named) {
    const chords = isActionId(id) ? readChords(id, written, warnings) : unknownAction(id, warnings);
    if (chords !== undefined) bindings[id] = chords;
  }
  warnings.push(...conflictsOf({ preset, bindings }));
  return { preset, bindings, warnings, ...(isOld && { migrated: fileOf(parsed.preset, named) }) };
}

function parse(text: string): Record<string, unknown> | string {
  if (text.length > LARGEST_FILE) return `it is larger than ${LARGEST_FILE / 1024} KB and is not read.`;
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
    return 'it must be an object like {"app.exit": "Ctrl+D"}. The keys are as without it.';
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `it is no JSON (${why}). The keys are as without it.`;
  }
}

function readPreset(written: unknown, warnings: string[]): KeyPreset {
  const known = PRESETS.find((name) => name === written);
  if (known === undefined && written !== undefined)
    warnings.push(warning(`there is no preset ${JSON.stringify(written)}. There are: ${PRESETS.join(", ")}.`));
  return known ?? "default";
}

/** In the order of the table; names that mean nothing come last. Today's name wins over an old one. */
function withNamesOfToday(parsed: Record<string, unknown>, warnings: string[]) {
  const named = new Map<string, unknown>();
  let isOld = false;
  for (const [name, written] of Object.entries(parsed)) {
    if (name === "preset") continue;
    const today = isActionId(name) ? undefined : nameNow(name);
    isOld ||= today !== undefined;
    if (today !== undefined && Object.hasOwn(parsed, today))
      warnings.push(warning(`${name} is ${today} now, and that is there too: ${name} is left out.`));
    else named.set(today ?? name, written);
  }
  const order = (id: string) => {
    const at = ACTIONS.findIndex((row) => row.id === id);
    return at < 0 ? ACTIONS.length : at;
  };
  return { named: [...named].sort(([one], [other]) => order(one) - order(other)), isOld };
}

function unknownAction(id: string, warnings: string[]): undefined {
  const names = ACTIONS.map((row) => row.id);
  const near = nearestName(id, names) ?? names.find((name) => name.endsWith(`.${id.split(".").at(-1)}`));
  const advice = id === "keybindings" ? "Write the actions themselves into the file." : undefined;
  const meant = near === undefined ? "See /hotkeys." : `Is ${near} meant?`;
  warnings.push(warning(`there is no action ${JSON.stringify(id)}. ${advice ?? meant}`));
}

/** Without a key for it nothing could be sent, `/exit` neither. */
const NEEDED = "app.message.send";

function readChords(id: string, written: unknown, warnings: string[]): readonly string[] | undefined {
  const list = typeof written === "string" ? [written] : written;
  if (!Array.isArray(list)) {
    warnings.push(warning(`${id} must be a key or a list of keys. It is as without the file.`));
    return undefined;
  }
  const chords = list.flatMap((one: unknown) => {
    const chord = typeof one === "string" ? readChord(one) : undefined;
    if (chord === undefined) warnings.push(warning(`${id}: ${JSON.stringify(one)} is no key.`));
    return chord ?? [];
  });
  if (chords.length === 0 && id === NEEDED) {
    warnings.push(warning(`${id} needs a key. It is as without the file.`));
    return undefined;
  }
  // Nothing but mistakes must not switch an action off: only an empty list does.
  return chords.length === 0 && list.length > 0 ? undefined : chords;
}

/** Two actions of one place on one chord, where the file made it so. */
function conflictsOf({ preset, bindings }: KeyWishes): string[] {
  const users = new Map<string, string[]>();
  for (const row of ACTIONS) {
    for (const chord of bindings[row.id] ?? presetChords(row, preset)) {
      const key = `${placeOf(row.id)} ${chord}`;
      users.set(key, [...(users.get(key) ?? []), row.id]);
    }
  }
  return [...users].flatMap(([key, ids]) => {
    const [first, ...others] = ids;
    if (others.length === 0 || !ids.some((id) => bindings[id] !== undefined)) return [];
    const chord = readableChord(key.slice(key.indexOf(" ") + 1));
    return [warning(`${chord} is bound to ${ids.join(" and ")}; ${first} gets it.`)];
  });
}

function fileOf(preset: unknown, named: readonly (readonly [string, unknown])[]): string {
  const file = { ...(preset === undefined ? {} : { preset }), ...Object.fromEntries(named) };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

function warning(text: string): string {
  return `keybindings.json: ${text}`;
}
