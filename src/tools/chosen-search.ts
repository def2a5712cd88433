import { confirmedFindings } from "./confirmed-findings.ts";
import { ripgrepSearch } from "./ripgrep-search.ts";
import type { SearchEngine } from "./search-engine.ts";
import { walkSearch } from "./walk-search.ts";

export interface ChosenSearchOptions {
  /** The path of an `rg`, where there is one. Asked at the first search. */
  findRipgrep(): Promise<string | undefined>;
  environment: Readonly<Record<string, string | undefined>>;
}

/**
 * ripgrep where there is one. What it cannot do, our own walk does: a pattern that looks around or back, a program that was
 * killed or may not run here. What neither can do is told in the walk's words.
 */
export function chosenSearch({ findRipgrep, environment }: ChosenSearchOptions): SearchEngine {
  const own = walkSearch();
  let finding: Promise<string | undefined> | undefined;
  return {
    async search(request) {
      finding ??= findRipgrep();
      const program = await finding;
      if (program === undefined) return own.search(request);
      const outcome = await ripgrepSearch({ program, environment }).search(request);
      return outcome.ok ? confirmedFindings(outcome) : own.search(request);
    },
  };
}
