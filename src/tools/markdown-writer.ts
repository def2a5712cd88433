const MAX_LEVELS = 8;

interface List {
  isOrdered: boolean;
  count: number;
}

interface Table {
  rows: number;
  /** Cells of the open row; undefined between rows. */
  cells: number | undefined;
}

/** Writes Markdown piece by piece. Marks and breaks are kept back until words follow, so that empty elements leave nothing. */
export class MarkdownWriter {
  readonly #pieces: string[] = [];
  length = 0;
  #breaks = 0;
  #space = false;
  /** A heading's or list item's mark in front of the next words. */
  #mark = "";
  #quotes = 0;
  readonly #lists: List[] = [];
  #link: { address: string; isOpen: boolean } | undefined;
  #table: Table | undefined;

  /** Words whose white space does not count. */
  words(text: string): void {
    const collapsed = text.replace(/[ \t\r\n\f]+/g, " ");
    const trimmed = collapsed.trim();
    if (collapsed.startsWith(" ")) this.#space = true;
    if (trimmed === "") return;
    this.#startInline();
    this.#push(this.#table?.cells === undefined ? trimmed : trimmed.replaceAll("|", "\\|"));
    if (collapsed.endsWith(" ")) this.#space = true;
  }

  /** The next words begin a new line (1) or paragraph (2). A table cell has no lines, and a mark stands with its words. */
  break(lines: 1 | 2): void {
    this.#closeLink();
    if (this.#table?.cells !== undefined) this.#space = true;
    else this.#breaks = Math.max(this.#breaks, this.#mark === "" ? lines : 1);
  }

  heading(level: number): void {
    this.break(2);
    this.#mark = `${this.#mark.replace(/#+ $/, "")}${"#".repeat(level)} `;
  }

  endHeading(): void {
    this.break(2);
    this.#mark = "";
  }

  openList(isOrdered: boolean): void {
    this.break(this.#lists.length === 0 ? 2 : 1);
    this.#lists.push({ isOrdered, count: 0 });
  }

  closeList(): void {
    this.#lists.pop();
    this.#mark = "";
    this.break(this.#lists.length === 0 ? 2 : 1);
  }

  item(): void {
    this.break(1);
    const list = this.#lists.at(-1);
    if (list !== undefined) list.count += 1;
    this.#mark = list?.isOrdered ? `${list.count}. ` : "- ";
  }

  openQuote(): void {
    this.break(2);
    this.#quotes += 1;
  }

  closeQuote(): void {
    this.break(2);
    this.#quotes = Math.max(0, this.#quotes - 1);
  }

  openLink(address: string): void {
    this.#closeLink();
    this.#link = { address, isOpen: false };
  }

  closeLink(): void {
    this.#closeLink();
    this.#link = undefined;
  }

  code(text: string): void {
    const content = text.replace(/\s+/g, " ").trim();
    if (content === "") return;
    const fence = "`".repeat(longestRun(content) + 1);
    const padding = content.startsWith("`") || content.endsWith("`") ? " " : "";
    this.#startInline();
    this.#push(`${fence}${padding}${content}${padding}${fence}`);
  }

  codeBlock(text: string, language: string): void {
    const content = text.replace(/^\r?\n/, "").trimEnd();
    if (content === "") return;
    if (this.#table?.cells !== undefined) return this.code(content);
    const fence = "`".repeat(Math.max(3, longestRun(content) + 1));
    this.break(2);
    this.#startInline();
    this.#push(`${fence}${language}\n${content}\n${fence}`);
    this.break(2);
  }

  rule(): void {
    this.break(2);
    if (this.#table?.cells !== undefined) return;
    this.#startInline();
    this.#push("---");
    this.break(2);
  }

  /** A table in a table ends the outer one: pages use them for layout. */
  openTable(): void {
    this.closeTable();
    this.break(2);
    this.#table = { rows: 0, cells: undefined };
  }

  closeTable(): void {
    this.closeRow();
    this.#table = undefined;
    this.break(2);
  }

  closeRow(): void {
    const table = this.#table;
    if (table?.cells === undefined) return;
    this.#closeLink();
    this.#push(" |");
    this.#space = false;
    if (table.rows === 0) this.#push(`\n${this.#indent()}|${" --- |".repeat(table.cells)}`);
    table.rows += 1;
    table.cells = undefined;
    this.break(1);
  }

  cell(): void {
    const table = this.#table;
    if (table === undefined) return this.break(1);
    this.#closeLink();
    if (table.cells === undefined) this.#startInline();
    this.#space = false;
    this.#push(table.cells === undefined ? "| " : " | ");
    table.cells = (table.cells ?? 0) + 1;
  }

  finish(): string {
    this.closeLink();
    this.closeRow();
    return this.#pieces.join("");
  }

  #startInline(): void {
    if (this.#breaks > 0 || this.length === 0) this.#startLine();
    else if (this.#space && !/\s$/.test(this.#pieces.at(-1) ?? "")) this.#push(" ");
    this.#space = false;
    if (this.#link === undefined || this.#link.isOpen) return;
    this.#link.isOpen = true;
    this.#push("[");
  }

  #startLine(): void {
    if (this.length > 0) this.#push("\n".repeat(this.#breaks));
    this.#breaks = 0;
    const indent = this.#indent();
    this.#push(this.#mark === "" ? indent : `${this.#lists.length > 0 ? indent.slice(0, -2) : indent}${this.#mark}`);
    this.#mark = "";
  }

  #indent(): string {
    return "> ".repeat(Math.min(this.#quotes, MAX_LEVELS)) + "  ".repeat(Math.min(this.#lists.length, MAX_LEVELS));
  }

  #closeLink(): void {
    if (!this.#link?.isOpen) return;
    this.#push(`](${this.#link.address})`);
    this.#link = undefined;
  }

  #push(text: string): void {
    if (text === "") return;
    this.#pieces.push(text);
    this.length += text.length;
  }
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).slice(0, 1000).map((run) => run.length));
}
