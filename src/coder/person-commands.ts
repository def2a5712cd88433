import type { Session } from "../sessions/session.ts";
import type { PersonCommandOptions, PersonCommandResult } from "../tools/person-command.ts";

/** Commands of the person, one at a time. They are in the session when they are answered. */
export interface PersonCommands {
  running(): string | undefined;
  run(command: string): Promise<({ ok: true } & PersonCommandResult) | { ok: false; message: string }>;
  /** Ends the one that runs. Settles when it is stored. */
  stop(): Promise<void>;
}

export function createPersonCommands(session: Session, world: PersonCommandOptions["world"]): PersonCommands {
  let running: { command: string; stop: AbortController; ended: Promise<unknown> } | undefined;
  const runAndStore = async (command: string, signal: AbortSignal) => {
    const { runPersonCommand } = await import("../tools/person-command.ts");
    const result = await runPersonCommand(command, { world, signal });
    const { output, ending, exitCode, artifact } = result;
    const stored = await session.append({
      type: "command",
      command,
      output,
      ending,
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(artifact === undefined ? {} : { artifact }),
    });
    return stored.ok ? { ok: true as const, ...result } : { ok: false as const, message: stored.message };
  };
  return {
    running: () => running?.command,
    async run(command) {
      if (command.trim() === "") return { ok: false, message: "There is no command." };
      if (running !== undefined) return { ok: false, message: "A command of yours still runs. Stop it first." };
      const stop = new AbortController();
      const ended = runAndStore(command, stop.signal).finally(() => {
        running = undefined;
      });
      running = { command, stop, ended };
      return ended;
    },
    async stop() {
      running?.stop.abort();
      await running?.ended;
    },
  };
}
