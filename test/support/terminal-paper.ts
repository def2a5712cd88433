// What a program writes to a terminal, read from its bytes alone: an endless sheet of paper without a screen's height, on which the
// cursor goes up and down. Whatever is not among the few things an inline screen needs is told as foreign.

export interface TerminalPaper {
  /** What is written, without spaces at the end; the newest state of every row. */
  rows: string[];
  /** Sequences that are not known here, with where they begin. */
  foreign: string[];
  /** Rows above a finished one that were written or erased again. */
  rewritten: string[];
}

export interface PaperOptions {
  /** Looked at behind every frame: how many rows from the top are finished. */
  finishedRows(rows: readonly string[]): number;
}

/** Control characters have names in the patterns here: E is Escape, G the bell, C any of them. */
function pattern(source: string, flags = ""): RegExp {
  const named = source.replaceAll("<E>", "\\u001b").replaceAll("<G>", "\\u0007").replaceAll("<C>", CONTROLS);
  return new RegExp(named, flags);
}

const CONTROLS = String.raw`\u0000-\u001f\u007f-\u009f`;

/** Everything an inline screen may send: relative movement, erasing below and to the right, styles, links, modes, questions. */
const KNOWN: readonly RegExp[] = [
  pattern(String.raw`^<E>\[\d*[ABC]$`),
  pattern(String.raw`^<E>\[[JK]$`),
  pattern(String.raw`^<E>\[[\d;]*m$`),
  pattern(String.raw`^<E>\[\?(?:7|25|1004|2004|2026)[hl]$`),
  pattern(String.raw`^<E>\[(?:>5u|>4;2m|>4m|<u|>q|c)$`),
  pattern(String.raw`^<E>\]8;[^<G><E>]*;[^<G><E>]*(?:<G>|<E>\\)$`),
  pattern(String.raw`^<E>\](?:11;\?|9;[^<G><E>]*)(?:<G>|<E>\\)$`),
  pattern(String.raw`^[<G>\r\n]$`),
];

const TOKENS = pattern(String.raw`<E>\[[ -?]*[@-~]?|<E>[\]P_^X][^<G><E>]*(?:<G>|<E>\\)?|<E>[\s\S]?|[<C>]|[^<C>]+`, "g");
const CONTROL = pattern("^[<C>]");
const MOVE = pattern(String.raw`^<E>\[(\d*)([ABCJK])$`);
const FRAME_END = "\x1b[?2026l";

/** Lines must be narrower than the window: the paper is as wide as what is written. */
export function paperOf(written: string, { finishedRows }: PaperOptions): TerminalPaper {
  const sheet = new Sheet();
  for (const match of written.matchAll(TOKENS)) {
    const [token] = match;
    if (!CONTROL.test(token)) sheet.print(token);
    else if (!KNOWN.some((known) => known.test(token)))
      sheet.foreign.push(`${JSON.stringify(token.slice(0, 40))} at ${match.index}`);
    else sheet.obey(token);
    if (token === FRAME_END) sheet.finish(finishedRows(sheet.rows));
  }
  const { rows, foreign, rewritten } = sheet;
  return { rows: rows.map((row) => row.trimEnd()), foreign, rewritten };
}

class Sheet {
  readonly rows: string[] = [""];
  readonly foreign: string[] = [];
  readonly rewritten: string[] = [];
  private row = 0;
  private column = 0;
  private finished = 0;

  print(text: string): void {
    this.touch();
    const before = [...(this.rows[this.row] ?? "").padEnd(this.column)];
    const characters = [...text];
    before.splice(this.column, characters.length, ...characters);
    this.rows[this.row] = before.join("");
    this.column += characters.length;
  }

  obey(token: string): void {
    const [, number = "", final] = MOVE.exec(token) ?? [];
    const count = number === "" ? 1 : Number(number);
    if (token === "\r") this.column = 0;
    else if (token === "\n" || final === "B") this.down(token === "\n" ? 1 : count);
    else if (final === "A") this.row -= count;
    else if (final === "C") this.column += count;
    else if (final === "K") this.erase();
    else if (final === "J") {
      this.erase();
      this.rows.length = this.row + 1;
    }
  }

  /** A row once finished stays so. */
  finish(count: number): void {
    this.finished = Math.max(this.finished, count);
  }

  private down(count: number): void {
    this.row += count;
    while (this.rows.length <= this.row) this.rows.push("");
  }

  private erase(): void {
    this.touch();
    this.rows[this.row] = (this.rows[this.row] ?? "").slice(0, this.column);
  }

  private touch(): void {
    if (this.row < this.finished) this.rewritten.push(`row ${this.row}: ${this.rows[this.row] ?? "above the top"}`);
  }
}
