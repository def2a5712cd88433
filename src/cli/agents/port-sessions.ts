import { realpathSync } from "node:fs";
import type { AgentEvent } from "../../protocol/agent-events.ts";
import type { AgentPort, Outcome } from "../../rpc/agent-port.ts";
import { hasFlag, type RunContext } from "../run-context.ts";
import type { LiveAgents } from "./live-agents.ts";
import type { LiveAgent, OpenedLive } from "./open-agent.ts";

/** One session after the other. Who listens hears all of them. */
export interface Sessions extends Pick<AgentPort, "subscribe" | "newSession" | "switchSession" | "close"> {
  current(): LiveAgent;
}

export function openSessions(context: RunContext, agents: LiveAgents, first: LiveAgent): Sessions {
  const listeners = new Set<(event: AgentEvent) => void>();
  const tell = (event: AgentEvent) => {
    for (const listener of listeners) listener(event);
  };
  const listenTo = ({ coder, secrets }: LiveAgent) =>
    coder.subscribe(secrets === undefined ? tell : secrets.veil(tell));
  let current = first;
  let stopListening = listenTo(first);
  const change = async (open: () => Promise<OpenedLive>): Promise<Outcome> => {
    const before = current;
    await before.bare.call("abort", {});
    const opened = await open();
    if (!opened.ok) return { ok: false, message: opened.message };
    await takeOver(before, opened.agent);
    await before.close();
    stopListening();
    current = opened.agent;
    stopListening = listenTo(current);
    return { ok: true };
  };
  // Two that are wanted at once are opened one after the other.
  let changing: Promise<unknown> = Promise.resolve();
  const inOrder = (work: () => Promise<Outcome>): Promise<Outcome> => {
    const changed = changing.then(work);
    changing = changed.catch(() => undefined);
    return changed;
  };
  return {
    current: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    newSession: (parentSession) =>
      inOrder(async () => {
        const parent = parentSession === undefined ? undefined : await findSession(context, parentSession);
        if (parent?.ok === false) return parent;
        return change(() => agents.open(undefined, parent?.id));
      }),
    switchSession: (named) =>
      inOrder(async () => {
        if (hasFlag(context, "no-session"))
          return { ok: false, message: "This run keeps nothing (--no-session), so there is nothing to go on with." };
        const found = await findSession(context, named);
        if (!found.ok || found.id === current.session.header.id) return found;
        return change(() => agents.open(found.id));
      }),
    async close() {
      await changing;
      await current.close();
      stopListening();
    },
  };
}

/** What a program chose for how it works with the agent, not for one session. */
async function takeOver(before: LiveAgent, next: LiveAgent): Promise<void> {
  const state = await before.coder.call("get_state", {});
  if (!state.ok) return;
  await next.coder.call("set_queue_modes", state.result.queueModes);
  await next.coder.call("set_auto_compaction", { enabled: state.result.autoCompaction });
}

type Found = { ok: true; id: string } | { ok: false; message: string };

/** By the path of its file, its id, or the beginning of it. */
async function findSession({ paths: places, cwd }: RunContext, named: string): Promise<Found> {
  const { findSession: find } = await import("../../sessions/session-list.ts");
  const { parseSessionFileName } = await import("../../sessions/session-name.ts");
  const isPath = named.includes("/") || named.endsWith(".jsonl");
  const id = isPath ? parseSessionFileName(named)?.id : named;
  if (id === undefined) return { ok: false, message: `${named} is not the file of a session.` };
  const found = await find({ places, cwd, id });
  if (!found.ok) return { ok: false, message: found.message };
  if (isPath && realPath(named) !== realPath(found.path))
    return { ok: false, message: `${named} is not a session in ${places.sessions}.` };
  return { ok: true, id: found.id };
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
