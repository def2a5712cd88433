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

export interface Layer {
  origin: Origin;
  /** Raw values by dotted key, not yet checked. */
  values: Map<string, unknown>;
}

export interface SettingProblem {
  origin: Origin;
  key: string;
  message: string;
}

export interface Settings {
  values: SettingValues;
  /** Per key, weakest first. The last one is in force. */
  history: Map<SettingKey, { origin: Origin; value: unknown }[]>;
  problems: SettingProblem[];
}

export type CheckValue = (
  key: SettingKey,
  value: unknown,
) => { ok: true; value: unknown } | { ok: false; message: string };

export const SETTING_KEYS = Object.keys(SETTING_ROWS) as SettingKey[];

/** Pure: the settings that follow from the layers, weakest first. What is wrong in a layer is left out and told. */
export function mergeLayers(layers: Layer[], check: CheckValue): Settings {
  const values: Record<string, unknown> = {};
  const history: Settings["history"] = new Map();
  const problems: SettingProblem[] = [];
  for (const key of SETTING_KEYS) {
    const value = SETTING_ROWS[key].default;
    if (value !== undefined) record(key, { layer: "default", place: "built in" }, value);
  }
  for (const { origin, values: raw } of layers) {
    for (const [name, value] of raw) {
      const problem = judge(name, value, origin);
      if (problem !== undefined) problems.push({ origin, key: name, message: problem });
    }
  }
  return { values: values as SettingValues, history, problems };

  function judge(name: string, value: unknown, origin: Origin): string | undefined {
    if (!isSettingKey(name)) return "there is no such setting";
    if (SETTING_ROWS[name].project === "never" && origin.layer.startsWith("project")) {
      return "a project may not set this: put it into your own config.yml";
    }
    const checked = check(name, value);
    if (!checked.ok) return checked.message;
    record(name, origin, checked.value);
    return undefined;
  }

  function record(key: SettingKey, origin: Origin, value: unknown): void {
    values[key] = value;
    history.set(key, [...(history.get(key) ?? []), { origin, value }]);
  }
}

export function isSettingKey(name: string): name is SettingKey {
  return Object.hasOwn(SETTING_ROWS, name);
}

/** The dotted keys of a parsed file: known settings with their values, and whatever else stands there, so that it can be named. */
export function dottedValues(document: unknown): Map<string, unknown> {
  const values = new Map<string, unknown>();
  const root = asObject(document);
  if (root === undefined) return values;
  for (const key of SETTING_KEYS) {
    const value = Object.hasOwn(root, key) ? root[key] : at(root, ...key.split("."));
    if (value !== undefined && value !== null) values.set(key, value);
  }
  for (const name of unknownKeys(root, "")) values.set(name, undefined);
  return values;
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
