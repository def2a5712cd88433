import type { StepResult } from "../../sessions/undo/apply-undo.ts";
import { brokenOffUndos, changedSomething, type UndoTurn } from "../../sessions/undo/undo-turns.ts";

export interface EndedUndo {
  /** What was taken back. */
  turn: UndoTurn;
  /** With the undo itself, the last of them. */
  turns: readonly UndoTurn[];
  result: { results: readonly StepResult[]; isComplete: boolean };
  /** The command that repeats it. */
  again: string;
}

/** What a person can do after an undo. */
export function closingWords({ turn, turns, result, again }: EndedUndo): string {
  const own = turns.at(-1);
  const earlier = brokenOffUndos(turns, turn).filter((one) => one !== own && changedSomething(one));
  const undos = [...earlier, ...(own !== undefined && changedSomething(own) ? [own] : [])].toReversed();
  const commands = undos.map(({ number }) => `ralph undo ${number}`).join(", then ");
  if (result.isComplete) return commands === "" ? "" : `To take this back: ${commands}\n`;
  const open = `This undo is not finished: ${openWork(result.results)}. To finish it: ${again}\n`;
  return commands === "" ? open : `${open}To take back what it did: ${commands}\n`;
}

/** Where no file is left, it is the end that could not be recorded. */
function openWork(results: readonly StepResult[]): string {
  const count = results.filter(({ canRepeat }) => canRepeat).length;
  if (count === 0) return "its end could not be recorded";
  return count === 1 ? "1 file is still to do" : `${count} files are still to do`;
}
