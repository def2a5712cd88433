import { providerForUrl } from "../llm/providers.ts";
import { clampEffort, defaultEffort } from "../llm/thinking.ts";
import type { RunCommand } from "../models/aws-credentials.ts";
import type { StoredCredentials } from "../models/credentials.ts";
import { defaultModelOf } from "../models/default-models.ts";
import type { ModelSettings } from "../models/model-settings.ts";
import { type ResolvedModel, type ResolveModelInput, resolveModel } from "../models/resolve-model.ts";
import type { Effort } from "../protocol/effort.ts";
import type { Model } from "../protocol/models.ts";
import type { SettingKey } from "../protocol/settings.ts";
import { flagText, type RunContext } from "./run-context.ts";

/** What an earlier run of the session used. */
export interface EarlierChoice {
  /** `provider/id`. */
  model?: string;
  effort?: Effort;
}

/** `fallback` says why the session does not go on with the model it had; it is among the notes, too. */
export type ChosenModel = ResolvedModel & { fallback?: string };

/** The model, effort and key this run uses: from flags and the environment, else what the session had, else from settings. */
export async function chooseModel(context: RunContext, earlier: EarlierChoice = {}): Promise<ChosenModel> {
  const mayRestore = earlier.model !== undefined && !isExplicit(context, "model");
  const restored = mayRestore ? await resolveFor(context, earlier.model) : undefined;
  if (restored?.ok) return opened(context, restored, earlier.effort);
  const resolved = await resolveFor(context);
  if (!resolved.ok) return resolved;
  if (restored === undefined) return opened(context, resolved, earlier.effort);
  const { provider, id } = resolved.model;
  const note = `The session used ${earlier.model}, which cannot be used now: ${restored.problem.message} It goes on with ${provider}/${id}.`;
  return { ...opened(context, { ...resolved, notes: [...resolved.notes, note] }), fallback: note };
}

/** A model by its selector, for a change on the way. */
export async function chooseNamedModel(context: RunContext, selector: string): Promise<ResolvedModel> {
  const resolved = await resolveFor(context, selector);
  return resolved.ok ? opened(context, resolved) : resolved;
}

/** The model to go on with when a conversation no longer fits this one. */
export async function chooseLargerModel(context: RunContext, model: Model): Promise<Resolved | undefined> {
  const { loadModelSources, knownRegistry } = await import("../models/model-sources.ts");
  const { promotionTarget } = await import("../models/context-promotion.ts");
  const { sources } = await loadModelSources(modelInput(context));
  const target = promotionTarget(await knownRegistry(sources), model);
  if (target === undefined) return undefined;
  const resolved = await chooseNamedModel(context, `${target.provider}/${target.id}`);
  return resolved.ok ? resolved : undefined;
}

function resolveFor(context: RunContext, selector?: string): Promise<ResolvedModel> {
  const { apiUrl } = context.settings.values;
  const input = { ...modelInput(context), ...(selector === undefined ? {} : { selector }) };
  return apiUrl === undefined ? resolveModel(input) : resolveAt(apiUrl, input);
}

type Resolved = Extract<ResolvedModel, { ok: true }>;

function opened(context: RunContext, resolved: Resolved, earlier?: Effort): Resolved {
  const model = withScript(resolved.model, context.environment.RALPH_SCRIPT);
  const isFree = earlier !== undefined && !isExplicit(context, "effort");
  return { ...resolved, model, effort: isFree ? clampEffort(model, earlier) : effortIn(context, resolved) };
}

/** `scripted/script` plays the file RALPH_SCRIPT names. */
function withScript(model: Model, script: string | undefined): Model {
  const isNamed = model.provider === "scripted" && model.id === "script" && script !== undefined && script !== "";
  return isNamed ? { ...model, baseUrl: script } : model;
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
    ...(context.embedded?.modelsFile === undefined ? {} : { file: context.embedded.modelsFile }),
    stored: storedIn(context),
    memo,
    run: (argv) => runForOutput(argv, context),
    cache: { path: `${paths.cache}/models.db`, now: () => clock.now() },
    environment,
    home,
    cwd,
  };
}

/** What a program that embeds Ralph gave goes before what is stored. */
function storedIn({ credentials, embedded }: RunContext): StoredCredentials {
  const given = embedded?.keys;
  if (given === undefined) return credentials;
  const ofProvider = (provider: string) => (given.has(provider) ? given : credentials);
  return {
    has: (provider) => ofProvider(provider).has(provider),
    find: (provider) => ofProvider(provider).find(provider),
    problem: () => credentials.problem(),
  };
}

/** Runs a program the user's own AWS configuration names, such as `credential_process`. */
async function runForOutput(
  [program = "", ...rest]: string[],
  { environment, cwd }: RunContext,
): ReturnType<RunCommand> {
  const { runProcess } = await import("../system/run-process.ts");
  const { outputText } = await import("../system/capped-output.ts");
  const running = runProcess({ argv: [program, ...rest], cwd, environment, deadlineMs: HELPER_DEADLINE_MS });
  const { outcome, stdout, stderr } = await running.result;
  if (outcome.type === "exited" && outcome.code === 0) return { ok: true, stdout: outputText(stdout) };
  return { ok: false, message: `${program}: ${outcome.type}. ${outputText(stderr).trim().split("\n", 1)[0] ?? ""}` };
}

const HELPER_DEADLINE_MS = 60_000;

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

/**
 * One address for everything: its host decides the provider, an unknown host speaks like a local server. A model of another
 * provider is refused, because its key must not go to this address.
 */
async function resolveAt(url: string, input: ResolveModelInput): Promise<ResolvedModel> {
  const { id: provider, baseUrlVariable } = providerForUrl(url) ?? LOCAL_SERVER;
  const baseUrl = baseOf(url);
  const selector = input.selector ?? defaultModelOf(provider);
  const settings = selector === undefined ? { ...input.settings, enabledModels: [`${provider}/*`] } : input.settings;
  const environment =
    baseUrlVariable === undefined ? input.environment : { ...input.environment, [baseUrlVariable]: baseUrl };
  const resolved = await resolveModel({ ...input, provider, selector, settings, environment });
  if (resolved.ok && resolved.model.provider === provider)
    return { ...resolved, model: { ...resolved.model, baseUrl } };
  if (!resolved.ok && resolved.problem.type !== "no-model") return resolved;
  const message = `No model was found at ${url}. Name one that is served there with --model, or unset apiUrl.`;
  return { ok: false, problem: { type: "unavailable-model", message, selector: provider }, notes: [] };
}

const LOCAL_SERVER = { id: "lm-studio", baseUrlVariable: "LM_STUDIO_BASE_URL" };

/** People paste the whole endpoint; what the protocol appends itself is taken off. */
function baseOf(url: string): string {
  return url.replace(/\/+$/, "").replace(/\/(chat\/completions|responses|v1\/messages|messages)$/, "");
}
