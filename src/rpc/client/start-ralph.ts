import { type ExitReport, type ProcessExited, RpcError } from "./client-errors.ts";
import {
  type Call,
  type CallOptions,
  type CommandMethods,
  commandMethods,
  type Params,
  type Result,
} from "./command-methods.ts";
import { Connection } from "./connection.ts";
import { deferred } from "./deferred.ts";
import { EventQueue } from "./event-queue.ts";
import { type AnswerCallbacks, GateAnswers } from "./gate-answers.ts";
import { HostCalls, type RunnableScheme, type RunnableTool } from "./host-calls.ts";
import { type PromptWork, PromptWorks } from "./prompt-work.ts";
import type { OutboundFrames, SessionEvent } from "./wire-types.ts";

export interface StartOptions extends AnswerCallbacks {
  /** The program; `ralph` where absent. */
  command?: string;
  /** In front of `--mode rpc`: what the program needs to be Ralph, and flags of Ralph. */
  args?: readonly string[];
  cwd?: string;
  /** The whole environment of the process; without it, it has that of this one. */
  env?: Record<string, string | undefined>;
  /** Goes on with this session, by its id or its file. */
  session?: string;
  tools?: readonly RunnableTool[];
  uriSchemes?: readonly RunnableScheme[];
  onEvent?(event: SessionEvent, frame: OutboundFrames["event"]): void;
  /** What went wrong where nobody waits: a callback that failed, an answer that does not fit. A warning of the process where absent. */
  onProblem?(problem: Error): void;
  /** The process has ended, by itself or because it was stopped. */
  onExit?(report: ExitReport): void;
  /** How long Ralph may take to be ready; 30 seconds where absent. */
  startTimeoutMs?: number;
  /** How long Ralph may take to end by itself; 10 seconds where absent. */
  stopTimeoutMs?: number;
}

export interface PromptOptions {
  images?: Params<"prompt">["images"];
  /** What becomes of the message while the agent works. */
  streamingBehavior?: Params<"prompt">["streamingBehavior"];
  /** Stops the work, which then ends with the outcome `interrupted`. */
  signal?: AbortSignal;
}

export interface RalphClient extends CommandMethods {
  /** Sends any command. */
  call: Call;
  /** Asks. The promise is that of the end of the work, `for await` gives its events. */
  prompt(message: string, options?: PromptOptions): PromptWork;
  /** Stops what is worked on and asks. */
  abortAndPrompt(message: string, options?: Omit<PromptOptions, "streamingBehavior">): PromptWork;
  /** Tools with their functions, in place of those given before. */
  setHostTools(tools: readonly RunnableTool[], options?: CallOptions): Promise<Result<"set_host_tools">>;
  setHostUriSchemes(schemes: readonly RunnableScheme[], options?: CallOptions): Promise<Result<"set_host_uri_schemes">>;
  /** Answers a gate. The result tells whether the answer fits; where it does not, the gate stays open. */
  respondGate(gateId: string, answer: unknown, idempotencyKey?: string): Promise<Result<"workflow_gate_response">>;
  /** Every event from now on, until Ralph ends. */
  events(): AsyncIterableIterator<SessionEvent>;
  readonly pid: number | undefined;
  /** Resolves when the process has ended. */
  readonly exited: Promise<ExitReport>;
  /** Closes standard input and waits for the end. */
  stop(): Promise<ExitReport>;
  [Symbol.asyncDispose](): Promise<void>;
}

const START_MS = 30_000;
const STOP_MS = 10_000;

/** Starts `ralph --mode rpc`. Resolves when it is ready, has the session that was named, and knows the tools. */
export async function startRalph(options: StartOptions = {}): Promise<RalphClient> {
  const host = new Host(options);
  try {
    await host.ready(options.startTimeoutMs ?? START_MS);
    const { session, tools = [], uriSchemes = [] } = options;
    if (session !== undefined) await host.client.switchSession({ sessionPath: session });
    if (tools.length > 0) await host.client.setHostTools(tools);
    if (uriSchemes.length > 0) await host.client.setHostUriSchemes(uriSchemes);
    return host.client;
  } catch (error) {
    await host.client.stop();
    throw error;
  }
}

/** One Ralph and everything this program does for it. */
class Host {
  readonly client: RalphClient;
  private readonly connection: Connection;
  private readonly works: PromptWorks;
  private readonly calls: HostCalls;
  private readonly answers: GateAnswers;
  private readonly listeners = new Set<EventQueue>();
  private readonly isReady = deferred<void>();
  private ending: ProcessExited | undefined;

  constructor(private readonly options: StartOptions) {
    const { command = "ralph", args = [], cwd, env } = options;
    this.connection = new Connection({
      command,
      args: [...args, "--mode", "rpc"],
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env }),
      onFrame: (frame, characters) => this.take(frame, characters),
      onEnd: (reason) => this.ended(reason),
      onRefused: (name, error) => this.refused(name, error),
    });
    const { call } = this.connection;
    const send = (frame: object) => this.connection.send(frame);
    const respond = (gate_id: string, answer: unknown) => call("workflow_gate_response", { gate_id, answer });
    this.works = new PromptWorks(() => this.isIdle());
    this.calls = new HostCalls(send);
    this.answers = new GateAnswers({ ...options, respond, send, onProblem: (problem) => this.problem(problem) });
    this.isReady.promise.catch(() => {});
    this.client = this.createClient(call);
  }

  async ready(withinMs: number): Promise<void> {
    const late = new RpcError("not_ready", `Ralph was not ready within ${withinMs} ms.`);
    const timer = setTimeout(() => this.isReady.reject(late), withinMs);
    await this.isReady.promise.finally(() => clearTimeout(timer));
  }

  private createClient(call: Call): RalphClient {
    const { connection, calls, options } = this;
    const stop = () => connection.process.stop(options.stopTimeoutMs ?? STOP_MS);
    return {
      ...commandMethods(call),
      call,
      prompt: (message, { signal, ...rest } = {}) => this.ask("prompt", { message, ...rest }, signal),
      abortAndPrompt: (message, { signal, ...rest } = {}) => this.ask("abort_and_prompt", { message, ...rest }, signal),
      setHostTools: (tools, given) => call("set_host_tools", { tools: calls.useTools(tools) }, given),
      setHostUriSchemes: (schemes, given) =>
        call("set_host_uri_schemes", { schemes: calls.useSchemes(schemes) }, given),
      respondGate: (gate_id, answer, idempotency_key) =>
        call("workflow_gate_response", {
          gate_id,
          answer,
          ...(idempotency_key === undefined ? {} : { idempotency_key }),
        }),
      events: () => this.events(),
      pid: connection.process.pid,
      exited: connection.process.ended,
      stop,
      [Symbol.asyncDispose]: async () => void (await stop()),
    };
  }

  private ask(command: "prompt" | "abort_and_prompt", params: Params<"prompt">, signal?: AbortSignal): PromptWork {
    const { connection } = this;
    const isAddition = params.streamingBehavior !== undefined;
    const { work, ...prompt } = this.works.ask(params.message, isAddition);
    const abort = () => void connection.call("abort").catch(() => {});
    const finish = () => {
      signal?.removeEventListener("abort", abort);
      connection.forget(prompt);
    };
    const sending = signal?.aborted ? Promise.reject(signal.reason) : connection.request({ command, params, prompt });
    signal?.addEventListener("abort", abort, { once: true });
    sending.catch(prompt.refused);
    work.then(finish, finish);
    return work;
  }

  private async isIdle(): Promise<boolean> {
    const state = await this.connection.call("get_state").catch(() => undefined);
    return state !== undefined && !state.isStreaming && state.queuedMessageCount === 0;
  }

  private events(): EventQueue {
    const queue = new EventQueue(() => this.listeners.delete(queue));
    this.listeners.add(queue);
    if (this.ending !== undefined) queue.end();
    return queue;
  }

  private take(frame: Exclude<OutboundFrames[keyof OutboundFrames], { type: "response" }>, characters: number): void {
    switch (frame.type) {
      case "ready":
        return this.isReady.resolve();
      case "event":
        return this.takeEvent(frame, characters);
      case "workflow_gate":
        return void this.answers.takeGate(frame);
      case "extension_ui_request":
        return void this.answers.takeUiRequest(frame);
      case "host_tool_call":
        return void this.calls.runTool(frame);
      case "host_uri_request":
        return void this.calls.runUri(frame);
      case "host_tool_cancel":
      case "host_uri_cancel":
        return this.calls.cancel(frame.targetId);
      case "extension_error":
        return this.problem(new Error(`${frame.extensionPath} failed at ${frame.event}: ${frame.error}`));
    }
  }

  private takeEvent(frame: OutboundFrames["event"], characters: number): void {
    const { event } = frame.payload;
    for (const queue of this.listeners) queue.push(event, characters);
    this.works.note(event, characters);
    this.options.onEvent?.(event, frame);
  }

  private refused(command: string, error: RpcError): void {
    const { target } = error.data;
    if (command === "extension_ui_response" && typeof target === "string") this.answers.refused(target, error);
    else this.problem(error);
  }

  private ended(reason: ProcessExited): void {
    const { exitCode, signal, stderr } = reason;
    this.ending = reason;
    this.isReady.reject(reason);
    this.calls.cancelAll();
    this.answers.overAll();
    this.works.failAll(reason);
    for (const queue of this.listeners) queue.end(exitCode === 0 ? undefined : reason);
    this.options.onExit?.({ exitCode, signal, stderr });
  }

  private problem(problem: Error): void {
    if (this.options.onProblem !== undefined) this.options.onProblem(problem);
    else process.emitWarning(problem.message, "RalphClientWarning");
  }
}
