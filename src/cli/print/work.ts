import { realpathSync } from "node:fs";
import { join } from "node:path";
import { compactionChoices } from "../../coder/compaction/compaction-settings.ts";
import { openCoder } from "../../coder/open-coder.ts";
import { clampEffort } from "../../llm/thinking.ts";
import type { ResolvedModel } from "../../models/resolve-model.ts";
import type { AgentEvent, AgentOutcome } from "../../protocol/agent-events.ts";
import { isAskCategory } from "../../protocol/ask-categories.ts";
import type { UserMessage } from "../../protocol/messages.ts";
import type { StreamModel } from "../../protocol/model-request.ts";
import type { Model } from "../../protocol/models.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";
import { sandboxChoice } from "../sandbox-choice.ts";
import { answerInTerminal, hasPerson } from "./answer-in-terminal.ts";
import type { RunLimits } from "./limits.ts";
import type { RunSession } from "./open-session.ts";

export type Chosen = Extract<ResolvedModel, { ok: true }>;

export interface Work extends Omit<RunSession, "ok"> {
  chosen: Chosen;
  openStream(chosen: Chosen): StreamModel;
  message: UserMessage;
  system: { base: string; dynamic: string };
  limits: RunLimits;
  maxOutputTokens?: number;
  signal: AbortSignal;
  emit: (event: AgentEvent) => void;
  mayRestart: () => boolean;
  /** Everything the face wrote so far is out. */
  printed: () => Promise<unknown>;
}

/** One prompt, worked on with tools until there is nothing more to do. */
export async function work(context: RunContext, task: Work): Promise<AgentOutcome> {
  const coder = await openCoder(coderOptions(context, task));
  const stopAnswering = answerInTerminal(coder, task.printed);
  const ended = Promise.withResolvers<AgentOutcome>();
  coder.subscribe((event) => {
    task.emit(event);
    if (event.type === "agent-end") ended.resolve(event.outcome);
  });
  const abort = () => void coder.call("abort", {});
  task.signal.addEventListener("abort", abort, { once: true });
  const accepted = await coder.call("prompt", { message: task.message });
  if (!accepted.ok) task.emit(notBegun(accepted.error.message));
  if (task.signal.aborted) abort();
  const outcome = accepted.ok ? await ended.promise : notBegun(accepted.error.message).outcome;
  task.signal.removeEventListener("abort", abort);
  stopAnswering();
  await coder.close();
  return outcome;
}

function notBegun(message: string): Extract<AgentEvent, { type: "agent-end" }> {
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return { type: "agent-end", outcome: { type: "not-stored", message }, totals: { turns: 0, usage } };
}

function coderOptions(context: RunContext, task: Work): Parameters<typeof openCoder>[0] {
  const { clock, settings, environment, paths, cwd } = context;
  const { chosen, system, limits, session, known, waiting, mayRestart, maxOutputTokens } = task;
  const { cacheRetention } = settings.values;
  const tools = toolNames(context);
  return {
    session,
    known,
    waiting,
    chosen: { ...chosen, streamModel: task.openStream(chosen) },
    async openModel(selector) {
      const { chooseNamedModel } = await import("../model-choice.ts");
      const found = await chooseNamedModel(context, selector);
      return found.ok
        ? { ...found, streamModel: task.openStream(found) }
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
    ...compactionOptions(context, task),
    blobs: paths.blobs,
    world: {
      root: realpathSync(cwd),
      clock,
      environment,
      artifacts: paths.artifacts,
      environmentNames: settings.values["shell.environment"] ?? [],
    },
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
    limitReached: () => limits.reached(clock),
    ...(cacheRetention === undefined ? {} : { cacheRetention }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

function gateOptions(context: RunContext) {
  const { settings, home, paths } = context;
  const listed = (name: string) => flagText(context, name)?.split("\n") ?? [];
  return {
    home,
    own: { config: paths.config, data: paths.data },
    rememberedPath: join(paths.data, "permissions.json"),
    sources: {
      settings: settings.values,
      allowed: listed("allow"),
      allowedCategories: listed("allow-category").filter(isAskCategory),
    },
    yolo: hasFlag(context, "yolo") || settings.values["approval_gates.enabled"] === false,
  };
}

function compactionOptions(context: RunContext, { openStream }: Work) {
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
