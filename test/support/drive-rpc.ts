import type { FrontDoor } from "./front-door.ts";
import type { LiveRalph, RalphExit, RunOptions } from "./run-ralph.ts";

// `ralph --mode rpc` behind the front door, driven step by step.

export type Frame = Record<string, unknown> & { type: string };

export interface DrivenRalph {
  /** Everything Ralph has sent so far. */
  frames(): Frame[];
  /** Sends a command and gives its first answer. */
  ask(command: string, params?: object): Promise<Frame>;
  send(frame: object): void;
  /** The next frame whose line holds this text; each is given out once. */
  next(text: string): Promise<Frame>;
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

export function driveRpc(ralph: Pick<FrontDoor, "start">, options: DriveOptions = {}): DrivenRalph {
  const live = ralph.start(["--mode", "rpc", ...(options.arguments ?? [])], {
    environment: options.environment ?? {},
  });
  const given = new Map<string, number>();
  let asked = 0;
  const lines = () => live.stdout().split("\n").slice(0, -1);
  const nth = async (text: string, count: number): Promise<Frame> => {
    await live.waitForOutput(new RegExp(`(?:${RegExp.escape(text)}[^\\n]*\\n[^]*?){${count}}`));
    return JSON.parse(lines().filter((line) => line.includes(text))[count - 1] ?? "");
  };
  const send = (frame: object) => live.write(`${JSON.stringify(frame)}\n`);
  const next = (text: string) => {
    const count = (given.get(text) ?? 0) + 1;
    given.set(text, count);
    return nth(text, count);
  };
  const ask = async (command: string, params: object = {}) => {
    asked++;
    const id = `test_${asked}`;
    send({ id, type: command, ...params });
    return nth(`{"id":"${id}",`, 1);
  };
  return {
    frames: () => lines().map((line) => JSON.parse(line)),
    ask,
    send,
    next,
    async prompt(message) {
      const answer = await ask("prompt", { message });
      if (answer.success !== true) throw new Error(JSON.stringify(answer));
      await next('"event_type":"agent_end"');
    },
    async close() {
      live.closeInput();
      return live.exited;
    },
    live,
    [Symbol.asyncDispose]: () => live[Symbol.asyncDispose](),
  };
}
