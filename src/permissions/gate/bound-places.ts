import { analyseCommand } from "../shell/analyse-command.ts";
import type { AnalysisPlace, Segment } from "../shell/command-analysis.ts";
import { resolveFrom } from "../shell/lexical-path.ts";

export interface CommandPlaces {
  /** Names that are looked up in the path, and absolute paths. */
  programs: string[];
  /** Files whose content is run, absolute. */
  scripts: string[];
}

/** A command that names more is bound to the first of them; its text is bound whole. */
const MOST_PLACES = 64;

/** The programs and scripts a command would run, as far as its words tell. */
export function commandPlaces(command: string, place: AnalysisPlace): CommandPlaces {
  const { segments } = analyseCommand(command, place);
  const programs = segments.flatMap((segment) =>
    segment.layers.flatMap(([program]) => programOf(program, segment, place)),
  );
  return {
    programs: distinct(["bash", ...programs]),
    scripts: distinct(segments.flatMap(scriptsOf)),
  };
}

function programOf(program: string | undefined, { cwds }: Segment, { cwd }: AnalysisPlace): string[] {
  if (program === undefined || program === "") return [];
  return program.includes("/") ? [resolveFrom(cwds?.[0] ?? cwd, program)] : [program];
}

/** What an interpreter reads may be code as well. */
function scriptsOf({ paths, runsCode }: Segment): string[] {
  return paths.flatMap(({ kind, path, pattern }) => {
    const isCode = kind === "execute" || (runsCode && kind === "read");
    return isCode && path !== undefined && pattern !== true ? [path] : [];
  });
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)].slice(0, MOST_PLACES);
}
