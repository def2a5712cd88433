import type { TerminalPort } from "../../interactive/terminal-port.ts";
import type { Clock } from "../../system/clock.ts";
import { descriptorOutput } from "../output.ts";

export interface ProcessTerminal extends TerminalPort {
  /** Everything that was written is out. */
  drained(): Promise<void>;
  /** Lets go of the keyboard. */
  close(): void;
}

/** More than this unread, and the terminal counts as one that does not read. */
const MOST_HELD = 64 * 1024;
/** A process group that cannot be stopped goes on after this. */
const STOP_MS = 250;

/** The terminal this process was started in. `onGone` is called when nobody can see anything any more. */
export function openTerminal(clock: Pick<Clock, "timer" | "monotonic">, onGone: () => void): ProcessTerminal {
  const output = descriptorOutput(1, onGone);
  const drains = new Set<() => void>();
  const resizes = new Set<() => void>();
  const backs = new Set<() => void>();
  const resized = () => {
    for (const listener of resizes) listener();
  };
  const keyboard = openKeyboard(onGone, () => {
    for (const listener of backs) listener();
  });
  process.on("SIGWINCH", resized);
  return {
    ...keyboard,
    write(text) {
      output.write(text);
      if (output.held <= MOST_HELD) return true;
      void output.drained().then(() => {
        for (const listener of drains) listener();
      });
      return false;
    },
    size() {
      const [columns, rows] = process.stdout.getWindowSize?.() ?? [];
      return { columns: columns || 80, rows: rows || 24 };
    },
    onResize: (listener) => added(resizes, listener),
    onBack: (listener) => added(backs, listener),
    onDrain: (listener) => added(drains, listener),
    async suspend() {
      await output.drained();
      await stopGroup(clock);
    },
    setTimer: (callback, milliseconds) => clock.timer(milliseconds, callback),
    now: () => clock.monotonic(),
    drained: () => output.drained(),
    close() {
      process.off("SIGWINCH", resized);
      keyboard.close();
    },
  };
}

type Keyboard = Pick<ProcessTerminal, "onInput" | "setRaw" | "setReading" | "close">;

function openKeyboard(onGone: () => void, onBack: () => void): Keyboard {
  const { stdin } = process;
  let isRaw = false;
  let isAway = false;
  const setMode = (wanted: boolean) => {
    try {
      stdin.setRawMode(wanted);
    } catch {
      // The terminal is gone; `onGone` says so.
    }
  };
  /** Whoever had the terminal while this process stood still left it in a mode of their own. */
  const continued = () => {
    if (isAway) return;
    // A mode that is believed to be set already is not set again.
    if (isRaw) setMode(false);
    if (isRaw) setMode(true);
    onBack();
  };
  const giveBack = () => {
    if (isRaw) setMode(false);
  };
  stdin.on("end", onGone);
  stdin.on("error", onGone);
  process.on("SIGCONT", continued);
  process.on("exit", giveBack);
  return {
    onInput(listener) {
      stdin.on("data", listener);
      return () => void stdin.off("data", listener);
    },
    setRaw(wanted) {
      isRaw = wanted;
      setMode(wanted);
    },
    setReading(isReading) {
      isAway = !isReading;
      if (isReading) stdin.resume();
      else stdin.pause();
    },
    close() {
      stdin.off("end", onGone);
      process.off("SIGCONT", continued);
      process.off("exit", giveBack);
      stdin.pause();
    },
  };
}

function added(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The whole group, as Ctrl+Z does: whoever started Ralph may be waiting in it. */
async function stopGroup(clock: Pick<Clock, "timer">): Promise<void> {
  const isBack = Promise.withResolvers<void>();
  const back = () => isBack.resolve();
  process.once("SIGCONT", back);
  process.kill(0, "SIGTSTP");
  const cancel = clock.timer(STOP_MS, back);
  await isBack.promise;
  cancel();
  process.off("SIGCONT", back);
}
