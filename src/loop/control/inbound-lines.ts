const NEWLINE = 0x0a;

export interface TakenLines {
  /** Undefined stands for a line that is not UTF-8. */
  lines: (string | undefined)[];
  /** A line is longer than allowed: nothing after it can be trusted to begin a line. */
  isTooLong: boolean;
}

/** Cuts what comes in over a socket into lines, and holds no more than one line of the allowed length. */
export class InboundLines {
  private held: Uint8Array[] = [];
  private heldBytes = 0;
  private readonly decoder = new TextDecoder("utf-8", { fatal: true });

  constructor(private readonly maxBytes: number) {}

  take(chunk: Uint8Array): TakenLines {
    const lines: (string | undefined)[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      if (this.heldBytes + end - start > this.maxBytes) return { lines, isTooLong: true };
      lines.push(this.finish(chunk.subarray(start, end)));
      start = end + 1;
    }
    this.hold(chunk.subarray(start));
    return { lines, isTooLong: this.heldBytes > this.maxBytes };
  }

  private hold(rest: Uint8Array): void {
    if (rest.length === 0) return;
    // A copy: the chunk may be large and the rest of it small.
    this.held.push(rest.slice());
    this.heldBytes += rest.length;
  }

  private finish(end: Uint8Array): string | undefined {
    const bytes = this.heldBytes === 0 ? end : Buffer.concat([...this.held, end]);
    this.held = [];
    this.heldBytes = 0;
    try {
      return this.decoder.decode(bytes);
    } catch {
      return undefined;
    }
  }
}
