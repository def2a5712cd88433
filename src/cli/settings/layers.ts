import { asObject, at } from "../../protocol/json.ts";
import { SETTING_ROWS } from "../../protocol/setting-rows.ts";
import type { SettingKey, SettingValues } from "../../protocol/settings.ts";

// Settings come in layers; the last layer that names a key decides it, and every layer that named it is remembered.

/** Where a value stands: `default`, a file, an environment variable or a flag. */
export interface Origin {
  layer: "default" | "user" | "project" | "project-local" | "environment" | "flag";
  /** The file, variable or flag. */
  place: string;
}

export interface Layer<Value = unknown> {
  origin: Origin;
  /** By dotted key. */
  values: [key: string, value: Value][];
}

/** A value that was judged by its schema. */
export type Checked = { ok: true; value: unknown } | { ok: false; message: string };

export interface SettingProblem {
  origin: Origin;
  /** Empty where the whole file is meant. */
  key: string;
  line?: number;
  message: string;
}

export interface Settings {
  values: SettingValues;
  /** Per key, weakest first. The last one is in force. */
  history: Map<SettingKey, { origin: Origin; value: unknown }[]>;
  problems: SettingProblem[];
  /** What a project says that only counts once its folder is trusted. */
  untrusted: { origin: Origin; key: SettingKey }[];
}

export const SETTING_KEYS = Object.keys(SETTING_ROWS) as SettingKey[];

/**
 * The settings that follow from the layers, weakest first. What is wrong in a layer is left out and told. `isTrusted` is asked only
 * where a project says something that needs trust.
 */
export function mergeLayers(layers: Layer<Checked>[], isTrusted: () => boolean): Settings {
  const values: Record<string, unknown> = {};
  const history: Settings["history"] = new Map();
  const problems: SettingProblem[] = [];
  const untrusted: Settings["untrusted"] = [];
  const record = (key: SettingKey, origin: Origin, value: unknown) => {
    values[key] = value;
    history.set(key, [...(history.get(key) ?? []), { origin, value }]);
  };
  const combined = (key: SettingKey, origin: Origin, value: unknown) => {
    const adds = SETTING_ROWS[key].project === "adds" && origin.layer.startsWith("project");
    return adds && Array.isArray(value) && Array.isArray(values[key])
      ? [...(values[key] as unknown[]), ...value]
      : value;
  };
  for (const key of SETTING_KEYS) {
    const value = SETTING_ROWS[key].default;
    if (value !== undefined) record(key, { layer: "default", place: "built in" }, value);
  }
  for (const { origin, values: judged } of layers) {
    for (const [key, checked] of judged) {
      const problem = problemWith(key, checked, origin);
      if (problem !== undefined) problems.push({ origin, key, message: problem });
      else if (!isSettingKey(key) || !checked.ok) continue;
      else if (needsTrust(key, origin) && !isTrusted()) untrusted.push({ origin, key });
      else record(key, origin, combined(key, origin, checked.value));
    }
  }
  return { values: values as SettingValues, history, problems, untrusted };
}

function needsTrust(key: SettingKey, { layer }: Origin): boolean {
  return layer.startsWith("project") && SETTING_ROWS[key].project === "allowed";
}

function problemWith(key: string, checked: Checked, origin: Origin): string | undefined {
  if (!checked.ok) return checked.message;
  const isForeign = isSettingKey(key) && SETTING_ROWS[key].project === "never" && origin.layer.startsWith("project");
  return isForeign ? "a project may not set this: put it into your own config.yml" : undefined;
}

export function isSettingKey(name: string): name is SettingKey {
  return Object.hasOwn(SETTING_ROWS, name);
}

/** The dotted keys of a parsed file: known settings with their values, and whatever else stands there, so that it can be named. */
export function dottedValues(document: unknown): [key: string, value: unknown][] {
  const root = asObject(document);
  if (root === undefined) return [];
  const known = SETTING_KEYS.map((key): [string, unknown] => [
    key,
    Object.hasOwn(root, key) ? root[key] : at(root, ...key.split(".")),
  ]);
  const unknown = unknownKeys(root, "").map((key): [string, unknown] => [key, null]);
  return [...known.filter(([, value]) => value !== undefined && value !== null), ...unknown];
}

function unknownKeys(object: Record<string, unknown>, prefix: string): string[] {
  return Object.keys(object).flatMap((name) => {
    const key = `${prefix}${name}`;
    if (isSettingKey(key)) return [];
    const child = asObject(object[name]);
    const isGroup = SETTING_KEYS.some((known) => known.startsWith(`${key}.`));
    return isGroup && child !== undefined ? unknownKeys(child, `${key}.`) : [key];
  });
}

/** One line for a person: where, what, and what is wrong with it. */
export function describeProblem({ origin, key, line, message }: SettingProblem): string {
  const place = line === undefined ? origin.place : `${origin.place}:${line}`;
  return `${place}${key === "" ? "" : `: ${key}`}: ${message.replace(/\.$/, "")}`;
}
