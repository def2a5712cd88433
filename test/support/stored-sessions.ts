import { utimesSync } from "node:fs";
import { forkSession } from "../../src/sessions/fork.ts";
import { createSession } from "../../src/sessions/journal.ts";
import type { EntryDraft, Session } from "../../src/sessions/session.ts";
import type { SessionPlaces } from "../../src/sessions/session-name.ts";
import { opened, placesIn, stored } from "./session-samples.ts";
import type { TempWorkspace } from "./temp-workspace.ts";

// Sessions as a Ralph before left them in the data folder of a workspace.

export interface StoredSession {
  id: string;
  path: string;
}

export function sessionPlaces({ home }: Pick<TempWorkspace, "home">): SessionPlaces {
  return placesIn(`${home}/data`);
}

export interface StoreOptions {
  /** Where absent, the project of the workspace. */
  cwd?: string;
  /** When it was last written to; milliseconds. */
  at?: number;
}

export async function storeSession(
  workspace: TempWorkspace,
  drafts: readonly EntryDraft[],
  options: StoreOptions = {},
): Promise<StoredSession> {
  const session = await startSession(workspace, drafts, options.cwd);
  await session.close();
  return settled(session, options.at);
}

/** One that is still open, and in use. */
export async function startSession(
  workspace: TempWorkspace,
  drafts: readonly EntryDraft[],
  cwd = workspace.project,
): Promise<Session> {
  const session = opened(await createSession({ places: sessionPlaces(workspace), cwd }));
  for (const draft of drafts) await stored(session, draft);
  return session;
}

export async function forkStored(workspace: TempWorkspace, path: string): Promise<StoredSession> {
  const places = sessionPlaces(workspace);
  const session = opened(await forkSession(path, { places, cwd: workspace.project }));
  await session.close();
  return settled(session);
}

function settled({ header, path = "" }: Session, at?: number): StoredSession {
  if (at !== undefined) utimesSync(path, at / 1000, at / 1000);
  return { id: header.id, path };
}
