import type { FrontDoor } from "./front-door.ts";
import { type Frame, type RpcHost, rpcHostOver } from "./rpc-host.ts";
import type { LiveRalph, RalphExit, RunOptions } from "./run-ralph.ts";

// `ralph --mode rpc` at the front door, driven frame by frame.

export type { Frame };

export interface DoorHost extends Pick<RpcHost, "frames" | "events" | "send"> {
  /** Sends a command and gives its answer. */
  ask(command: string, params?: object): Promise<Frame>;
  /** The next frame whose line holds this text; each is given out once. */
  next(text: string): Promise<Frame>;
  /** The next end of the work on a prompt. */
  ended(): Promise<Frame>;
  /** Asks and waits for the end of the work. */
  prompt(message: string): Promise<void>;
  /** Closes standard input and waits for the end of the process. */
  close(): Promise<RalphExit>;
  live: LiveRalph;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface DriveOptions {
  arguments?: readonly string[];
  environment?: RunOptions["environment"];
}

export function driveRpc(ralph: Pick<FrontDoor, "start">, options: DriveOptions = {}): DoorHost {
  const { arguments: args = [], environment = {} } = options;
  const host = rpcHostOver(ralph.start(["--mode", "rpc", ...args], { environment }));
  const { frames, events, send, waitFor } = host;
  const given = new Set<Frame>();
  let asked = 0;
  const ask = (command: string, params: object = {}) => {
    asked++;
    const id = `test_${asked}`;
    send({ id, type: command, ...params });
    return waitFor((frame) => frame.type === "response" && frame.id === id);
  };
  const next = async (text: string) => {
    const found = await waitFor((frame) => !given.has(frame) && JSON.stringify(frame).includes(text));
    given.add(found);
    return found;
  };
  const ended = () => next('"event_type":"agent_end"');
  return {
    frames,
    events,
    send,
    ask,
    next,
    ended,
    async prompt(message) {
      const answer = await ask("prompt", { message });
      if (answer.success !== true) throw new Error(JSON.stringify(answer));
      await ended();
    },
    close: host.finish,
    live: host.ralph,
    [Symbol.asyncDispose]: host[Symbol.asyncDispose],
  };
}
