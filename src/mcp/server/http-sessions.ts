import type { Clock } from "../../system/clock.ts";
import { HttpSession } from "./http-session.ts";
import type { McpOffer } from "./mcp-session.ts";

// The clients of a server over HTTP. Nothing here ticks while nobody is connected: a session that was not used for long is
// ended when somebody comes, and makes room when there is none.

export const MOST_SESSIONS = 256;
export const IDLE_MS = 30 * 60_000;
/** How often a connected client is sent a sign of life. One that reads nothing is sent away at the second. */
export const BEAT_MS = 25_000;
const MOST_WAITING = 128 * 1024 * 1024;

export interface HttpSessionsOptions {
  offer: McpOffer;
  clock: Clock;
}

export class HttpSessions {
  private readonly sessions = new Map<string, HttpSession>();
  private readers = 0;
  private stopBeating: (() => void) | undefined;

  constructor(private readonly options: HttpSessionsOptions) {}

  get size(): number {
    return this.sessions.size;
  }

  /** Undefined where every session there may be is in use. It counts once it is kept. */
  open(): HttpSession | undefined {
    this.endIdle();
    if (this.sessions.size >= MOST_SESSIONS) {
      const [oldest] = [...this.sessions.values()].filter(({ isBusy }) => !isBusy).sort(byUse);
      if (oldest === undefined) return undefined;
      this.end(oldest);
    }
    return new HttpSession({ ...this.options, onReader: (change) => this.count(change) });
  }

  keep(session: HttpSession): void {
    this.sessions.set(session.id, session);
  }

  find(id: string): HttpSession | undefined {
    this.endIdle();
    this.endGreediest();
    const session = this.sessions.get(id);
    session?.use();
    return session;
  }

  end(session: HttpSession): void {
    this.sessions.delete(session.id);
    session.close();
  }

  endAll(): void {
    for (const session of this.sessions.values()) this.end(session);
  }

  private endIdle(): void {
    const before = this.options.clock.monotonic() - IDLE_MS;
    for (const session of this.sessions.values()) if (session.lastUsed < before && !session.isBusy) this.end(session);
  }

  /** What many slow readers leave lying is too much long before each of them has too much. */
  private endGreediest(): void {
    const all = [...this.sessions.values()].map((session) => ({ session, bytes: session.waitingBytes }));
    const total = all.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= MOST_WAITING) return;
    const [greediest] = all.sort((one, other) => other.bytes - one.bytes);
    if (greediest !== undefined) this.end(greediest.session);
  }

  private count(change: 1 | -1): void {
    this.readers += change;
    if (this.readers === 0) this.stopBeating?.();
    if (this.readers === 0) this.stopBeating = undefined;
    else this.stopBeating ??= this.options.clock.timer(BEAT_MS, () => this.beat());
  }

  private beat(): void {
    this.stopBeating = this.options.clock.timer(BEAT_MS, () => this.beat());
    for (const session of this.sessions.values()) session.beat();
  }
}

function byUse(one: HttpSession, other: HttpSession): number {
  return one.lastUsed - other.lastUsed;
}
