import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { findTreeFault } from "../../models/tree-fault.ts";
import { yamlPositions } from "../../models/yaml-positions.ts";
import { asObject } from "../../protocol/json.ts";
import { SETTING_ROWS } from "../../protocol/setting-rows.ts";
import { holdsSomething } from "../../system/empty-folder.ts";
import type { Memo } from "../../system/memo.ts";
import type { RalphPaths } from "../../system/paths.ts";
import { readTextFile } from "../../system/text-file.ts";
import {
  type Checked,
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
  /** Settings given as flags, with the flag's name. What they say is judged by whoever uses it. */
  flags: { key: string; flag: string; value: unknown }[];
  memo: Memo;
  /** Whether the files of the project may do more than tighten. */
  isTrusted(): boolean;
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
  layers.push(...environmentLayers(sources));
  const checked = await check(layers, sources.memo);
  const settings = mergeLayers([...checked, ...flagLayers(sources)], sources.isTrusted);
  return { ...settings, problems: [...problems, ...settings.problems].map(withLine) };
}

/** The line a mistake stands on. The file is read once more, but only where there is one. */
function withLine(problem: Settings["problems"][number]): Settings["problems"][number] {
  const { origin, key } = problem;
  if (origin.layer === "environment" || origin.layer === "flag" || key === "") return problem;
  const file = readTextFile(origin.place, { maxBytes: MAX_BYTES });
  if (!file.ok) return problem;
  return { ...problem, line: yamlPositions(file.text).find(key.split(".")).line };
}

/** The files that hold settings, weakest first. */
function settingsFiles({ paths, cwd }: SettingsSources): Origin[] {
  const project = join(projectRoot(cwd), ".ralph");
  return [
    { layer: "user", place: join(paths.config, "config.yml") },
    { layer: "project", place: join(project, "config.yml") },
    { layer: "project-local", place: join(project, "config.local.yml") },
  ];
}

/** What says that a folder is a project: settings of its own, or a repository. */
const PROJECT_MARKS = [".ralph", ".git"];

/** The nearest folder at or above `cwd` with one of the marks, else `cwd` itself. */
export function projectRoot(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (PROJECT_MARKS.some((mark) => holdsSomething(join(folder, mark)))) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}

const MAX_BYTES = 1_000_000;

async function readLayer(origin: Origin): Promise<Layer | Settings["problems"][number] | undefined> {
  if (!existsSync(origin.place)) return undefined;
  const file = readTextFile(origin.place, { maxBytes: MAX_BYTES });
  if (!file.ok) return file.reason === "missing" ? undefined : { origin, key: "", message: file.message };
  try {
    const document: unknown = Bun.YAML.parse(file.text) ?? {};
    const fault = findTreeFault(document);
    if (fault !== undefined) return { origin, key: fault.path.join("."), message: `${fault.message} ${fault.remedy}` };
    if (asObject(document) === undefined) return { origin, key: "", message: "it holds no settings (key: value)" };
    return { origin, values: dottedValues(document) };
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
    return [{ origin: { layer: "environment", place: variable }, values: [[key, parsed]] }];
  });
}

function flagLayers({ flags }: SettingsSources): Layer<Checked>[] {
  return flags.map(({ key, flag, value }) => ({
    origin: { layer: "flag", place: flag },
    values: [[key, { ok: true, value }]],
  }));
}

/** Judges every value by its schema. The schemas are loaded only for values that were not judged at an earlier start. */
async function check(layers: Layer[], memo: Memo): Promise<Layer<Checked>[]> {
  if (layers.length === 0) return [];
  const text = JSON.stringify(layers);
  const known = memo.find("settings", text);
  if (known !== undefined) return known.value as Layer<Checked>[];
  const { judgeSetting } = await import("./judge-setting.ts");
  const checked = layers.map(({ origin, values }) => ({
    origin,
    values: values.map(([key, value]): [string, Checked] => [key, judgeSetting(key, value)]),
  }));
  await memo.keep("settings", text, checked);
  return checked;
}
