import type { OpenCoder } from "../../coder/open-coder.ts";
import type { AgentFace, OpenedAgent } from "../../interactive/services.ts";
import type { Session } from "../../sessions/session.ts";
import { EXIT } from "../exit-codes.ts";
import { chooseModel, chooseNamedModel, type EarlierChoice } from "../model-choice.ts";
import { cleanArtifacts } from "../print/clean-artifacts.ts";
import type { Chosen } from "../print/coder-options.ts";
import { type OpenedSession, openRunSession, type RunSession } from "../print/open-session.ts";
import type { RunContext } from "../run-context.ts";
import type { OpenSecrets } from "../secrets/open-secrets.ts";
import { withAttachments } from "./with-attachments.ts";

export interface AgentWorld {
  version: string;
  secrets: OpenSecrets | undefined;
  /** Whether an answer that broke off may begin anew on the screen. */
  mayRestart(): boolean;
}

/** An agent, and what only this folder needs of it. */
export interface LiveAgent extends OpenedAgent {
  session: Session;
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

/** The agent the flags of `context` ask for, with its session. `model` is used instead of what they say about the model. */
export async function openAgent(
  context: RunContext,
  world: AgentWorld,
  model: EarlierChoice | undefined,
): Promise<OpenedLive> {
  const opened = await openRunSession(context, { cwd: context.cwd, seal: world.secrets?.seal });
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
  if (!chosen.ok) {
    const isWithoutModel = chosen.problem.type === "no-model" || chosen.problem.type === "no-credential";
    const code = isWithoutModel ? EXIT.credentials : EXIT.usage;
    return { ok: false, message: chosen.problem.message, code, isWithoutModel };
  }
  const { runChoices } = await import("../print/run-choices.ts");
  const choices = await runChoices(context, known.systemPrompt);
  if (typeof choices === "string") return { ok: false, message: choices, code: EXIT.usage, isWithoutModel: false };
  const coder = await coderFor(context, world, { ...opened, ...choices, chosen });
  const state = await coder.call("get_state", {});
  if (!state.ok) return { ok: false, message: state.error.message, code: EXIT.failed, isWithoutModel: false };
  const messages = known.messages ?? [];
  const stopCleaning = cleanArtifacts(context);
  let held: Promise<unknown> = Promise.resolve();
  const agent: LiveAgent = {
    face: withAttachments(coder, context.cwd, () => held),
    state: state.result,
    earlier: messages.slice(-SHOWN_EARLIER),
    leftOut: Math.max(0, messages.length - SHOWN_EARLIER),
    session,
    bare: coder,
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
      await coder.close();
      await session.close();
    },
  };
  return { ok: true, agent };
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
  const { version, secrets, mayRestart } = world;
  const openStream = createStreams(context, { version, secrets, sessionId: parts.session.header.id });
  return openCoder(coderOptions(context, { ...parts, openStream, mayRestart, hasPerson: () => true }));
}
