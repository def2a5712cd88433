import type { AgentEvent } from "../protocol/agent-events.ts";
import type { Clock } from "../system/clock.ts";
import type { AgentPort } from "./agent-port.ts";
import { type CommandWorld, handleCommand, type RpcAnswer } from "./command-handlers.ts";
import { createWaiting, LANES, SLOW, TOO_MANY } from "./command-lanes.ts";
import type { AnyInbound } from "./frames.ts";
import { GateBroker } from "./gates/gate-broker.ts";
import { GATE_ENTRY } from "./gates/stored-gates.ts";
import { createHostTools } from "./host-tools.ts";
import { createHostUris } from "./host-uris.ts";
import type { InboundLine } from "./inbound-lines.ts";
import type { Outbound } from "./outbound.ts";
import { type RpcCommand, readLine } from "./read-line.ts";
import { SessionFeed } from "./session-feed.ts";
import type { TypedError } from "./typed-error.ts";
import { createUiRequests, type UiRequests } from "./ui-requests.ts";
import { UnattendedControl } from "./unattended/control.ts";
import { readPrompt } from "./wire-messages.ts";

export interface RpcServerOptions {
  agent: AgentPort;
  outbound: Outbound;
  clock: Clock;
  /** Stands in ids; another one for every process. */
  run: string;
  /** Whether the host wants to show the name of the session as a title. */
  emitsTitle: boolean;
}

/** One host and its agent: lines in, frames out. */
export class RpcServer {
  private readonly world: CommandWorld;
  private readonly feed: SessionFeed;
  private readonly ui: UiRequests;
  private readonly lanes = { "in-order": createWaiting("in-order"), beside: createWaiting("beside") };
  private isCompactionAsked = false;

  constructor(private readonly options: RpcServerOptions) {
    const { agent, clock, run, outbound, emitsTitle } = options;
    const { send } = outbound;
    const feed = new SessionFeed(outbound, (name) => (emitsTitle ? this.ui.title(name) : undefined));
    const refused = ({ code, message }: TypedError) => feed.warn(`${code}: ${message}`);
    const control = new UnattendedControl({ agent, clock, run, refused });
    const broker = new GateBroker({
      run,
      now: clock.now,
      store: (record) => agent.keep(GATE_ENTRY, JSON.parse(JSON.stringify(record))),
      stored: () => agent.kept(GATE_ENTRY),
    });
    const takesAsk = control.takesAsk.bind(control);
    this.feed = feed;
    this.ui = createUiRequests({ agent, broker, send, now: clock.now, takesAsk });
    const hosts = { hostTools: createHostTools(send), hostUris: createHostUris(send) };
    const openUrl = (url: string, instructions: string) => this.ui.openUrl(url, instructions);
    this.world = { agent, broker, control, ...hosts, openUrl, compaction: () => feed.compaction() };
  }

  async open(): Promise<void> {
    this.options.outbound.send({ type: "ready" });
    await this.sessionOpened();
  }

  note(event: AgentEvent): void {
    this.feed.note(event);
    this.ui.note(event);
  }

  /** Resolves when the next line may be taken. Whatever the line holds, nothing is thrown. */
  async take(line: InboundLine): Promise<void> {
    const read = readLine(line);
    if (read.type === "frame") this.takeFrame(read.frame);
    else if (read.type === "refused") this.refuse(read);
    else if (read.type === "command") await this.takeCommand(read.command, line.type === "text" ? line.text.length : 0);
  }

  /** What waits for the host will never be answered; what the host asked for is finished or stopped. */
  async close(): Promise<void> {
    const { agent, clock } = this.options;
    this.world.hostTools.close();
    this.world.hostUris.close();
    agent.abortCommand();
    agent.cancelLogin();
    await agent.call("abort", {});
    const settled = Promise.all(Object.values(this.lanes).map((lane) => lane.settled()));
    await Promise.race([settled, clock.sleep(LAST_WORK_MS)]);
    this.world.control.stop();
    await agent.close();
  }

  private takeFrame(frame: AnyInbound): void {
    if (frame.type === "host_tool_update") return this.world.hostTools.update(frame);
    if (frame.type === "host_tool_result") return this.world.hostTools.result(frame);
    if (frame.type === "host_uri_result") return this.world.hostUris.result(frame);
    const error = this.ui.answer(frame);
    if (error !== undefined) this.refuse({ command: frame.type, error });
  }

  private async takeCommand(command: RpcCommand, characters: number): Promise<void> {
    const { name } = command;
    const allowed = await settled(() => this.checked(command));
    if (!allowed.ok) return this.respond(command, allowed);
    const lane = LANES[name];
    if (lane === "now") return this.runNow(command);
    // What works now is stopped at once; the command itself keeps its place behind what was said before it.
    if (name === "abort" || name === "abort_and_prompt") void settled(() => this.stopped());
    const isAnswered = name === "prompt" || name === "abort_and_prompt";
    const hasRoom = this.lanes[lane].hasRoom(characters);
    if (!hasRoom) return this.respond(command, { ok: false, error: TOO_MANY });
    if (isAnswered) this.respond(command, { ok: true });
    if (name === "compact") this.isCompactionAsked = true;
    this.lanes[lane].add(() => this.run(command, isAnswered), { characters, isSlow: SLOW.has(name) });
  }

  private async runNow(command: RpcCommand): Promise<void> {
    const inOrder = this.lanes["in-order"];
    if (!inOrder.isSlow()) await inOrder.settled();
    await this.run(command, false);
  }

  /** Whether a command may be taken, before anything of it is done. */
  private async checked({ name, params }: RpcCommand): Promise<RpcAnswer> {
    const denied = await this.world.control.beforeCommand(name, params);
    if (denied !== undefined) return { ok: false, error: denied };
    if (name === "compact" && this.isCompactionAsked) return { ok: false, error: COMPACTS };
    if (name !== "prompt" && name !== "abort_and_prompt") return { ok: true };
    const read = readPrompt(params);
    if (!read.ok) return { ok: false, error: read.message };
    const needsBehavior = name === "prompt" && params.streamingBehavior === undefined;
    const isInTheWay = needsBehavior && this.feed.isWorking() && this.lanes["in-order"].isEmpty();
    return isInTheWay ? { ok: false, error: NEEDS_BEHAVIOR } : { ok: true };
  }

  private async stopped(): Promise<RpcAnswer> {
    await this.world.agent.call("abort", {});
    return { ok: true };
  }

  /** `isAnswered`: only a failure is told. */
  private async run(command: RpcCommand, isAnswered: boolean): Promise<void> {
    const answer = await settled(async () => {
      const handled = await handleCommand(command, this.world);
      if (OPENS_SESSION.has(command.name)) await this.sessionOpened();
      return handled;
    });
    if (command.name === "compact") this.isCompactionAsked = false;
    if (!isAnswered || !answer.ok) this.respond(command, answer);
  }

  private async sessionOpened(): Promise<void> {
    const state = await this.options.agent.state();
    this.feed.opened(state);
    if (state.brokenOff !== undefined) this.feed.warn(state.brokenOff.text);
  }

  private respond({ name, id }: RpcCommand, answer: RpcAnswer): void {
    if (!answer.ok) return this.refuse({ command: name, id, error: answer.error });
    const data = answer.data === undefined ? {} : { data: answer.data };
    this.options.outbound.send({ ...ofId(id), type: "response", command: name, success: true, ...data });
  }

  private refuse(refused: { command: string; id?: string | undefined; error: string | TypedError }): void {
    const { command, id, error } = refused;
    this.options.outbound.send({ ...ofId(id), type: "response", command, success: false, error });
  }
}

/** How long commands that were taken are given to end when the host has gone. */
const LAST_WORK_MS = 5000;
const OPENS_SESSION: ReadonlySet<string> = new Set(["new_session", "switch_session"]);
const COMPACTS = "A compaction runs already. Wait for its answer, or stop it with abort.";
const NEEDS_BEHAVIOR =
  'The agent is working. Say with streamingBehavior whether the message steers it ("steer") or waits ("followUp").';

/** A defect in what a command does is told to whoever sent it; the next line still works. */
async function settled(work: () => Promise<RpcAnswer>): Promise<RpcAnswer> {
  try {
    return await work();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, error: { code: "internal_error", message: `This is a defect of Ralph: ${message}` } };
  }
}

function ofId(id: string | undefined): { id?: string } {
  return id === undefined ? {} : { id };
}
