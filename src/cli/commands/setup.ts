import { PROVIDER_PRESETS, providerPreset } from "../../models/provider-presets.ts";
import { nearestChoices } from "../../system/nearest.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../output.ts";
import { flagText, type RunContext } from "../run-context.ts";
import { writeYamlValue } from "../settings/write-setting.ts";

/** `ralph setup provider --preset NAME` writes a ready-made provider into models.yml. It names the key's variable, never a key. */
export async function setup(context: RunContext): Promise<number> {
  const name = flagText(context, "preset");
  const preset = name === undefined ? undefined : providerPreset(name);
  if (context.arguments.words[0] !== "provider" || name === undefined || preset === undefined) {
    const names = PROVIDER_PRESETS.map((known) => known.name);
    const [close] = name === undefined ? [] : nearestChoices(name, names, 1);
    const unknown =
      name === undefined
        ? ""
        : `There is no preset "${name}"${close === undefined ? "." : `; did you mean ${close}?`} `;
    context.note(`${unknown}Use: ralph setup provider --preset ${names.join("|")}`);
    return EXIT.usage;
  }
  const path = `${context.paths.config}/models.yml`;
  const problem = await writeYamlValue({ path, keys: ["providers", preset.provider], value: preset.entry });
  if (problem !== undefined) {
    context.note(problem);
    return EXIT.failed;
  }
  const variable = preset.entry.apiKeyEnv;
  const next =
    context.environment[variable] === undefined ? `Set ${variable} to your key, then` : `${variable} is set.`;
  print(
    `Provider ${preset.provider} is in ${path}. ${next} try: ralph -p --model ${preset.provider}/${preset.entry.models[0]?.id ?? ""} hello\n`,
  );
  return EXIT.done;
}
