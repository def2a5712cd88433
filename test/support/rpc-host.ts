import type { RpcCommandName } from "../../src/rpc/commands.ts";
import { RPC_COMMANDS } from "../../src/rpc/commands.ts";
import { OUTBOUND_FRAMES } from "../../src/rpc/frames.ts";
import type { SessionEvent } from "../../src/rpc/session-event-shapes.ts";
import { type LiveRalph, type RalphExit, type RunOptions, startRalph } from "./run-ralph.ts";

// A program that drives `ralph --mode rpc`. Every frame Ralph sends is checked against its shape, and every answer against what
// the table of commands promises; a frame that does not fit fails whatever waits.

export type Frame = { type: string } & Record<string, unknown>;

export interface RpcHost {
  /** Everything Ralph sent so far. */
  frames(): readonly Frame[];
  /** Session events, without their frames. */
  events(): SessionEvent[];
  send(frame: object): void;
  sendText(text: string): void;
  /** Sends a command with an id of its own and gives its first answer. */
  request(command: { type: RpcCommandName } & Record<string, unknown>): Promise<Frame>;
  /** The first frame that fits, from the beginning or from a frame's number on. */
  waitFor(test: (frame: Frame) => boolean, from?: number): Promise<Frame>;
  waitForEvent(type: SessionEvent["type"], from?: number): Promise<Frame>;
  /** Asks, waits for the end of the work, and gives the events since. */
  prompt(message: string): Promise<SessionEvent[]>;
  /** Closes standard input and waits for the end. */
  finish(): Promise<RalphExit>;
  ralph: LiveRalph;
  [Symbol.asyncDispose](): Promise<void>;
}

const NEXT_LINE_MS = 15_000;

export function startRpcHost(args: string[], options: RunOptions): RpcHost {
  return rpcHostOver(startRalph(["--mode", "rpc", ...args], options));
}

/** For a Ralph that was started with `--mode rpc`. */
export function rpcHostOver(ralph: LiveRalph): RpcHost {
  const reader = frameReader(() => ralph.stdout());
  let requests = 0;
  const waitFor = async (test: (frame: Frame) => boolean, from = 0): Promise<Frame> => {
    for (let checked = from; ; checked++) {
      // Waiting for the number of lines is waiting for the next frame.
      if (reader.frames().length <= checked) await ralph.waitForOutput(linesPattern(checked + 1), NEXT_LINE_MS);
      const frame = reader.frames()[checked];
      if (frame !== undefined && test(frame)) return frame;
    }
  };
  const send = (frame: object) => ralph.write(`${JSON.stringify(frame)}\n`);
  const events = () => reader.frames().flatMap(eventOf);
  const waitForEvent = (type: SessionEvent["type"], from?: number) =>
    waitFor((frame) => eventOf(frame)[0]?.type === type, from);
  const request: RpcHost["request"] = (command) => {
    requests += 1;
    const id = `req_${requests}`;
    send({ id, ...command });
    return waitFor((frame) => frame.type === "response" && frame.id === id);
  };
  return {
    frames: reader.frames,
    events,
    send,
    sendText: (text) => ralph.write(text),
    request,
    waitFor,
    waitForEvent,
    async prompt(message) {
      const from = reader.frames().length;
      const before = events().length;
      const answer = await request({ type: "prompt", message });
      if (answer.success !== true) throw new Error(JSON.stringify(answer));
      await waitForEvent("agent_end", from);
      return events().slice(before);
    },
    async finish() {
      ralph.closeInput();
      return ralph.exited;
    },
    ralph,
    [Symbol.asyncDispose]: () => ralph[Symbol.asyncDispose](),
  };
}

function linesPattern(count: number): RegExp {
  return new RegExp(`^(?:[^\\n]*\\n){${count}}`);
}

function frameReader(text: () => string) {
  const frames: Frame[] = [];
  let read = 0;
  return {
    frames(): readonly Frame[] {
      const whole = text();
      for (let end = whole.indexOf("\n", read); end !== -1; end = whole.indexOf("\n", read)) {
        const frame = JSON.parse(whole.slice(read, end)) as Frame;
        const problem = frameProblem(frame);
        if (problem !== undefined) throw new Error(`${problem}\n${JSON.stringify(frame).slice(0, 2000)}`);
        frames.push(frame);
        read = end + 1;
      }
      return frames;
    },
  };
}

/** What about a frame is not as the tables say; undefined where all is. */
export function frameProblem(frame: Frame): string | undefined {
  if (!Object.hasOwn(OUTBOUND_FRAMES, frame.type)) return `Nobody knows frames of type ${frame.type}.`;
  const { shape } = OUTBOUND_FRAMES[frame.type as keyof typeof OUTBOUND_FRAMES];
  const checked = shape.safeParse(frame);
  if (!checked.success) return `The frame does not fit its shape: ${checked.error.message}`;
  const command = frame.type === "response" && frame.success === true ? frame.command : undefined;
  if (typeof command !== "string" || !Object.hasOwn(RPC_COMMANDS, command)) return undefined;
  // A result of nothing has no data.
  const result = RPC_COMMANDS[command as RpcCommandName].result.safeParse("data" in frame ? frame.data : {});
  return result.success ? undefined : `The data does not fit the table: ${result.error.message}`;
}

function eventOf(frame: Frame): SessionEvent[] {
  if (frame.type !== "event") return [];
  return [(frame.payload as { event: SessionEvent }).event];
}
