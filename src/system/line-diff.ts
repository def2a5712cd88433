// What changed between two lists of lines: Myers' greedy search with a bound. Beyond the bound the differing middle is one
// replacement, which is still right, only longer.

/** A run of lines of the old text replaced by a run of lines of the new one. Counted from 0; one of the runs may be empty. */
export interface Change {
  oldStart: number;
  oldEnd: number;
  newStart: number;
  newEnd: number;
}

const MAXIMUM_STEPS = 1200;

export function diffLines(oldLines: readonly string[], newLines: readonly string[]): Change[] {
  const shorter = Math.min(oldLines.length, newLines.length);
  let head = 0;
  while (head < shorter && oldLines[head] === newLines[head]) head++;
  let tail = 0;
  while (tail < shorter - head && oldLines[oldLines.length - 1 - tail] === newLines[newLines.length - 1 - tail]) tail++;
  const left = oldLines.slice(head, oldLines.length - tail);
  const right = newLines.slice(head, newLines.length - tail);
  if (left.length === 0 && right.length === 0) return [];
  const whole = [{ oldStart: 0, oldEnd: left.length, newStart: 0, newEnd: right.length }];
  const changes = left.length === 0 || right.length === 0 ? whole : (shortestChanges(left, right) ?? whole);
  return changes.map(({ oldStart, oldEnd, newStart, newEnd }) => ({
    oldStart: oldStart + head,
    oldEnd: oldEnd + head,
    newStart: newStart + head,
    newEnd: newEnd + head,
  }));
}

/** The lines of any text with their line ends; put together again they are the text. */
export function rawLinesOf(text: string): string[] {
  const lines: string[] = [];
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf("\n", start) + 1 || text.length;
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

/** Undefined when more steps would be needed than the bound allows. `reached[d]` holds the furthest points after d steps. */
function shortestChanges(left: readonly string[], right: readonly string[]): Change[] | undefined {
  const bound = Math.min(MAXIMUM_STEPS, left.length + right.length);
  const reached: Int32Array[] = [];
  let previous = new Int32Array(3);
  for (let steps = 0; steps <= bound; steps++) {
    const row = new Int32Array(2 * steps + 3);
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      let x = entryPoint(previous, steps, diagonal);
      while (x < left.length && x - diagonal < right.length && left[x] === right[x - diagonal]) x++;
      row[diagonal + steps + 1] = x;
      if (x >= left.length && x - diagonal >= right.length) return trace(reached, left.length, right.length);
    }
    reached.push(row);
    previous = row;
  }
  return undefined;
}

/** Where a diagonal is entered after one more step; rows are centred, one wider on each side than their step count. */
function entryPoint(previous: Int32Array, steps: number, diagonal: number): number {
  if (steps === 0) return 0;
  const centre = steps;
  const below = previous[diagonal + 1 + centre] ?? 0;
  const beside = (previous[diagonal - 1 + centre] ?? 0) + 1;
  return goesDown(previous, steps, diagonal) ? below : beside;
}

function goesDown(previous: Int32Array, steps: number, diagonal: number): boolean {
  if (diagonal === -steps) return true;
  if (diagonal === steps) return false;
  return (previous[diagonal - 1 + steps] ?? 0) < (previous[diagonal + 1 + steps] ?? 0);
}

/** Walks back from the end; steps that touch each other are one change. */
function trace(reached: readonly Int32Array[], oldLength: number, newLength: number): Change[] {
  const changes: Change[] = [];
  let x = oldLength;
  let y = newLength;
  for (let steps = reached.length; steps > 0; steps--) {
    const previous = reached[steps - 1] ?? new Int32Array(0);
    const diagonal = x - y;
    const isDown = goesDown(previous, steps, diagonal);
    const from = diagonal + (isDown ? 1 : -1);
    const fromX = previous[from + steps] ?? 0;
    const fromY = fromX - from;
    prepend(changes, {
      oldStart: fromX,
      oldEnd: isDown ? fromX : fromX + 1,
      newStart: fromY,
      newEnd: isDown ? fromY + 1 : fromY,
    });
    x = fromX;
    y = fromY;
  }
  return changes.reverse();
}

/** `changes` is collected from the end of the texts to their start. */
function prepend(changes: Change[], change: Change): void {
  const next = changes.at(-1);
  if (next === undefined || next.oldStart !== change.oldEnd || next.newStart !== change.newEnd) {
    changes.push(change);
    return;
  }
  next.oldStart = change.oldStart;
  next.newStart = change.newStart;
}
