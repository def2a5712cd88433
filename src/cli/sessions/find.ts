import { findSession } from "../../sessions/session-list.ts";
import type { RunContext } from "../run-context.ts";

export type FoundSession = { ok: true; id: string; path: string } | { ok: false; message: string };

/** The session an id or the beginning of one names; one of this folder goes before others. */
export async function findNamed(context: RunContext, id: string): Promise<FoundSession> {
  const { paths: places, cwd } = context;
  const found = await findSession({ places, cwd, id });
  if (found.ok || found.reason !== "unknown") return found;
  return { ok: false, message: `There is no session whose id begins with ${id}. See: ralph sessions --all` };
}
