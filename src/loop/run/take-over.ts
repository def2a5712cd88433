import type { ControlOutcome, Screen, TerminalSize } from "../control/loop-controls.ts";
import { type InteractiveSession, openInteractive } from "../runners/interactive-session.ts";
import type { TakeOver } from "../runners/runner.ts";
import { JournalFailure, type LoopJournal } from "../state/loop-journal.ts";
import type { Steering } from "./steering.ts";

// A person in the agent's place: the loop stands still, and a program runs in a terminal of its own that clients see and type in.

export interface PersonAtWork {
  readonly isOn: boolean;
  turn(isOn: boolean): Promise<ControlOutcome>;
  write(data: string): boolean;
  resize(size: TerminalSize): void;
  screen(): Promise<Screen | undefined>;
  stop(): Promise<void>;
}

export interface PersonOptions {
  journal: LoopJournal;
  steering: Steering;
  root: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Which program, at this moment. */
  program(): TakeOver;
  onBytes(bytes: Uint8Array): void;
  onChange(): void;
}

const FIRST_SIZE: TerminalSize = { columns: 80, rows: 24 };

export function createPersonAtWork(options: PersonOptions): PersonAtWork {
  const { journal, steering, onChange } = options;
  let session: InteractiveSession | undefined;
  let size = FIRST_SIZE;
  let turning: Promise<ControlOutcome> = Promise.resolve({ ok: true });

  const begin = async (): Promise<ControlOutcome> => {
    if (session !== undefined) return { ok: true };
    if (!(await steering.takeOver())) return { ok: false, message: "The run is about to end." };
    const { argv, environment } = options.program();
    const opened = await openInteractive({
      argv,
      root: options.root,
      environment: { ...options.environment, ...environment },
      size,
    });
    if (!opened.ok) {
      steering.handBack();
      return opened;
    }
    const mine = opened.session;
    session = mine;
    mine.onBytes(options.onBytes);
    void mine.exited.then(() => {
      if (session === mine) void turn(false);
    });
    await journal.append({ type: "interactive", enabled: true });
    onChange();
    return { ok: true };
  };

  const end = async (): Promise<ControlOutcome> => {
    const ending = session;
    if (ending === undefined) return { ok: true };
    session = undefined;
    await ending.stop();
    await journal.append({ type: "interactive", enabled: false });
    steering.handBack();
    onChange();
    return { ok: true };
  };

  // One after the other: two clients may turn it at the same time.
  const turn = (isOn: boolean): Promise<ControlOutcome> => {
    turning = turning.then(isOn ? begin : end).catch(giveUp);
    return turning;
  };

  /** What cannot be stored must not go on. */
  const giveUp = async (error: unknown): Promise<ControlOutcome> => {
    if (!(error instanceof JournalFailure)) throw error;
    const ending = session;
    session = undefined;
    await ending?.stop();
    steering.handBack();
    return { ok: false, message: `It could not be stored: ${error.message}` };
  };

  return {
    get isOn() {
      return session !== undefined;
    },
    turn,
    write: (data) => session?.write(data) ?? false,
    resize(next) {
      size = next;
      session?.resize(next);
    },
    screen: async () => (session === undefined ? undefined : { ...size, data: await session.screen() }),
    stop: async () => void (await turn(false)),
  };
}
