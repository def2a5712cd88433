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
  return new PersonInTerminal(options);
}

class PersonInTerminal implements PersonAtWork {
  private session: InteractiveSession | undefined;
  private size = FIRST_SIZE;
  private turning: Promise<ControlOutcome> = Promise.resolve({ ok: true });

  constructor(private readonly options: PersonOptions) {}

  get isOn(): boolean {
    return this.session !== undefined;
  }

  /** One after the other: two clients may turn it at the same time. */
  turn(isOn: boolean): Promise<ControlOutcome> {
    this.turning = this.turning.then(() => (isOn ? this.begin() : this.end())).catch((error) => this.giveUp(error));
    return this.turning;
  }

  write(data: string): boolean {
    return this.session?.write(data) ?? false;
  }

  resize(size: TerminalSize): void {
    this.size = size;
    this.session?.resize(size);
  }

  async screen(): Promise<Screen | undefined> {
    return this.session === undefined ? undefined : { ...this.size, data: await this.session.screen() };
  }

  async stop(): Promise<void> {
    await this.turn(false);
  }

  private async begin(): Promise<ControlOutcome> {
    const { steering, root, journal, onBytes, onChange } = this.options;
    if (this.session !== undefined) return { ok: true };
    if (!(await steering.takeOver())) return { ok: false, message: "The run is about to end." };
    const { argv, environment } = this.options.program();
    const opened = await openInteractive({
      argv,
      root,
      environment: { ...this.options.environment, ...environment },
      size: this.size,
    });
    if (!opened.ok) {
      steering.handBack();
      return opened;
    }
    const mine = opened.session;
    this.session = mine;
    mine.onBytes(onBytes);
    void mine.exited.then(() => {
      if (this.session === mine) void this.turn(false);
    });
    await journal.append({ type: "interactive", enabled: true });
    onChange();
    return { ok: true };
  }

  private async end(): Promise<ControlOutcome> {
    const { steering, journal, onChange } = this.options;
    const ending = this.session;
    if (ending === undefined) return { ok: true };
    this.session = undefined;
    await ending.stop();
    await journal.append({ type: "interactive", enabled: false });
    steering.handBack();
    onChange();
    return { ok: true };
  }

  /** What cannot be stored must not go on. */
  private async giveUp(error: unknown): Promise<ControlOutcome> {
    if (!(error instanceof JournalFailure)) throw error;
    const ending = this.session;
    this.session = undefined;
    await ending?.stop();
    this.options.steering.handBack();
    return { ok: false, message: `It could not be stored: ${error.message}` };
  }
}
