import { type Change, diffLines, rawLinesOf } from "./line-diff.ts";

/** Lines counted from 0, the end not included. */
export interface LineRange {
  start: number;
  end: number;
}

/** A place both sides changed, each in its own way. */
export interface MergeConflict {
  base: LineRange;
  ours: LineRange;
  theirs: LineRange;
}

export type MergeResult = { ok: true; text: string } | { ok: false; conflicts: MergeConflict[] };

export interface MergeTexts {
  base: string;
  ours: string;
  theirs: string;
}

/**
 * What both sides made of the base, line by line and byte for byte: line ends and a missing last newline are part of their
 * lines. Changes of different lines are both taken, equal changes once. All or nothing: with a conflict there is no text.
 */
export function mergeThreeWays({ base, ours, theirs }: MergeTexts): MergeResult {
  if (ours === theirs || base === theirs) return { ok: true, text: ours };
  if (base === ours) return { ok: true, text: theirs };
  const [baseLines, ourLines, theirLines] = [rawLinesOf(base), rawLinesOf(ours), rawLinesOf(theirs)];
  const regions = regionsOf(diffLines(baseLines, ourLines), diffLines(baseLines, theirLines));
  const merged: string[] = [];
  const conflicts: MergeConflict[] = [];
  let done = 0;
  for (const region of regions) {
    const mine = ourLines.slice(region.ours.start, region.ours.end);
    const other = theirLines.slice(region.theirs.start, region.theirs.end);
    const chosen = region.changedBy === "theirs" ? other : mine;
    if (region.changedBy === "both" && !sameLines(mine, other)) {
      const { changedBy: _, ...place } = region;
      conflicts.push(place);
    }
    merged.push(...baseLines.slice(done, region.base.start), ...chosen);
    done = region.base.end;
  }
  if (conflicts.length > 0) return { ok: false, conflicts };
  return { ok: true, text: [...merged, ...baseLines.slice(done)].join("") };
}

interface Region extends MergeConflict {
  changedBy: "ours" | "theirs" | "both";
}

interface Side {
  changes: readonly Change[];
  next: number;
  /** How many lines further on the side is than the base, after the changes taken so far. */
  shift: number;
}

/** Changes of both sides in the order of the base; those that touch the same place are one region. */
function regionsOf(ourChanges: readonly Change[], theirChanges: readonly Change[]): Region[] {
  const ours: Side = { changes: ourChanges, next: 0, shift: 0 };
  const theirs: Side = { changes: theirChanges, next: 0, shift: 0 };
  const regions: Region[] = [];
  for (let first = nextChange(ours, theirs); first !== undefined; first = nextChange(ours, theirs)) {
    const base = { start: first.oldStart, end: first.oldEnd };
    const before = { ours: ours.shift, theirs: theirs.shift };
    const taken = { ours: 0, theirs: 0 };
    // Each side may reach further than the other, so both are asked until neither has more.
    for (let grew = true; grew; ) {
      const mine = takeTouching(ours, base);
      const other = takeTouching(theirs, base);
      taken.ours += mine;
      taken.theirs += other;
      grew = mine + other > 0;
    }
    regions.push({
      base,
      ours: { start: base.start + before.ours, end: base.end + ours.shift },
      theirs: { start: base.start + before.theirs, end: base.end + theirs.shift },
      changedBy: taken.theirs === 0 ? "ours" : taken.ours === 0 ? "theirs" : "both",
    });
  }
  return regions;
}

function nextChange(ours: Side, theirs: Side): Change | undefined {
  const mine = ours.changes[ours.next];
  const other = theirs.changes[theirs.next];
  if (mine === undefined || other === undefined) return mine ?? other;
  return other.oldStart < mine.oldStart ? other : mine;
}

/** Takes the changes that touch the region and widens it by them; returns how many. */
function takeTouching(side: Side, region: LineRange): number {
  const from = side.next;
  for (let change = side.changes[side.next]; change !== undefined; change = side.changes[side.next]) {
    if (!touches(change, region)) break;
    region.start = Math.min(region.start, change.oldStart);
    region.end = Math.max(region.end, change.oldEnd);
    side.shift += change.newEnd - change.newStart - (change.oldEnd - change.oldStart);
    side.next++;
  }
  return side.next - from;
}

/**
 * Neighbouring lines that were replaced can be told apart. Lines put in at the edge of a change cannot: nobody knows which of
 * the two comes first.
 */
function touches(change: Change, region: LineRange): boolean {
  const isPoint = change.oldStart === change.oldEnd || region.start === region.end;
  return isPoint
    ? change.oldStart <= region.end && change.oldEnd >= region.start
    : change.oldStart < region.end && change.oldEnd > region.start;
}

function sameLines(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}
