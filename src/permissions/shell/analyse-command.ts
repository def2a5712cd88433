import { parse } from "unbash";
import { characterConcerns } from "./characters.ts";
import { ANALYSIS_LIMITS, type AnalysisPlace, type CommandAnalysis, type Concern } from "./command-analysis.ts";
import { coversSource } from "./source-coverage.ts";
import { TreeWalk } from "./walk-tree.ts";

/** Reads a command as bash (started without start-up files) would, and says what would run. It never throws. */
export function analyseCommand(text: string, place: AnalysisPlace): CommandAnalysis {
  const { cwd, home } = place;
  if (newest?.analysis.text !== text || newest.cwd !== cwd || newest.home !== home)
    newest = { cwd, home, analysis: analyse(text, place) };
  return newest.analysis;
}

/** A decision asks about the same command several times: what would run, what it is bound to, whether a rule would answer. */
let newest: { cwd: string; home: string; analysis: CommandAnalysis } | undefined;

function analyse(text: string, place: AnalysisPlace): CommandAnalysis {
  if (text.length > ANALYSIS_LIMITS.text)
    return refused(text, { type: "too-long", detail: `longer than ${ANALYSIS_LIMITS.text} characters` });
  if ((text.match(OPENERS) ?? []).length > ANALYSIS_LIMITS.openers)
    return refused(text, {
      type: "too-long",
      detail: `more than ${ANALYSIS_LIMITS.openers} substitutions and expansions`,
    });
  try {
    const walk = new TreeWalk(place);
    const script = parse(text);
    walk.walk(script);
    const concerns = [...characterConcerns(text), ...walk.concerns];
    // Only needed where everything else would be allowed: what is not understood asks anyway.
    if (concerns.length === 0 && !coversSource(script, text))
      concerns.push({ type: "parse-error", detail: "holds something that cannot be read for certain" });
    return { text, segments: walk.segments, concerns, complete: walk.complete };
  } catch (error) {
    // A parser that gives up on an input must not take the gate down with it.
    return refused(text, { type: "parse-error", detail: `cannot be read: ${String(error).slice(0, 120)}` });
  }
}

/** What makes a parser go down one level more; hundreds of them within each other would cost it a noticeable time. */
const OPENERS = /\$[({[]|`|\[\[/g;

function refused(text: string, concern: Concern): CommandAnalysis {
  return { text, segments: [], concerns: [concern], complete: false };
}
