import { realpathSync } from "node:fs";
import type { CoderRules } from "../../coder/coder-rules.ts";
import { compactionChoices } from "../../coder/compaction/compaction-settings.ts";
import type { OpenCoderOptions } from "../../coder/open-coder.ts";
import { clampEffort } from "../../llm/thinking.ts";
import type { ResolvedModel } from "../../models/resolve-model.ts";
import type { StreamModel } from "../../protocol/model-request.ts";
import type { Model } from "../../protocol/models.ts";
import { configuredPolicy, policyPlaces } from "../permissions/configured-policy.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";
import { sandboxChoice } from "../sandbox-choice.ts";
import type { Schema } from "./json-schema-places.ts";
import type { RunLimits } from "./limits.ts";
import type { RunSession } from "./open-session.ts";

export type Chosen = Extract<ResolvedModel, { ok: true }>;

/** What an agent needs besides what the flags and settings say. */
export interface AgentParts extends Omit<RunSession, "ok"> {
  chosen: Chosen;
  openStream(chosen: Chosen): StreamModel;
  system: { base: string; dynamic: string };
  limits: RunLimits;
  rules?: CoderRules;
  maxOutputTokens?: number;
  outputSchema?: Schema;
  mayRestart: () => boolean;
  /** Whether somebody can be asked. */
  hasPerson: OpenCoderOptions["hasPerson"];
}

/** An agent as the command line, the environment and the settings want it, for every face. */
export function coderOptions(context: RunContext, parts: AgentParts): OpenCoderOptions {
  const { clock, settings, environment, paths, cwd } = context;
  const { chosen, system, limits, session, mayRestart, hasPerson } = parts;
  const { cacheRetention } = settings.values;
  const tools = toolNames(context);
  return {
    ...conversationOf(parts),
    chosen: { ...chosen, streamModel: parts.openStream(chosen) },
    async openModel(selector) {
      const { chooseNamedModel } = await import("../model-choice.ts");
      const found = await chooseNamedModel(context, selector);
      return found.ok
        ? { ...found, streamModel: parts.openStream(found) }
        : { ok: false, message: found.problem.message };
    },
    fitEffort: clampEffort,
    async fork(entryId) {
      if (session.path === undefined) return { ok: false, message: "A session that is not kept cannot be forked." };
      const { forkSession } = await import("../../sessions/fork.ts");
      const forked = await forkSession(session.path, {
        places: paths,
        cwd,
        clock,
        ...(entryId === undefined ? {} : { entryId }),
      });
      if (!forked.ok) return forked;
      await forked.session.close();
      return { ok: true, sessionId: forked.session.header.id, path: forked.session.path ?? "" };
    },
    ...compactionOptions(context, parts),
    blobs: paths.blobs,
    world: {
      root: realpathSync(cwd),
      clock,
      environment,
      artifacts: paths.artifacts,
      ...(context.embedded?.artifactPrefix === undefined ? {} : { artifactPrefix: context.embedded.artifactPrefix }),
      environmentNames: settings.values["shell.environment"] ?? [],
    },
    secretsToCommit: commitScanner(context),
    findRipgrep: async () => (await import("../../system/find-ripgrep.ts")).findRipgrep(paths.tools),
    ...(tools === undefined ? {} : { tools }),
    ...(hasFlag(context, "safe") ? { safe: true } : {}),
    gate: gateOptions(context),
    sandbox: sandboxChoice(context),
    hasPerson,
    systemPrompt: system.base,
    tail: () => system.dynamic,
    mayRestart,
    clock,
    stream: !hasFlag(context, "no-stream"),
    maxTurns: limits.maxTurns,
    limits: limits.shown,
    limitReached: () => limits.reached(clock),
    ...(cacheRetention === undefined ? {} : { cacheRetention }),
    ...answerOptions(parts),
  };
}

/** What was said before, and how it ended. */
function conversationOf({ session, known, waiting, brokenOff }: AgentParts) {
  return { session, known, waiting, brokenOff };
}

/** What the answer may and has to be, and what it must not be. */
function answerOptions({ maxOutputTokens, outputSchema, rules }: AgentParts) {
  return {
    ...(rules === undefined ? {} : { rules }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(typeof outputSchema === "object" ? { outputSchema } : {}),
  };
}

/** Loaded with the first commit. */
function commitScanner({ environment }: RunContext) {
  return async (command: string, cwd: string) => {
    const { secretsToCommit } = await import("../secrets/secrets-to-commit.ts");
    return secretsToCommit({ command, cwd, environment });
  };
}

function gateOptions(context: RunContext) {
  const { home, own, rememberedPath } = policyPlaces(context);
  const isOff = context.settings.values["approval_gates.enabled"] === false;
  return { home, own, rememberedPath, sources: configuredPolicy(context), yolo: hasFlag(context, "yolo") || isOff };
}

function compactionOptions(context: RunContext, { openStream }: AgentParts) {
  const { enabled, promote, settings } = compactionChoices(context.settings.values);
  const openLarger = async (model: Model) => {
    const { chooseLargerModel } = await import("../model-choice.ts");
    const larger = await chooseLargerModel(context, model);
    return larger === undefined ? undefined : { ...larger, streamModel: openStream(larger) };
  };
  return {
    compaction: settings,
    autoCompaction: enabled && !hasFlag(context, "no-compact"),
    ...(promote ? { openLarger } : {}),
  };
}

/** `--tools a,b` offers just these, `--tools none` none. */
function toolNames(context: RunContext): string[] | undefined {
  const named = flagText(context, "tools");
  if (named === undefined) return undefined;
  return named === "none" ? [] : named.split(",").map((name) => name.trim());
}
