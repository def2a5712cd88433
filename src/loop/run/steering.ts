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
  let current: { controller: AbortController; cause?: StopCause } | undefined;
  let wish = Promise.withResolvers<void>();
  let taken: { parked: PromiseWithResolvers<boolean>; left: PromiseWithResolvers<void> } | undefined;
  let isClosed = false;

  const end = (cause: StopCause) => {
    if (current !== undefined) {
      current.cause ??= cause;
      current.controller.abort();
    }
    wake();
  };
  const wake = () => {
    wish.resolve();
    wish = Promise.withResolvers<void>();
  };
  const stop = async () => {
    if (journal.state().request !== "stop") await journal.append({ type: "stop-requested", how: "stop" });
    end("stopped");
    taken?.left.resolve();
  };
  interrupt.addEventListener("abort", () => void stop().catch(() => end("stopped")), { once: true });

  return {
    stop,
    async checkpoint() {
      if (journal.state().request === undefined) await journal.append({ type: "stop-requested", how: "checkpoint" });
      wake();
    },
    inject: async (prompt) => void (await journal.append({ type: "injected", prompt })),
    async takeOver() {
      if (isClosed || journal.state().request === "stop") return false;
      taken ??= { parked: Promise.withResolvers<boolean>(), left: Promise.withResolvers<void>() };
      end("taken-over");
      return taken.parked.promise;
    },
    handBack: () => taken?.left.resolve(),
    close() {
      isClosed = true;
      taken?.parked.resolve(false);
      taken?.left.resolve();
    },
    get isTakenOver() {
      return taken !== undefined;
    },
    async interruptible(work) {
      const mine: NonNullable<typeof current> = { controller: new AbortController() };
      current = mine;
      if (interrupt.aborted || journal.state().request === "stop") end("stopped");
      if (taken !== undefined) end("taken-over");
      const result = await work(mine.controller.signal);
      current = undefined;
      return { result, ...(mine.cause !== undefined && { cause: mine.cause }) };
    },
    async park() {
      if (taken === undefined) return;
      taken.parked.resolve(true);
      await taken.left.promise;
      taken = undefined;
    },
    nextWish: () => wish.promise,
  };
}
