import type { InteractiveRun } from "../../interactive/run-interactive.ts";
import { PROVIDERS, type ProviderRow } from "../../llm/providers.ts";
import { DEFAULT_MODELS } from "../../models/default-models.ts";
import type { RunContext } from "../run-context.ts";
import { askChoice, askSecret } from "./ask-person.ts";

/** What is different after the choice. */
export type FirstChoice =
  | { type: "key"; variable: string; key: string }
  /** Look again: a server was started, or a key was stored. */
  | { type: "again" }
  | { type: "demo" }
  /** The loop, demonstrated; then this is over. */
  | { type: "loop" }
  | { type: "skip" };

/** Nothing is configured that could answer: a short choice of what to do about it. Esc skips it. */
export async function firstRun(context: RunContext, run: InteractiveRun, problem: string): Promise<FirstChoice> {
  const host = run.host();
  host.say(`**Welcome.** ${problem}`);
  for (;;) {
    const wish = await askChoice(run, "How do you want to begin?", [
      { value: "key" as const, label: "with a key of a provider", description: "Anthropic, OpenAI, Google, …" },
      { value: "local" as const, label: "with a local server", description: "Ollama, LM Studio, llama.cpp" },
      { value: "demo" as const, label: "with the demo", description: "nothing is sent anywhere" },
      {
        value: "loop" as const,
        label: "by watching the loop",
        description: "three stories, proven; nothing is sent anywhere",
      },
      { value: "skip" as const, label: "not now", description: "leave" },
    ]);
    if (wish === undefined || wish === "skip") return { type: "skip" };
    if (wish === "demo" || wish === "loop") return { type: wish };
    const choice = wish === "key" ? await keyChoice(context, run) : await localChoice(context, run);
    if (choice !== undefined) return choice;
  }
}

async function keyChoice(context: RunContext, run: InteractiveRun): Promise<FirstChoice | undefined> {
  const rows = PROVIDERS.filter(({ id, keyVariables }) => keyVariables.length > 0 && Object.hasOwn(DEFAULT_MODELS, id));
  const order = Object.keys(DEFAULT_MODELS);
  const provider = await askChoice(
    run,
    "Whose key do you have?",
    rows
      .toSorted((one, other) => order.indexOf(one.id) - order.indexOf(other.id))
      .map((row) => ({ value: row, label: row.name, description: row.keyVariables[0] ?? "" })),
  );
  const variable = provider?.keyVariables[0];
  if (provider === undefined || variable === undefined) return undefined;
  const about = `${provider.signUpHint ?? ""} Type or paste it; only its length is shown.`.trim();
  const key = await askSecret(run, `The key of ${provider.name}`, about);
  if (key === undefined) return undefined;
  return (await isToBeKept(context, run, variable))
    ? keepKey(context, run, { provider, variable, key })
    : { type: "key", variable, key };
}

async function isToBeKept({ paths }: RunContext, run: InteractiveRun, variable: string): Promise<boolean> {
  const kept = await askChoice(run, "For how long?", [
    { value: false, label: "for now", description: `set ${variable} in your shell to have it every time` },
    { value: true, label: "keep it", description: `in ${paths.config}/models.yml, readable only for you` },
  ]);
  return kept === true;
}

interface KeyToKeep {
  provider: ProviderRow;
  variable: string;
  key: string;
}

/** What cannot be kept counts for now. */
async function keepKey(
  { paths }: RunContext,
  run: InteractiveRun,
  { provider, variable, key }: KeyToKeep,
): Promise<FirstChoice> {
  const { writeYamlValue } = await import("../settings/write-setting.ts");
  const { chmod } = await import("node:fs/promises");
  const path = `${paths.config}/models.yml`;
  const problem = await writeYamlValue({ path, keys: ["providers", provider.id, "apiKey"], value: key });
  if (problem !== undefined) {
    run.host().say(`The key counts for now only: ${problem}`);
    return { type: "key", variable, key };
  }
  await chmod(path, 0o600).catch(() => undefined);
  run.host().say(`The key is in \`${path}\`.`);
  return { type: "again" };
}

async function localChoice(context: RunContext, run: InteractiveRun): Promise<FirstChoice | undefined> {
  const { listModels } = await import("./services/models.ts");
  const found = (await listModels(context)).filter(
    ({ provider, problem }) => problem === undefined && LOCAL.includes(provider),
  );
  if (found.length > 0) return { type: "again" };
  run.host().say("No server answers on this machine. Start one (for example `ollama serve`) and choose this again.");
  return undefined;
}

const LOCAL = ["ollama", "lm-studio", "llama.cpp"];
