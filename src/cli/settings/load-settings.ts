import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { SETTING_ROWS } from "../../protocol/setting-rows.ts";
import { readTextFile } from "../../system/files.ts";
import type { RalphPaths } from "../../system/paths.ts";
import {
  type CheckValue,
  dottedValues,
  type Layer,
  mergeLayers,
  type Origin,
  SETTING_KEYS,
  type Settings,
} from "./layers.ts";

export interface SettingsSources {
  paths: RalphPaths;
  cwd: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Settings given as flags, with the flag's name. */
  flags: { key: string; flag: string; value: unknown }[];
}

/** Defaults, user file, project files, environment, flags. Files that are not there cost nothing but a look. */
export async function loadSettings(sources: SettingsSources): Promise<Settings> {
  const problems: Settings["problems"] = [];
  const layers: Layer[] = [];
  for (const origin of settingsFiles(sources)) {
    const layer = await readLayer(origin);
    if (layer !== undefined && "message" in layer) problems.push(layer);
    else if (layer !== undefined) layers.push(layer);
  }
  layers.push(...environmentLayers(sources), ...flagLayers(sources));
  const settings = mergeLayers(layers, layers.length === 0 ? trusting : await checker());
  return { ...settings, problems: [...problems, ...settings.problems] };
}

/** The files that may hold settings, weakest first, whether or not they exist. */
export function settingsFiles({ paths, cwd }: Pick<SettingsSources, "paths" | "cwd">): Origin[] {
  const project = join(projectRoot(cwd), ".ralph");
  return [
    { layer: "user", place: join(paths.config, "config.yml") },
    { layer: "project", place: join(project, "config.yml") },
    { layer: "project-local", place: join(project, "config.local.yml") },
  ];
}

/** The nearest folder at or above `cwd` with a `.ralph` or `.git`, else `cwd` itself. */
export function projectRoot(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".ralph")) || existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}

const MAX_BYTES = 1_000_000;

async function readLayer(origin: Origin): Promise<Layer | Settings["problems"][number] | undefined> {
  const file = await readTextFile(origin.place, { maxBytes: MAX_BYTES });
  if (!file.ok) return file.reason === "missing" ? undefined : { origin, key: "", message: file.message };
  try {
    return { origin, values: dottedValues(Bun.YAML.parse(file.text)) };
  } catch (error) {
    return { origin, key: "", message: `it is not YAML: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function environmentLayers({ environment }: SettingsSources): Layer[] {
  return SETTING_KEYS.flatMap((key) => {
    const variable = SETTING_ROWS[key].environment;
    const value = variable === undefined ? undefined : environment[variable];
    if (variable === undefined || value === undefined || value === "") return [];
    const parsed = typeof SETTING_ROWS[key].default === "number" ? Number(value) : value;
    return [{ origin: { layer: "environment", place: variable }, values: new Map<string, unknown>([[key, parsed]]) }];
  });
}

function flagLayers({ flags }: SettingsSources): Layer[] {
  return flags.map(({ key, flag, value }) => ({
    origin: { layer: "flag", place: flag },
    values: new Map([[key, value]]),
  }));
}

const trusting: CheckValue = (_, value) => ({ ok: true, value });

/** Schemas are loaded only when there is something to check. */
async function checker(): Promise<CheckValue> {
  const { settingSchemas } = await import("../../protocol/settings.ts");
  return (key, value) => {
    const parsed = settingSchemas[key].safeParse(value);
    if (parsed.success) return { ok: true, value: parsed.data };
    return { ok: false, message: parsed.error.issues[0]?.message ?? "it has the wrong form" };
  };
}
