import { providerForUrl } from "../llm/providers.ts";
import { clampEffort, defaultEffort } from "../llm/thinking.ts";
import { defaultModelOf } from "../models/default-models.ts";
import type { ModelSettings } from "../models/model-settings.ts";
import { type ResolvedModel, type ResolveModelInput, resolveModel } from "../models/resolve-model.ts";
import type { SettingKey } from "../protocol/settings.ts";
import { flagText, type RunContext } from "./run-context.ts";

/** The model, effort and key this run uses, from flags and settings. */
export async function chooseModel(context: RunContext): Promise<ResolvedModel> {
  const { values } = context.settings;
  const input = modelInput(context);
  const resolved = await resolveModel(values.apiUrl === undefined ? input : atAddress(input, values.apiUrl));
  if (!resolved.ok) return resolved;
  const model = values.apiUrl === undefined ? resolved.model : { ...resolved.model, baseUrl: baseOf(values.apiUrl) };
  return { ...resolved, model, effort: effortIn(context, resolved) };
}

/** What the registry needs to know, without a choice being made. */
export function modelInput(context: RunContext): ResolveModelInput {
  const { settings, environment, home, cwd, paths, memo, clock } = context;
  const effort = isExplicit(context, "effort") ? settings.values.effort : undefined;
  return {
    selector: isExplicit(context, "model") ? settings.values.model : undefined,
    effort,
    models: flagText(context, "models")?.split(","),
    profile: flagText(context, "mpreset"),
    apiKey: flagText(context, "api-key"),
    settings: modelSettings(context),
    configDirectory: paths.config,
    memo,
    cache: { path: `${paths.cache}/models.db`, now: () => clock.now() },
    environment,
    home,
    cwd,
  };
}

function modelSettings(context: RunContext): ModelSettings {
  const { values } = context.settings;
  const ownDefault: Record<string, string> =
    values.model === undefined || isExplicit(context, "model") ? {} : { default: values.model };
  return {
    modelRoles: { ...ownDefault, ...values.modelRoles },
    modelProfile: values["modelProfile.default"],
    enabledModels: values.enabledModels,
    disabledProviders: [
      ...(values.disabledProviders ?? []),
      ...(values["discovery.local"] === false ? LOCAL_PROVIDERS : []),
    ],
    modelProviderOrder: values.modelProviderOrder,
  };
}

const LOCAL_PROVIDERS = ["ollama", "llama.cpp", "lm-studio"];

/** Said for this run, by a flag or the environment: then it is used or refused, never bent. */
function isExplicit(context: RunContext, key: SettingKey): boolean {
  const layer = context.settings.history.get(key)?.at(-1)?.origin.layer;
  return layer === "flag" || layer === "environment";
}

/** A configured effort is a wish for whatever model is used; it gives way to what the model takes. */
function effortIn(context: RunContext, { model, effort }: Extract<ResolvedModel, { ok: true }>) {
  const wish = isExplicit(context, "effort") ? undefined : context.settings.values.effort;
  return wish === undefined || effort !== defaultEffort(model) ? effort : clampEffort(model, wish);
}

/** One address for everything: its host decides the provider, an unknown host speaks like a local server. */
function atAddress(input: ResolveModelInput, url: string): ResolveModelInput {
  const provider = providerForUrl(url)?.id ?? "lm-studio";
  return { ...input, provider, selector: input.selector ?? defaultModelOf(provider) };
}

/** People paste the whole endpoint; what the protocol appends itself is taken off. */
function baseOf(url: string): string {
  return url.replace(/\/+$/, "").replace(/\/(chat\/completions|responses|v1\/messages|messages)$/, "");
}
