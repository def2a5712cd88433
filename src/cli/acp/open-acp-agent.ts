import type { CoderHost } from "../../coder/coder-host.ts";
import type { AcpAgent, OpenedAcpAgent, OpenWish } from "../../rpc/acp/acp-host.ts";
import type { Choices } from "../../rpc/acp/session-options.ts";
import { currentBranch } from "../../sessions/tree.ts";
import { createHostAddresses } from "../../tools/host-addresses.ts";
import { MODES, type Mode } from "../../tools/modes.ts";
import { type LiveAgent, openAgent } from "../agents/open-agent.ts";
import { tellProblems } from "../commands/config.ts";
import { EXIT } from "../exit-codes.ts";
import { customCommands } from "../interactive/services/custom-commands.ts";
import { modelInput } from "../model-choice.ts";
import type { RunContext } from "../run-context.ts";
import { openSecrets } from "../secrets/open-secrets.ts";
import { contextIn } from "./context-in.ts";

/** An agent in the folder an editor works in, with the settings that count there. */
export async function openAcpAgent(given: RunContext, version: string, wish: OpenWish): Promise<OpenedAcpAgent> {
  const here = await contextIn(given, wish);
  if (!here.ok) return { ok: false, reason: "invalid", message: here.message };
  const { context } = here;
  tellProblems(context);
  const world = {
    version,
    secrets: await openSecrets(context),
    mayRestart: wish.mayRestart,
    host: hostOf(wish),
  };
  const opened = await openAgent(context, world, {});
  if (!opened.ok) {
    const { message, code, isWithoutModel } = opened;
    const isUnknown = wish.sessionId !== undefined && code === EXIT.usage;
    return { ok: false, reason: isWithoutModel ? "credentials" : isUnknown ? "not-found" : "failed", message };
  }
  return { ok: true, agent: await acpAgent(context, opened.agent) };
}

function hostOf({ editor }: OpenWish): CoderHost {
  return {
    tools: () => [],
    addresses: createHostAddresses(),
    warden: () => undefined,
    ...(editor === undefined ? {} : { editor }),
  };
}

async function acpAgent(context: RunContext, live: LiveAgent): Promise<AcpAgent> {
  const { session, bare } = live;
  return {
    sessionId: session.header.id,
    call: (name, params) => bare.call(name, params),
    subscribe: (listener) => bare.subscribe(listener),
    history: () =>
      currentBranch(session.entries, session.leafId).flatMap((entry) =>
        entry.type === "message" ? [entry.message] : [],
      ),
    choices: await choicesIn(context),
    commands: await customCommands(context),
    close: () => live.close(),
  };
}

const MOST_MODELS = 300;

const DESCRIPTIONS: Record<Mode, string> = {
  default: "works, and asks before it changes or runs something",
  plan: "looks and plans, changes nothing",
  explore: "finds out how things work, changes nothing",
  debug: "reproduces a fault before it changes code",
  review: "reads a change and reports what is wrong with it",
};

/** Servers that list their own models are not asked here: an editor waits for this. */
async function choicesIn(context: RunContext): Promise<Choices> {
  const { loadRegistry } = await import("../../models/load-registry.ts");
  const { registry } = await loadRegistry(modelInput(context), { discover: false });
  const models = registry.getAvailable().slice(0, MOST_MODELS);
  return {
    modes: MODES.map((id) => ({ id, description: DESCRIPTIONS[id] })),
    models: models.map(({ provider, id, name }) => ({ selector: `${provider}/${id}`, description: name })),
  };
}
