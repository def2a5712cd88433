import { asError, errorOf, type ProcessExited, RpcError } from "./client-errors.ts";
import type { Call, CallOptions } from "./command-methods.ts";
import { type Deferred, deferred } from "./deferred.ts";
import { outgoingLine } from "./outgoing-line.ts";
import { type ProcessOptions, RalphProcess } from "./ralph-process.ts";
import type { OutboundFrames } from "./wire-types.ts";

type AnyFrame = OutboundFrames[keyof OutboundFrames];
type Response = OutboundFrames["response"];
/** Frames that are no answers. `characters` is how long the line was. */
export type TakeFrame = (frame: Exclude<AnyFrame, Response>, characters: number) => void;

export interface ConnectionOptions extends Omit<ProcessOptions, "onLine" | "onEnd"> {
  onFrame: TakeFrame;
  onEnd(reason: ProcessExited): void;
  /** A refusal of something that waits for no answer. */
  onRefused(command: string, error: RpcError): void;
}

/** A prompt is answered before it is worked on. */
export interface PromptListener {
  /** Called before the next line is read: the work may begin in it. */
  acknowledged(): void;
  /** Called where it cannot be worked on after all. */
  refused(reason: Error): void;
}

interface Pending {
  command: string;
  answer: Deferred<unknown>;
  prompt?: PromptListener;
}

/** As many commands may wait for their answers; Ralph itself takes fewer. */
const MAX_PENDING = 1000;

/** Commands to one Ralph and their answers. */
export class Connection {
  readonly process: RalphProcess;
  private readonly pending = new Map<string, Pending>();
  /** Acknowledged, and still to be refused. */
  private readonly acknowledged = new Map<string, PromptListener>();
  private requests = 0;
  private ending: ProcessExited | undefined;

  constructor(private readonly options: ConnectionOptions) {
    this.process = new RalphProcess({
      ...options,
      onLine: (line) => this.read(line),
      onEnd: (reason) => this.ended(reason),
    });
  }

  // What a command answers belongs to its name, which the compiler cannot follow to the wire and back.
  readonly call = ((command: string, params: object = {}, options: CallOptions = {}) =>
    this.request({ command, params, ...options })) as Call;

  /** Sends a command. Its answer is the data, `{}` where there is none. */
  async request(
    request: { command: string; params: object } & CallOptions & Pick<Pending, "prompt">,
  ): Promise<unknown> {
    const { command, params, signal, prompt } = request;
    signal?.throwIfAborted();
    if (this.pending.size >= MAX_PENDING)
      throw new RpcError("too_many_commands", `${MAX_PENDING} commands wait for their answers already.`);
    this.requests += 1;
    const id = `req_${this.requests}`;
    const problem = this.send({ id, type: command, ...params });
    if (this.ending !== undefined) throw this.ending;
    // A process that has gone is told to everything that waits, this command included.
    if (problem !== undefined && !this.process.isGone)
      throw new RpcError("not_sent", `${command} was not sent. ${problem}`);
    const answer = deferred<unknown>();
    this.pending.set(id, { command, answer, ...(prompt === undefined ? {} : { prompt }) });
    const giveUp = () => {
      this.pending.delete(id);
      answer.reject(asError(signal?.reason));
    };
    signal?.addEventListener("abort", giveUp, { once: true });
    return answer.promise.finally(() => signal?.removeEventListener("abort", giveUp));
  }

  /** Why the frame cannot be sent; undefined where it was. */
  send(frame: object): string | undefined {
    const written = outgoingLine(frame);
    return written.ok ? this.process.write(written.line) : written.message;
  }

  /** A prompt that has ended can be refused no more. */
  forget(prompt: PromptListener): void {
    for (const [id, listener] of this.acknowledged) if (listener === prompt) this.acknowledged.delete(id);
  }

  private read(line: string): void {
    const frame = frameIn(line);
    if (frame === undefined)
      return this.process.fail(`This is not what "ralph --mode rpc" sends: ${line.slice(0, 200)}`);
    try {
      if (frame.type === "response") this.takeResponse(frame);
      else this.options.onFrame(frame, line.length);
    } catch (error) {
      // A fault in a function of the program is a fault of the program; the next line is read all the same.
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  private takeResponse(response: Response): void {
    const id = response.id ?? this.unnamed(response);
    const pending = this.pending.get(id);
    this.pending.delete(id);
    if (response.success) {
      if (pending?.prompt !== undefined) this.acknowledged.set(id, pending.prompt);
      pending?.prompt?.acknowledged();
      return pending?.answer.resolve("data" in response ? response.data : {});
    }
    const error = errorOf(response.error);
    const late = this.acknowledged.get(id);
    this.acknowledged.delete(id);
    if (pending !== undefined) pending.answer.reject(error);
    else if (late !== undefined) late.refused(error);
    else if (response.id === undefined) this.options.onRefused(response.command, error);
  }

  /** A command nobody knows is refused without its id. */
  private unnamed({ command }: Response): string {
    for (const [id, pending] of this.pending) if (pending.command === command) return id;
    return "";
  }

  private ended(reason: ProcessExited): void {
    this.ending = reason;
    const waiting = [...this.pending.values()];
    this.pending.clear();
    this.acknowledged.clear();
    for (const { answer } of waiting) answer.reject(reason);
    this.options.onEnd(reason);
  }
}

function frameIn(line: string): AnyFrame | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isFrame = typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
    // Ralph checks what it sends against the tables these types come from.
    return isFrame ? (value as AnyFrame) : undefined;
  } catch {
    return undefined;
  }
}
