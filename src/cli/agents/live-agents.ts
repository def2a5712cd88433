import type { UserMessage } from "../../protocol/messages.ts";
import type { MethodAnswer } from "../../protocol/methods.ts";
import type { EarlierChoice } from "../model-choice.ts";
import type { RunContext } from "../run-context.ts";
import type { OpenSecrets } from "../secrets/open-secrets.ts";
import type { AgentWorld, LiveAgent, OpenedLive } from "./open-agent.ts";
import { isStandIn } from "./stand-in-model.ts";

/** The agents of one conversation, one after the other. */
export interface LiveAgents {
  /** The first one, as the flags say. May be tried again where it could not be opened. */
  start(): Promise<OpenedLive>;
  /** Another one: with the session of this id, or a new one. The one before is closed by whoever asks. */
  open(id: string | undefined, parentSession?: string): Promise<OpenedLive>;
  current(): LiveAgent | undefined;
  /** Asks the current one. */
  prompt(message: UserMessage): Promise<MethodAnswer<"prompt">>;
}

export function createLiveAgents(context: RunContext, world: Omit<AgentWorld, "secrets">): LiveAgents {
  let current: LiveAgent | undefined;
  let secrets: Promise<OpenSecrets | undefined> | undefined;
  const opened = async (wanted: RunContext, isAnother: boolean, parentSession?: string): Promise<OpenedLive> => {
    const { openAgent } = await import("./open-agent.ts");
    const { openSecrets } = await import("../secrets/open-secrets.ts");
    secrets ??= openSecrets(context);
    const model = isAnother && current !== undefined ? await choiceOf(current) : undefined;
    const result = await openAgent(wanted, { ...world, secrets: await secrets }, { model, parentSession });
    if (result.ok) current = result.agent;
    return result;
  };
  return {
    start: () => opened(context, false),
    open: (id, parentSession) => opened(withSession(context, id), id === undefined, parentSession),
    current: () => current,
    async prompt(message) {
      const face = current?.bare;
      if (face === undefined) return { ok: false, error: { code: "unavailable", message: "There is no agent yet." } };
      return face.call("prompt", { message, whileBusy: "follow-up" });
    },
  };
}

async function choiceOf({ coder }: LiveAgent): Promise<EarlierChoice | undefined> {
  const state = await coder.call("get_state", {});
  if (!state.ok || isStandIn(coder.model())) return undefined;
  return { model: state.result.model, effort: state.result.effort };
}

const SESSION_FLAGS = ["continue", "resume", "fork"];

/** The same run with another session. */
function withSession(context: RunContext, id: string | undefined): RunContext {
  const flags = new Map([...context.arguments.flags].filter(([name]) => !SESSION_FLAGS.includes(name)));
  if (id !== undefined) flags.set("resume", id);
  return { ...context, arguments: { ...context.arguments, flags } };
}
