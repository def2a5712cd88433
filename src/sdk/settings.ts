import { type EmbedWish, embedContext } from "../cli/embed-context.ts";
import {
  type Checked,
  describeProblem,
  mergeLayers,
  type Origin,
  type Settings as SettingsInForce,
} from "../cli/settings/layers.ts";
import type { SettingKey, SettingValues } from "../protocol/settings.ts";
import { RalphError } from "./ralph-error.ts";

export type SettingsPlaces = Pick<EmbedWish, "cwd" | "agentDir" | "environment">;

/** Settings by their dotted keys, see docs/settings.md. */
export class Settings {
  private constructor(
    /** For the session that uses them. */
    readonly inForce: SettingsInForce,
  ) {}

  /** As the command line finds them: defaults, config.yml of the person, of the project, the environment. */
  static async init(places: SettingsPlaces = {}): Promise<Settings> {
    const opened = await embedContext(places);
    if (!opened.ok) throw new RalphError("invalid", opened.message);
    return new Settings(opened.context.settings);
  }

  /** Defaults and these values: no file and no variable counts. */
  static isolated(values: Partial<SettingValues> = {}): Settings {
    const given = Object.entries(values).filter(([, value]) => value !== undefined);
    const layer = { origin: ORIGIN, values: given.map(([key, value]): [string, Checked] => [key, judge(key, value)]) };
    const settings = mergeLayers([layer], () => false);
    const [problem] = settings.problems;
    if (problem !== undefined) throw new RalphError("invalid", `${describeProblem(problem)}.`);
    return new Settings(settings);
  }

  get<Key extends SettingKey>(key: Key): SettingValues[Key] {
    return this.inForce.values[key];
  }

  /** What was wrong in a file and is left out, a line each. */
  get problems(): string[] {
    return this.inForce.problems.map(describeProblem);
  }
}

const ORIGIN: Origin = { layer: "user", place: "Settings.isolated" };

/** The schemas are loaded where values are given. */
function judge(key: string, value: unknown): Checked {
  const {
    judgeSetting,
  }: typeof import("../cli/settings/judge-setting.ts") = require("../cli/settings/judge-setting.ts");
  return judgeSetting(key, value);
}
