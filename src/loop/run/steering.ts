import type { LoopJournal } from "../state/loop-journal.ts";

// What people ask of a run while it works. Every wish is stored before it is obeyed; the loop looks at its wishes between two
// operations, and what takes long (an agent, a wait) is ended early where a wish demands it.

export type StopCause = "stopped" | "taken-over";

export interface Steering {
  stop(): Promise<void>;
  checkpoint(): Promise<void>;
  inject(prompt: string): Promise<void>;
  /** Ends the running agent, and resolves when the loop stands still; false where it never will, because it is about to end. */
  takeOver(): Promise<boolean>;
  /** The loop may go on. */
  handBack(): void;
  readonly isTakenOver: boolean;
  /** Nobody can take over any more: the loop is about to end. */
  close(): void;
  /** Runs something long that a wish may end; `cause` says which. */
  interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<{ result: Result; cause?: StopCause }>;
  /** Where the loop stands still while a person has taken over. */
  park(): Promise<void>;
  /** Resolves when a wish comes. */
  nextWish(): Promise<void>;
}

/** `interrupt` is the person's Ctrl-C: it counts as a stop. */
export function createSteering(journal: LoopJournal, interrupt: AbortSignal): Steering {
  return new StoredSteering(journal, interrupt);
}

class StoredSteering implements Steering {
  private current: { controller: AbortController; cause?: StopCause } | undefined;
  private wish = Promise.withResolvers<void>();
  private taken: { parked: PromiseWithResolvers<boolean>; left: PromiseWithResolvers<void> } | undefined;
  private isClosed = false;

  constructor(
    private readonly journal: LoopJournal,
    private readonly interrupt: AbortSignal,
  ) {
    const stop = () => void this.stop().catch(() => this.end("stopped"));
    interrupt.addEventListener("abort", stop, { once: true });
  }

  async stop(): Promise<void> {
    if (this.journal.state().request !== "stop") await this.journal.append({ type: "stop-requested", how: "stop" });
    this.end("stopped");
    this.taken?.left.resolve();
  }

  async checkpoint(): Promise<void> {
    const isFirst = this.journal.state().request === undefined;
    if (isFirst) await this.journal.append({ type: "stop-requested", how: "checkpoint" });
    this.wake();
  }

  async inject(prompt: string): Promise<void> {
    await this.journal.append({ type: "injected", prompt });
  }

  async takeOver(): Promise<boolean> {
    if (this.isClosed || this.journal.state().request === "stop") return false;
    this.taken ??= { parked: Promise.withResolvers<boolean>(), left: Promise.withResolvers<void>() };
    this.end("taken-over");
    return this.taken.parked.promise;
  }

  handBack(): void {
    this.taken?.left.resolve();
  }

  close(): void {
    this.isClosed = true;
    this.taken?.parked.resolve(false);
    this.taken?.left.resolve();
  }

  get isTakenOver(): boolean {
    return this.taken !== undefined;
  }

  async interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>) {
    const mine: { controller: AbortController; cause?: StopCause } = { controller: new AbortController() };
    this.current = mine;
    if (this.interrupt.aborted || this.journal.state().request === "stop") this.end("stopped");
    if (this.taken !== undefined) this.end("taken-over");
    const result = await work(mine.controller.signal);
    this.current = undefined;
    return { result, ...(mine.cause !== undefined && { cause: mine.cause }) };
  }

  async park(): Promise<void> {
    if (this.taken === undefined) return;
    this.taken.parked.resolve(true);
    await this.taken.left.promise;
    this.taken = undefined;
  }

  nextWish(): Promise<void> {
    return this.wish.promise;
  }

  private end(cause: StopCause): void {
    if (this.current !== undefined) {
      this.current.cause ??= cause;
      this.current.controller.abort();
    }
    this.wake();
  }

  private wake(): void {
    this.wish.resolve();
    this.wish = Promise.withResolvers<void>();
  }
}
