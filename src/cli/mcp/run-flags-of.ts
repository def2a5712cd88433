import type { CommandFlagRow } from "../flag-rows.ts";
import { SERVED_RUN_FLAGS } from "../loop/run-flags.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";

// How loops are run that a caller starts: as the person said who started the server. A caller chooses no agent and no command.

const DEFAULT_ITERATIONS = 50;

/** The most iterations a caller may ask for. */
export function mostIterations(context: RunContext): number {
  const given = Number(flagText(context, "max-iterations") ?? context.environment.MAX_ITERATIONS ?? DEFAULT_ITERATIONS);
  return Number.isInteger(given) && given > 0 ? given : DEFAULT_ITERATIONS;
}

/** The flags of `ralph run`. */
export function runFlagsOf(context: RunContext, iterations: number | undefined): string[] {
  return flagsOf(context, SERVED_RUN_FLAGS, iterations);
}

/** A map is drawn with a prompt of its own, changes nothing else, and needs no branch of a story. */
const OF_STORIES = new Set(["prompt", "allowed-paths", "worktree"]);

/** The flags of `ralph understand`. */
export function understandFlagsOf(context: RunContext, iterations: number | undefined): string[] {
  const rows = SERVED_RUN_FLAGS.filter(({ name }) => !OF_STORIES.has(name));
  return flagsOf(context, rows, iterations);
}

function flagsOf(context: RunContext, rows: readonly CommandFlagRow[], iterations: number | undefined): string[] {
  const most = mostIterations(context);
  const given = rows.filter(({ name }) => name !== "max-iterations" && hasFlag(context, name));
  return [
    `--max-iterations=${Math.min(iterations ?? most, most)}`,
    ...given.map(({ name, value }) =>
      value === undefined ? `--${name}` : `--${name}=${flagText(context, name) ?? ""}`,
    ),
  ];
}
