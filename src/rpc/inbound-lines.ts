/** The longest line a host may send. Pictures in a prompt are the longest there are. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;

export type InboundLine = { type: "text"; text: string } | { type: "too-long" } | { type: "not-utf8" };

const NEWLINE = 0x0a;

/** Cuts what comes in into lines. Of a line that is too long nothing is held, and the line behind it counts again. */
export class InboundLines {
  private held: Uint8Array[] = [];
  private heldBytes = 0;
  private isTooLong = false;
  private readonly decoder = new TextDecoder("utf-8", { fatal: true });

  constructor(private readonly maxBytes: number = MAX_LINE_BYTES) {}

  take(chunk: Uint8Array): InboundLine[] {
    const lines: InboundLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.hold(chunk.subarray(start, end));
      lines.push(this.finish());
      start = end + 1;
    }
    this.hold(chunk.subarray(start));
    return lines;
  }

  /** What came without an end, when nothing more comes. */
  rest(): InboundLine[] {
    return this.heldBytes === 0 && !this.isTooLong ? [] : [this.finish()];
  }

  private hold(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.isTooLong) return;
    this.heldBytes += bytes.length;
    this.isTooLong = this.heldBytes > this.maxBytes;
    if (this.isTooLong) this.held = [];
    // A copy: the chunk may be used again by whoever reads.
    else this.held.push(bytes.slice());
  }

  private finish(): InboundLine {
    const { held, isTooLong } = this;
    this.held = [];
    this.heldBytes = 0;
    this.isTooLong = false;
    if (isTooLong) return { type: "too-long" };
    try {
      return { type: "text", text: this.decoder.decode(held.length === 1 ? held[0] : Buffer.concat(held)) };
    } catch {
      return { type: "not-utf8" };
    }
  }
}
