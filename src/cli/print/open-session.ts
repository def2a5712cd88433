import { createMemorySession, type SessionResult } from "../../sessions/session.ts";
import { EXIT } from "../exit-codes.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";

export type OpenedSession =
  | { ok: true; session: Extract<SessionResult, { ok: true }>["session"] }
  | { ok: false; message: string; code: number };

/** The session of this run: a new one, the newest one of this folder (-c), a named one (-r), or none that is kept. */
export async function openRunSession(context: RunContext, cwd: string): Promise<OpenedSession> {
  const { paths: places, clock } = context;
  if (hasFlag(context, "no-session")) return { ok: true, session: createMemorySession({ cwd, clock }) };
  const { createSession, openSession } = await import("../../sessions/journal.ts");
  if (!hasFlag(context, "continue") && !hasFlag(context, "resume"))
    return opened(await createSession({ places, cwd, clock }));
  const { findSession } = await import("../../sessions/session-list.ts");
  const wanted = flagText(context, "resume");
  const found = await findSession({ places, cwd, ...(wanted === undefined ? {} : { id: wanted }) });
  if (!found.ok) return { ok: false, message: found.message, code: EXIT.usage };
  return opened(await openSession(found.path, { places, clock }));
}

function opened(result: SessionResult): OpenedSession {
  return result.ok ? result : { ok: false, message: result.message, code: EXIT.failed };
}
