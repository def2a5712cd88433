import { SETTING_ROWS } from "../../protocol/setting-rows.ts";
import type { SettingKey } from "../../protocol/settings.ts";
import { nearestChoices } from "../../system/nearest.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { hasFlag, type RunContext } from "../run-context.ts";
import { describeProblem, isSettingKey, type Origin, SETTING_KEYS } from "../settings/layers.ts";
import { tellUntrusted } from "../trust/project-trust.ts";

/** `ralph config` lists every setting; `ralph config why KEY` says where one value comes from and what it overrode. */
export function config(context: RunContext): number {
  const [word, key] = context.arguments.words;
  tellProblems(context);
  if (word !== "why") return list(context);
  if (key === undefined) {
    context.note(`Name a setting: ralph config why KEY. Settings: ${SETTING_KEYS.join(", ")}.`);
    return EXIT.usage;
  }
  if (!isSettingKey(key)) {
    const [close] = nearestChoices(key, SETTING_KEYS, 1);
    context.note(
      `There is no setting "${key}".${close === undefined ? " See: ralph config" : ` Did you mean ${close}?`}`,
    );
    return EXIT.usage;
  }
  return why(context, key);
}

/** Every command that reads settings says once what is wrong in their files. */
export function tellProblems(context: RunContext): void {
  const { settings, note } = context;
  for (const problem of settings.problems) note(`${describeProblem(problem)}; it is left out.`);
  tellUntrusted(context);
}

function list(context: RunContext): number {
  const rows = SETTING_KEYS.map((key) => ({
    key,
    value: context.settings.values[key],
    origin: originOf(context, key),
  }));
  if (hasFlag(context, "json")) {
    print(`${JSON.stringify(rows)}\n`);
    return EXIT.done;
  }
  print(
    settingLines(context)
      .map((line) => `${line}\n`)
      .join(""),
  );
  return EXIT.done;
}

/** Every setting with its value and where that comes from. */
export function settingLines(context: RunContext): string[] {
  return SETTING_KEYS.map((key) => {
    const origin = originOf(context, key);
    const place = origin === undefined ? "not set" : `${origin.layer}: ${origin.place}`;
    return `${key.padEnd(26)}${show(context.settings.values[key]).padEnd(24)} ${place}`;
  });
}

function why(context: RunContext, key: SettingKey): number {
  const history = context.settings.history.get(key) ?? [];
  const { description, environment, project } = SETTING_ROWS[key];
  if (hasFlag(context, "json")) {
    print(`${JSON.stringify({ key, value: context.settings.values[key], history })}\n`);
    return EXIT.done;
  }
  const lines = [
    `${key} = ${show(context.settings.values[key])}`,
    `  ${description}`,
    ...history
      .toReversed()
      .map(
        ({ origin, value }, index) =>
          `  ${index === 0 ? "from" : "over"} ${origin.layer} ${origin.place}: ${show(value)}`,
      ),
    ...(history.length === 0 ? ["  nothing sets it"] : []),
    `  can be set in config.yml${project === "never" ? " (not by a project)" : ""}${environment === undefined ? "" : `, by ${environment}`}`,
  ];
  print(`${lines.join("\n")}\n`);
  return EXIT.done;
}

function originOf(context: RunContext, key: SettingKey): Origin | undefined {
  return context.settings.history.get(key)?.at(-1)?.origin;
}

function show(value: unknown): string {
  return value === undefined ? "–" : typeof value === "string" ? value : JSON.stringify(value);
}
