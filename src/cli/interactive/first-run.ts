import { logIn } from "../../interactive/commands/login-steps.ts";
import type { InteractiveRun } from "../../interactive/run-interactive.ts";
import type { LoginRow } from "../../interactive/services.ts";
import { PROVIDERS } from "../../llm/providers.ts";
import { DEFAULT_MODELS } from "../../models/default-models.ts";
import { checkKey } from "../../models/login/check-key.ts";
import type { LoginProvider } from "../../models/login/login-providers.ts";
import { keepKey } from "../login/keep-key.ts";
import { knownProviders } from "../login/known-providers.ts";
import type { RunContext } from "../run-context.ts";
import { askChoice, askSecret } from "./ask-person.ts";
import { loginServices } from "./services/login.ts";

/** What is different after the choice. */
export type FirstChoice =
  | { type: "key"; variable: string; key: string }
  /** Look again: a server was started, or something was stored. */
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
    const wish = await askChoice(run, "How do you want to begin?", WISHES);
    if (wish === undefined || wish === "skip") return { type: "skip" };
    if (wish === "demo" || wish === "loop") return { type: wish };
    const choice = await CHOICES[wish](context, run);
    if (choice !== undefined) return choice;
  }
}

const WISHES = [
  { value: "key", label: "with a key of a provider", description: "Anthropic, OpenAI, Google, …" },
  { value: "plan", label: "with a ChatGPT plan", description: "you log in with your browser" },
  { value: "local", label: "with a local server", description: "Ollama, LM Studio, llama.cpp" },
  { value: "demo", label: "with the demo", description: "nothing is sent anywhere" },
  { value: "loop", label: "by watching the loop", description: "three stories, proven; nothing is sent anywhere" },
  { value: "skip", label: "not now", description: "leave" },
] as const;

type Choosing = (context: RunContext, run: InteractiveRun) => Promise<FirstChoice | undefined>;

const CHOICES: Record<"key" | "plan" | "local", Choosing> = {
  key: keyChoice,
  plan: planChoice,
  local: localChoice,
};

async function keyChoice(context: RunContext, run: InteractiveRun): Promise<FirstChoice | undefined> {
  const order = Object.keys(DEFAULT_MODELS);
  const providers = (await knownProviders(context)).filter(({ id, method }) => method === "key" && order.includes(id));
  const provider = await askChoice(
    run,
    "Whose key do you have?",
    providers
      .toSorted((one, other) => order.indexOf(one.id) - order.indexOf(other.id))
      .map((row) => ({ value: row, label: row.name, description: variableOf(row) })),
  );
  if (provider === undefined) return undefined;
  const about = `${provider.hint ?? ""} Type or paste it; only its length is shown.`.trim();
  const given = await askSecret(run, `The key of ${provider.name}`, about);
  if (given === undefined) return undefined;
  const checked = checkKey(provider.id, given);
  if (!checked.ok) {
    run.host().say(checked.message);
    return undefined;
  }
  return keepOrUse(context, run, { provider, key: checked.key });
}

function variableOf({ id }: LoginProvider): string {
  return PROVIDERS.find((row) => row.id === id)?.keyVariables[0] ?? "";
}

interface GivenKey {
  provider: LoginProvider;
  key: string;
}

/** What cannot be kept counts for now. */
async function keepOrUse(context: RunContext, run: InteractiveRun, { provider, key }: GivenKey): Promise<FirstChoice> {
  const variable = variableOf(provider);
  const isKept = await askChoice(run, "For how long?", [
    { value: true, label: "keep it", description: "sealed, in a file only you can read; ralph logout forgets it" },
    { value: false, label: "for now", description: `set ${variable} in your shell to have it every time` },
  ]);
  const kept = isKept === true ? await keepKey(context, provider, key) : undefined;
  if (kept?.ok === true) {
    run.host().say(["The key is stored.", ...kept.notes].join(" "));
    return { type: "again" };
  }
  if (kept !== undefined) run.host().say(`The key counts for now only: ${kept.message}`);
  return { type: "key", variable, key };
}

/** Where one logs in with a subscription. */
async function planChoice(context: RunContext, run: InteractiveRun): Promise<FirstChoice | undefined> {
  const rows = (await knownProviders(context)).filter(({ method }) => method === "browser");
  const items = rows.map(({ stored: _, ...row }) => ({ value: row, label: row.name }));
  const row: LoginRow | undefined = items.length === 1 ? items[0]?.value : await askChoice(run, "Which plan?", items);
  if (row === undefined) return undefined;
  const isDone = await Promise.race([logIn(run.host(), loginServices(context), row), run.ended.then(() => false)]);
  return isDone ? { type: "again" } : undefined;
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
