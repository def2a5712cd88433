import type { CommandNeeds } from "../protocol/asks.ts";
import type { CappedOutput } from "../system/capped-output.ts";
import type { ProcessAhead, ProcessOutcome } from "../system/run-process.ts";
import { commandEnvironment } from "./command-environment.ts";
import { shellProgram } from "./shell-program.ts";
import type { ToolWorld } from "./tool-world.ts";

export interface ShellCommand {
  command: string;
  cwd: string;
  /** What it gets beyond the sandbox. */
  grant: CommandNeeds;
}

export type ConfinedCommand =
  | {
      ok: true;
      argv: readonly string[];
      environment: Readonly<Record<string, string | undefined>>;
      ahead?: ProcessAhead;
      /** To be called once, when all its processes are gone, with the end of what it printed: what there is to say about it. */
      remarks(outcome: ProcessOutcome, printed: string): string[];
    }
  | { ok: false; message: string };

/** A command as it is run: read by a shell without start-up files, in a clean environment, inside the sandbox where there is one. */
export async function confined(world: ToolWorld, { command, cwd, grant }: ShellCommand): Promise<ConfinedCommand> {
  const environment = commandEnvironment(world.environment, world.environmentNames);
  const argv = shellProgram(command, environment);
  if (world.wrapCommand === undefined) return { ok: true, argv, environment, remarks: () => [] };
  const wrapped = await world.wrapCommand({ argv, cwd, environment, grant });
  if (!wrapped.ok) return { ok: false, message: `The command did not run. ${wrapped.message}` };
  return {
    ok: true,
    argv: wrapped.argv,
    environment: wrapped.environment,
    ...(wrapped.ahead === undefined ? {} : { ahead: wrapped.ahead }),
    remarks(outcome, printed) {
      const made = wrapped.finish();
      const left = wrapped.endsLeftovers && startsBeside(command) ? [LEFT_BEHIND] : [];
      const failed = outcome.type === "exited" && outcome.code !== 0;
      const hint = failed ? wrapped.hint(printed) : undefined;
      return [...left, ...(hint === undefined ? [] : [hint]), ...wrapped.notes, ...made];
    },
  };
}

const LEFT_BEHIND = "What still ran behind an & was ended with it. Use background true for what should go on.";

/** Whether the words look as if something is started that nobody waits for. */
function startsBeside(command: string): boolean {
  const unquoted = command.replace(/'[^']*'|"(?:[^"\\]|\\.)*"/g, "''");
  return /(^|[^&|<>])&(?=[\s;)]|$)/.test(unquoted) && !/(^|[\s;(&|])wait([\s;)&|]|$)/.test(unquoted);
}

/** Of each stream: programs say last why they gave up. */
const LOOKED_AT = 2000;

/** The last words of both streams. */
export function endOf(...streams: readonly CappedOutput[]): string {
  const decoder = new TextDecoder();
  return streams.map(({ head, tail }) => decoder.decode((tail.length > 0 ? tail : head).slice(-LOOKED_AT))).join("\n");
}
