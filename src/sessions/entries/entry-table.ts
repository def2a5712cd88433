import { NO_KEY, ROOT_KEY } from "./entry-keys.ts";

/** What is known of an entry without its line. */
export interface EntryIdentity {
  key: number;
  parentKey: number;
  /** A number for its type, chosen by the caller. */
  kind: number;
}

/** Where its line stands. */
export interface LinePlace {
  offset: number;
  length: number;
  number: number;
}

/** Of an entry whose place in the file is not known. */
export const NO_PLACE: LinePlace = { offset: -1, length: 0, number: 0 };

/** No row: the parent of the first entry. */
export const NO_ROW = -1;
const FIRST_CAPACITY = 256;

/**
 * The entries of a session in the order of the file, a few numbers each, and the tree they form. A row keeps its number; one
 * that is left out takes no part in the tree.
 */
export class EntryTable {
  size = 0;
  leftOut = 0;
  private keys = new Float64Array(FIRST_CAPACITY);
  private parentKeys = new Float64Array(FIRST_CAPACITY);
  private parents = new Int32Array(FIRST_CAPACITY);
  private kinds = new Uint8Array(FIRST_CAPACITY);
  private offsets = new Float64Array(FIRST_CAPACITY);
  private lengths = new Uint32Array(FIRST_CAPACITY);
  private lines = new Uint32Array(FIRST_CAPACITY);
  private dead = new Uint8Array(FIRST_CAPACITY);
  /** Row + 1 by the hash of its key, the next free place on a collision; at most half of it is used. */
  private slots = new Int32Array(0);
  /** Rows that have their place in the tree; the others get it when somebody asks. */
  private linked = 0;
  private lastLinked = NO_ROW;

  add({ key, parentKey, kind }: EntryIdentity, { offset, length, number }: LinePlace): number {
    if (this.size === this.keys.length) this.grow(this.size * 2);
    const row = this.size++;
    this.keys[row] = key;
    this.parentKeys[row] = parentKey;
    this.kinds[row] = kind;
    this.offsets[row] = offset;
    this.lengths[row] = length;
    this.lines[row] = number;
    return row;
  }

  /** Makes room for about so many, so that it need not grow while they are added. */
  reserve(count: number): void {
    if (count > this.keys.length) this.grow(2 ** Math.ceil(Math.log2(count)));
  }

  key(row: number): number {
    return this.keys[row] ?? NO_KEY;
  }

  parentKey(row: number): number {
    return this.parentKeys[row] ?? ROOT_KEY;
  }

  /** In the tree: an entry whose parent was lost hangs on the readable entry before it in the file. */
  parent(row: number): number {
    this.link();
    return this.isLeftOut(row) ? NO_ROW : (this.parents[row] ?? NO_ROW);
  }

  kind(row: number): number {
    return this.kinds[row] ?? 0;
  }

  offset(row: number): number {
    return this.offsets[row] ?? -1;
  }

  length(row: number): number {
    return this.lengths[row] ?? 0;
  }

  lineNumber(row: number): number {
    return this.lines[row] ?? 0;
  }

  /** The row that was appended last, of those whose id was new. */
  lastRow(): number {
    this.link();
    return this.lastLinked;
  }

  isLeftOut(row: number): boolean {
    return this.dead[row] === 1;
  }

  /** The first entry with this key. */
  rowOf(key: number): number {
    this.link();
    return this.linkedRowOf(key);
  }

  locate(row: number, { offset, length, number }: LinePlace): void {
    this.offsets[row] = offset;
    this.lengths[row] = length;
    this.lines[row] = number;
  }

  /** What the line turned out to be. */
  correct(row: number, { key, parentKey, kind }: EntryIdentity): void {
    this.keys[row] = key;
    this.parentKeys[row] = parentKey;
    this.kinds[row] = kind;
    this.unlink();
  }

  leaveOut(row: number): void {
    if (this.isLeftOut(row)) return;
    this.dead[row] = 1;
    this.leftOut++;
    this.unlink();
  }

  private unlink(): void {
    this.linked = 0;
    this.lastLinked = NO_ROW;
  }

  private link(): void {
    if (this.linked === this.size) return;
    if (this.linked === 0) this.slots = new Int32Array(this.keys.length * 2);
    for (let row = this.linked; row < this.size; row++) if (this.dead[row] === 0) this.linkRow(row);
    this.linked = this.size;
  }

  /** A later entry that repeats an id does not count. A parent always stands before its child, so there are no cycles. */
  private linkRow(row: number): void {
    const parentKey = this.parentKey(row);
    const parent = parentKey === ROOT_KEY ? NO_ROW : this.linkedRowOf(parentKey);
    this.parents[row] = parent === NO_ROW && parentKey !== ROOT_KEY ? this.lastLinked : parent;
    const slot = this.slotOf(this.key(row));
    if (this.slots[slot] !== 0) return;
    this.slots[slot] = row + 1;
    this.lastLinked = row;
  }

  private linkedRowOf(key: number): number {
    // Most entries hang on the one before them.
    if (this.lastLinked !== NO_ROW && this.keys[this.lastLinked] === key) return this.lastLinked;
    return (this.slots[this.slotOf(key)] ?? 0) - 1;
  }

  private slotOf(key: number): number {
    const mask = this.slots.length - 1;
    let slot = hashOf(key) & mask;
    for (;;) {
      const row = (this.slots[slot] ?? 0) - 1;
      if (row === NO_ROW || this.keys[row] === key) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private grow(capacity: number): void {
    this.keys = copied(this.keys, new Float64Array(capacity));
    this.parentKeys = copied(this.parentKeys, new Float64Array(capacity));
    this.parents = copied(this.parents, new Int32Array(capacity));
    this.kinds = copied(this.kinds, new Uint8Array(capacity));
    this.offsets = copied(this.offsets, new Float64Array(capacity));
    this.lengths = copied(this.lengths, new Uint32Array(capacity));
    this.lines = copied(this.lines, new Uint32Array(capacity));
    this.dead = copied(this.dead, new Uint8Array(capacity));
    this.unlink();
  }
}

function copied<T extends Float64Array | Int32Array | Uint32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

const LOW = 2 ** 20;

function hashOf(key: number): number {
  const high = (key / LOW) | 0;
  const mixed = Math.imul(high, 0x9e3779b1) ^ Math.imul(key - high * LOW, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
