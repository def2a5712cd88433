import type { BrokenOff } from "../../protocol/agent-state.ts";
import type { EntrySeal } from "../../protocol/entry-seal.ts";
import type { SessionContext } from "../../sessions/context.ts";
import { createMemorySession, type Session, type SessionResult } from "../../sessions/session.ts";
import type { WaitingMessage } from "../../sessions/waiting-messages.ts";
import { EXIT } from "../exit-codes.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";
import { endLeftovers } from "../sessions/end-leftovers.ts";

export interface RunSession {
  ok: true;
  session: Session;
  /** What a resumed session knows; empty for a new one. */
  known: Partial<SessionContext>;
  /** What was said and not sent before the last process ended. */
  waiting: WaitingMessage[];
  /** How a resumed session ended, where that was no proper end. */
  brokenOff?: BrokenOff | undefined;
}

interface SessionPlace {
  cwd: string;
  seal: EntrySeal | undefined;
  /** The id of the session a new one is noted to come from. */
  parentSession?: string | undefined;
}

export type OpenedSession = RunSession | { ok: false; message: string; code: number };

/** Whether the run goes on with what was said before. */
export function isResuming(context: RunContext): boolean {
  return ["continue", "resume", "fork"].some((name) => hasFlag(context, name));
}

/** The session of this run: a new one, the newest one of this folder (-c), a named one (-r), a copy (--fork), or none that is kept. */
export async function openRunSession(context: RunContext, place: SessionPlace): Promise<OpenedSession> {
  const { paths: places, clock } = context;
  const { cwd, seal } = place;
  const parent = place.parentSession === undefined ? {} : { parentSession: place.parentSession };
  if (hasFlag(context, "no-session")) return fresh(createMemorySession({ cwd, clock, ...parent }));
  if (isResuming(context)) return resume(context, { cwd, seal });
  const { createSession } = await import("../../sessions/journal.ts");
  const created = await createSession({ places, cwd, clock, ...parent, ...(seal && { seal }) });
  return created.ok ? fresh(created.session) : failed(created);
}

function fresh(session: Session): RunSession {
  return { ok: true, session, known: {}, waiting: [] };
}

async function resume(context: RunContext, { cwd, seal }: SessionPlace): Promise<OpenedSession> {
  const { paths: places, clock } = context;
  const { findSession } = await import("../../sessions/session-list.ts");
  const id = flagText(context, "resume");
  const found = await findSession({ places, cwd, ...(id === undefined ? {} : { id }) });
  if (!found.ok)
    return { ok: false, message: found.message, code: found.reason === "unreadable" ? EXIT.failed : EXIT.usage };
  const opened = hasFlag(context, "fork")
    ? await (await import("../../sessions/fork.ts")).forkSession(found.path, {
        places,
        cwd,
        clock,
        ...(seal && { seal }),
      })
    : await (await import("../../sessions/journal.ts")).openSession(found.path, {
        places,
        clock,
        ...(seal && { seal }),
      });
  if (!opened.ok) return failed(opened);
  const { session } = opened;
  const { contextOf } = await import("../../sessions/context.ts");
  const { waitingIn } = await import("../../sessions/waiting-messages.ts");
  const { brokenOff } = await import("../../sessions/broken-off.ts");
  const { entriesBack, readSteadily } = await import("../../sessions/entries/entry-list.ts");
  tellFindings(context, session);
  if (session.isAfterKill || session.interrupted.length > 0) await endLeftovers(context, session);
  const { entries, leafId } = session;
  const broken = readSteadily(entries, () => brokenOff(entriesBack(entries), session.begunCalls));
  return {
    ok: true,
    session,
    known: contextOf(entries, leafId),
    waiting: waitingIn(entries, leafId),
    brokenOff: broken,
  };
}

const MOST_PROBLEMS_TOLD = 3;

/** What a person should know of a session that did not end in order. */
function tellFindings({ note }: RunContext, { problems, interrupted }: Session): void {
  for (const problem of problems.slice(0, MOST_PROBLEMS_TOLD)) note(problem);
  if (problems.length > MOST_PROBLEMS_TOLD) note(`${problems.length - MOST_PROBLEMS_TOLD} more lines were damaged.`);
  const names = interrupted.map(({ name }) => name).join(", ");
  if (names !== "")
    note(
      `Ralph was stopped while this ran: ${names}. It may have taken effect; the model is told and it is not repeated.`,
    );
}

function failed(result: Extract<SessionResult, { ok: false }>): OpenedSession {
  return { ok: false, message: result.message, code: EXIT.failed };
}
