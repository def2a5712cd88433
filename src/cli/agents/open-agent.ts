import type { CoderHost } from "../../coder/coder-host.ts";
import type { OpenCoder, OpenCoderOptions } from "../../coder/open-coder.ts";
import type { AgentFace, OpenedAgent } from "../../interactive/services.ts";
import type { RetrySwitch } from "../../llm/retry-switch.ts";
import type { Model } from "../../protocol/models.ts";
import type { Session } from "../../sessions/session.ts";
import { EXIT } from "../exit-codes.ts";
import { chooseModel, chooseNamedModel, type EarlierChoice } from "../model-choice.ts";
import { cleanArtifacts } from "../print/clean-artifacts.ts";
import type { Chosen } from "../print/coder-options.ts";
import { type OpenedSession, openRunSession, type RunSession } from "../print/open-session.ts";
import type { RunContext } from "../run-context.ts";
import type { OpenSecrets } from "../secrets/open-secrets.ts";
import { giveMemoryBack } from "./give-memory-back.ts";
import { isStandIn, refusing, standIn } from "./stand-in-model.ts";

export interface AgentWorld {
  version: string;
  secrets: OpenSecrets | undefined;
  /** Whether an answer that broke off may begin anew on the screen. */
  mayRestart(): boolean;
  /** What a face does with messages before they reach the agent. */
  dress?(agent: AgentFace): AgentFace;
  /** An agent is opened where nothing can answer, too: a model may be chosen later. */
  opensWithoutModel?: boolean;
  retrySwitch?: RetrySwitch;
  /** What whoever drives the agent brings along. */
  host?: CoderHost;
  /** Whether somebody can be asked; somebody always can where it is missing. */
  hasPerson?: OpenCoderOptions["hasPerson"];
  /** In place of the one that is put together, or that a resumed session had. */
  systemPrompt?: string;
  /** Told as soon as it is known which model will be asked. */
  modelChosen?(model: Model): void;
}

/** An agent, and what only whoever opened it needs of it. */
export interface LiveAgent extends OpenedAgent {
  session: Session;
  secrets: OpenSecrets | undefined;
  coder: OpenCoder;
  /** What every request is prefixed with. */
  systemPrompt: string;
  /** Why nothing can answer until a model is chosen; absent where something can. */
  whyWithoutModel?: string;
  /** Why a resumed session does not go on with the model it had. */
  modelFallback?: string;
  /** Does something with the session while nothing is said and nothing runs. Undefined where Ralph works. */
  withSession<Result>(work: (session: Session) => Promise<Result>): Promise<Result | undefined>;
  /** Takes messages as they are, with what they name read already. */
  bare: AgentFace;
}

export type OpenedLive =
  | { ok: true; agent: LiveAgent }
  /** `isWithoutModel`: nothing is configured that could answer. */
  | { ok: false; message: string; code: number; isWithoutModel: boolean };

/** Messages of a session that is gone on with; those before them are counted. */
const SHOWN_EARLIER = 50;

export interface AgentWish {
  /** Used instead of what the flags say about the model. */
  model?: EarlierChoice | undefined;
  /** The id of the session a new one is noted to come from. */
  parentSession?: string | undefined;
}

/** The agent the flags of `context` ask for, with its session. */
export async function openAgent(context: RunContext, world: AgentWorld, kept: AgentWish): Promise<OpenedLive> {
  const { model, parentSession } = kept;
  const place = { cwd: context.cwd, seal: world.secrets?.seal, parentSession };
  const opened = await openRunSession(context, place);
  if (!opened.ok) return { ...opened, isWithoutModel: false };
  const live = await openWith(context, world, { opened, model });
  if (!live.ok) await opened.session.close();
  return live;
}

interface Wanted {
  opened: RunSession;
  model: EarlierChoice | undefined;
}

async function openWith(context: RunContext, world: AgentWorld, { opened, model }: Wanted): Promise<OpenedLive> {
  const { session, known } = opened;
  const chosen = await chosenFor(context, { ...known, ...model }, model?.model);
  for (const line of chosen.notes) context.note(line);
  const isWithoutModel = !chosen.ok && (chosen.problem.type === "no-model" || chosen.problem.type === "no-credential");
  if (!chosen.ok && !(isWithoutModel && world.opensWithoutModel)) {
    const code = isWithoutModel ? EXIT.credentials : EXIT.usage;
    return { ok: false, message: chosen.problem.message, code, isWithoutModel };
  }
  if (chosen.ok) world.modelChosen?.(chosen.model);
  const whyWithoutModel = chosen.ok ? undefined : chosen.problem.message;
  const { runChoices } = await import("../print/run-choices.ts");
  const choices = await runChoices(context, world.systemPrompt ?? known.systemPrompt);
  if (typeof choices === "string") return { ok: false, message: choices, code: EXIT.usage, isWithoutModel: false };
  const coder = await coderFor(context, world, {
    ...opened,
    ...choices,
    chosen: chosen.ok ? chosen : standIn(),
  });
  const state = await coder.call("get_state", {});
  if (!state.ok) return { ok: false, message: state.error.message, code: EXIT.failed, isWithoutModel: false };
  const messages = known.messages ?? [];
  const stopCleaning = cleanArtifacts(context);
  // The memory of a program that embeds Ralph is its own, and no timer of ours keeps it from ending.
  const stopGivingBack =
    context.embedded === undefined ? giveMemoryBack(coder, { clock: context.clock, giveBack: Bun.shrink }) : () => {};
  let held: Promise<unknown> = Promise.resolve();
  const bare = afterHeld(coder, () => held);
  const agent: LiveAgent = {
    face: world.dress?.(bare) ?? bare,
    state: state.result,
    earlier: messages.slice(-SHOWN_EARLIER),
    leftOut: Math.max(0, messages.length - SHOWN_EARLIER),
    session,
    secrets: world.secrets,
    bare,
    coder,
    systemPrompt: choices.system.base,
    ...(whyWithoutModel === undefined ? {} : { whyWithoutModel }),
    ...("fallback" in chosen && chosen.fallback !== undefined ? { modelFallback: chosen.fallback } : {}),
    withSession(work) {
      const working = held.then(async () => {
        const now = await coder.call("get_state", {});
        return now.ok && !now.result.isBusy ? work(session) : undefined;
      });
      held = working.catch(() => undefined);
      return working;
    },
    async close() {
      stopCleaning();
      stopGivingBack();
      await coder.close();
      await session.close();
    },
  };
  return { ok: true, agent };
}

/** Nothing is said while something else writes to the session. */
function afterHeld(coder: AgentFace, held: () => Promise<unknown>): AgentFace {
  return {
    subscribe: (listener) => coder.subscribe(listener),
    async call(name, params) {
      if ("message" in params) await held();
      return coder.call(name, params);
    },
  };
}

/** A model the person changed to stays for the sessions they open next. */
async function chosenFor(context: RunContext, earlier: EarlierChoice, named: string | undefined) {
  const kept = named === undefined ? undefined : await chooseNamedModel(context, named);
  if (kept?.ok !== true) return chooseModel(context, earlier);
  return earlier.effort === undefined ? kept : { ...kept, effort: earlier.effort };
}

type CoderParts = Omit<Extract<OpenedSession, { ok: true }>, "ok"> &
  import("../print/run-choices.ts").RunChoices & { chosen: Chosen };

async function coderFor(context: RunContext, world: AgentWorld, parts: CoderParts): Promise<OpenCoder> {
  const { openCoder } = await import("../../coder/open-coder.ts");
  const { coderOptions } = await import("../print/coder-options.ts");
  const { createStreams } = await import("../print/create-streams.ts");
  const { version, secrets, mayRestart, retrySwitch, host, hasPerson = () => true } = world;
  const streams = createStreams(context, { version, secrets, sessionId: parts.session.header.id, retrySwitch });
  const openStream = (chosen: Chosen) => (isStandIn(chosen.model) ? refusing : streams(chosen));
  const options = coderOptions(context, { ...parts, openStream, mayRestart, hasPerson });
  return openCoder({ ...options, ...(host === undefined ? {} : { host }) });
}
