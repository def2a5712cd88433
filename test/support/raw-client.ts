import { Socket } from "node:net";

// A client of the control socket that knows nothing of ours: bytes out, lines in.

export interface RawClient {
  send(value: unknown): void;
  raw(bytes: string | Uint8Array): void;
  /** The next line, parsed; rejects when the connection ends before it. */
  next(): Promise<unknown>;
  /** Sends and takes the next line. */
  ask(value: unknown): Promise<unknown>;
  /** Every line from here to the end of the connection. */
  rest(): Promise<unknown[]>;
  stopReading(): void;
  goOnReading(): void;
  halfClose(): void;
  close(): void;
  [Symbol.dispose](): void;
}

export async function rawClient(path: string): Promise<RawClient> {
  const socket = new Socket();
  const lines: string[] = [];
  const waiting: (() => void)[] = [];
  let held = "";
  let isOver = false;
  const wake = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  socket.setEncoding("utf8");
  socket.on("data", (text: string) => {
    const pieces = (held + text).split("\n");
    held = pieces.pop() ?? "";
    lines.push(...pieces);
    wake();
  });
  socket.on("close", () => {
    isOver = true;
    wake();
  });
  socket.on("error", () => undefined);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
    socket.connect({ path });
  });
  const more = () => new Promise<void>((resolve) => waiting.push(resolve));
  const next = async (): Promise<unknown> => {
    while (lines.length === 0) {
      if (isOver) throw new Error("the connection is over");
      await more();
    }
    return JSON.parse(lines.shift() ?? "");
  };
  const send = (value: unknown) => void socket.write(`${JSON.stringify(value)}\n`);
  return {
    send,
    raw: (bytes) => void socket.write(bytes),
    next,
    ask: (value) => {
      send(value);
      return next();
    },
    async rest() {
      while (!isOver) await more();
      return lines.splice(0).map((line) => JSON.parse(line));
    },
    stopReading: () => void socket.pause(),
    goOnReading: () => void socket.resume(),
    halfClose: () => void socket.end(),
    close: () => void socket.destroy(),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}
