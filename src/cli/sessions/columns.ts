// Text in the columns of a terminal, where a character may be two wide or none.

const ELLIPSIS = "…";
const SEPARATOR = "  ";
const FEWEST = 20;
const USUAL = 80;

/** How wide lines may be. Where nobody looks on, as wide as COLUMNS says. */
export function columnsOf(environment: Readonly<Record<string, string | undefined>>): number {
  const columns = process.stdout.columns ?? Number(environment.COLUMNS ?? USUAL);
  return Number.isInteger(columns) && columns > 0 ? Math.max(FEWEST, columns) : USUAL;
}

/** The beginning of a text that fits. */
export function cut(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text;
  return `${beginning([...text], width - 1)}${ELLIPSIS}`;
}

/** The end of a text that fits: of a path the end says more. */
export function cutStart(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text;
  const turned = beginning([...text].reverse(), width - 1);
  return `${ELLIPSIS}${[...turned].reverse().join("")}`;
}

function beginning(characters: readonly string[], width: number): string {
  let taken = "";
  let room = width;
  for (const character of characters) {
    room -= Bun.stringWidth(character);
    if (room < 0) break;
    taken += character;
  }
  return taken;
}

/** The pieces beside each other, in as many lines as they need. */
export function packed(pieces: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    const longer = last === undefined ? undefined : `${last}${SEPARATOR}${piece}`;
    if (longer !== undefined && Bun.stringWidth(longer.trimEnd()) <= width) lines[lines.length - 1] = longer;
    else lines.push(lines.length === 0 ? piece : `${SEPARATOR}${cut(piece, width - SEPARATOR.length)}`);
  }
  return lines.map((line) => line.trimEnd());
}

/** Each column as wide as its widest cell. Numbers stand at the right. */
export function aligned(rows: readonly string[][], right: ReadonlySet<number>): string[][] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, Bun.stringWidth(cell));
  }
  return rows.map((row) =>
    row.map((cell, column) => {
      const space = " ".repeat((widths[column] ?? 0) - Bun.stringWidth(cell));
      return right.has(column) ? space + cell : cell + space;
    }),
  );
}
