import { type LoginProvider, loginProviders } from "../../models/login/login-providers.ts";
import { nearestChoices } from "../../system/nearest.ts";
import { modelInput } from "../model-choice.ts";
import type { RunContext } from "../run-context.ts";

/** Everywhere a person can log in, with what is stored. */
export async function knownProviders(context: RunContext): Promise<LoginProvider[]> {
  const { loadModelSources } = await import("../../models/model-sources.ts");
  const { sources } = await loadModelSources(modelInput(context));
  return loginProviders({ providers: sources.file?.providers, stored: context.credentials.list() });
}

export type FoundProvider = { ok: true; provider: LoginProvider } | { ok: false; message: string };

export async function providerNamed(context: RunContext, name: string): Promise<FoundProvider> {
  const providers = await knownProviders(context);
  const wanted = name.toLowerCase();
  const found =
    providers.find(({ id }) => id === name) ??
    providers.find((each) => each.id.toLowerCase() === wanted || each.name.toLowerCase() === wanted);
  if (found !== undefined) return { ok: true, provider: found };
  const { providerRow } = await import("../../llm/providers.ts");
  if (providerRow(name)?.auth === "none") return { ok: false, message: `${name} needs no login. Use it as it is.` };
  const ids = providers.map(({ id }) => id);
  const [close] = nearestChoices(name, ids, 1);
  const advice = close === undefined ? `There are: ${ids.join(", ")}.` : `Did you mean ${close}?`;
  return { ok: false, message: `There is no provider "${name}" to log in to. ${advice}` };
}
