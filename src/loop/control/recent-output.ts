export const RECENT_LINES = 200;
/** So that a status stays small whatever the lines hold. */
const RECENT_CHARACTERS = 400_000;
const LINE_CHARACTERS = 16_384;

/** The newest lines an agent printed. */
export class RecentOutput {
  private lines: string[] = [];
  private first = 0;

  add(line: string): void {
    this.lines.push(line);
    // The front is cut off once in a while instead of at every line.
    if (this.lines.length - this.first <= RECENT_LINES) return;
    this.first++;
    if (this.first < RECENT_LINES) return;
    this.lines = this.lines.slice(this.first);
    this.first = 0;
  }

  list(): string[] {
    const newest: string[] = [];
    let room = RECENT_CHARACTERS;
    for (let index = this.lines.length - 1; index >= this.first; index--) {
      const line = this.lines[index] ?? "";
      room -= line.length;
      if (room < 0) break;
      newest.push(line);
    }
    return newest.reverse();
  }
}

/** A line as it goes over the wire: its beginning, and how much is missing. */
export function cutLine(line: string): string {
  if (line.length <= LINE_CHARACTERS) return line;
  return `${line.slice(0, LINE_CHARACTERS).toWellFormed()}… (${line.length - LINE_CHARACTERS} more characters)`;
}
