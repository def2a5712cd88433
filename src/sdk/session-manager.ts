import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { embedPlaces } from "../cli/embed-context.ts";
import type { SessionPlaces } from "../sessions/session-name.ts";
import type { SessionSummary } from "../sessions/session-summary.ts";
import { RalphError } from "./ralph-error.ts";

/** How the conversation is kept, in the flags of the command line. */
type Keeping = readonly [flag: "no-session" | "resume", value: string | true] | undefined;

/** Which conversation an agent begins with, and where conversations are kept. */
export class SessionManager {
  private constructor(
    private readonly keeping: Keeping,
    /** The folder to work in, where one was named. */
    readonly cwd: string | undefined,
    private readonly home: { places?: SessionPlaces; sessionFile?: string } = {},
  ) {}

  /** A new one, in a file. */
  static create(cwd?: string, agentDir?: string): SessionManager {
    const places = agentDir === undefined ? {} : { places: placesIn(join(resolve(agentDir), "data")) };
    return new SessionManager(undefined, cwd, places);
  }

  /** A new one that nothing is written down of. */
  static inMemory(cwd?: string): SessionManager {
    return new SessionManager(["no-session", true], cwd);
  }

  /** The one of this folder that was written to last, or a new one where there is none. */
  static async continueRecent(cwd?: string, agentDir?: string): Promise<SessionManager> {
    const found = await placesOf(cwd, agentDir);
    const { findSession } = await import("../sessions/session-list.ts");
    const recent = await findSession(found);
    if (recent.ok) return SessionManager.resuming(recent, found);
    if (recent.reason !== "unknown") throw new RalphError("failed", recent.message);
    return new SessionManager(undefined, found.cwd, { places: found.places });
  }

  /** Newest first. */
  static async list(cwd?: string, agentDir?: string): Promise<SessionSummary[]> {
    const { listSessions } = await import("../sessions/session-list.ts");
    return listSessions(await placesOf(cwd, agentDir));
  }

  /** The one in this file, wherever the `sessions` folder around it lies. */
  static async open(path: string): Promise<SessionManager> {
    const { parseSessionFileName } = await import("../sessions/session-name.ts");
    const file = resolve(path);
    const id = parseSessionFileName(file)?.id;
    const sessions = dirname(dirname(file));
    if (id === undefined || basename(sessions) !== "sessions")
      throw new RalphError("invalid", `${file} is not the file of a session: those are in sessions/<folder>/.`);
    if (!existsSync(file)) throw new RalphError("not-found", `There is no session ${file}.`);
    return SessionManager.resuming({ id, path: file }, { cwd: undefined, places: placesIn(dirname(sessions)) });
  }

  /** False for a conversation that ends with the process. */
  get isPersistent(): boolean {
    return this.keeping?.[0] !== "no-session";
  }

  /** The file of a conversation that is gone on with. */
  get sessionFile(): string | undefined {
    return this.home.sessionFile;
  }

  get flags(): ReadonlyMap<string, string | true> {
    return new Map(this.keeping === undefined ? [] : [this.keeping]);
  }

  get places(): SessionPlaces | undefined {
    return this.home.places;
  }

  private static resuming({ id, path }: { id: string; path: string }, { cwd, places }: FoundPlaces): SessionManager {
    return new SessionManager(["resume", id], cwd, { places, sessionFile: path });
  }
}

interface FoundPlaces {
  cwd: string | undefined;
  places: SessionPlaces;
}

async function placesOf(cwd: string | undefined, agentDir: string | undefined) {
  const found = await embedPlaces({ cwd, agentDir });
  if (!found.ok) throw new RalphError("invalid", found.message);
  const { sessions, blobs, cache } = found.paths;
  return { cwd: found.cwd, places: { sessions, blobs, cache } };
}

function placesIn(data: string): SessionPlaces {
  return { sessions: join(data, "sessions"), blobs: join(data, "blobs"), cache: join(data, "cache") };
}
