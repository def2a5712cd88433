/** Of one line that is read. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

const NEWLINE = 10;

/** Cuts bytes into lines. A line is put together once, however many pieces it came in. */
export class LineReader {
  private pieces: Uint8Array[] = [];
  private held = 0;
  private readonly decoder = new TextDecoder();

  /** The lines that are complete now; undefined where one is longer than `MAX_LINE_BYTES`. */
  take(bytes: Uint8Array): string[] | undefined {
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      if (!this.hold(bytes.subarray(start, end))) return undefined;
      lines.push(this.release());
      start = end + 1;
    }
    return this.hold(bytes.subarray(start)) ? lines : undefined;
  }

  private hold(piece: Uint8Array): boolean {
    this.held += piece.length;
    if (piece.length > 0) this.pieces.push(piece);
    return this.held <= MAX_LINE_BYTES;
  }

  private release(): string {
    const [only] = this.pieces;
    const line = this.pieces.length === 1 && only !== undefined ? only : this.joined();
    this.pieces = [];
    this.held = 0;
    return this.decoder.decode(line);
  }

  private joined(): Uint8Array {
    const line = new Uint8Array(this.held);
    let at = 0;
    for (const piece of this.pieces) {
      line.set(piece, at);
      at += piece.length;
    }
    return line;
  }
}
