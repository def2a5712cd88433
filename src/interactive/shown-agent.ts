import type { AgentEvent } from "../protocol/agent-events.ts";
import type { AgentState } from "../protocol/agent-state.ts";
import { Activity } from "./activity.ts";
import type { AgentFace, OpenedAgent } from "./services.ts";

export interface ShownAgentOptions {
  agent: OpenedAgent;
  now(): number;
  onEvent(event: AgentEvent): void;
  /** What it tells of itself is another now. */
  changed(): void;
}

/** The agent on the screen: what it is at, and what it told of itself last. Another one may take its place. */
export class ShownAgent {
  readonly activity = new Activity();
  private agent: OpenedAgent;
  private told: AgentState;
  private stopListening = () => {};

  constructor(private readonly options: ShownAgentOptions) {
    this.agent = options.agent;
    this.told = options.agent.state;
  }

  get face(): AgentFace {
    return this.agent.face;
  }

  get state(): AgentState {
    return this.told;
  }

  listen(): void {
    this.stopListening = this.face.subscribe((event) => {
      this.activity.accept(event, this.options.now());
      if (event.type === "state-changed") this.told = event.state;
      if (event.type === "turn-end" || event.type === "agent-end") void this.load();
      this.options.onEvent(event);
    });
  }

  /** The one before is closed by whoever calls. */
  replace(agent: OpenedAgent): void {
    this.stopListening();
    this.agent = agent;
    this.told = agent.state;
    this.activity.forget();
    this.listen();
  }

  /** The agent's work, else a command of the person. Undefined where nothing runs. */
  stopWork(): Promise<unknown> | undefined {
    if (this.activity.isBusy) return this.face.call("abort", {});
    return this.told.command === undefined ? undefined : this.face.call("stop_command", {});
  }

  async close(): Promise<void> {
    this.stopListening();
    await this.agent.close();
  }

  /** What was used, and how full the conversation is, is counted with every answer. */
  private async load(): Promise<void> {
    const { face } = this;
    const answer = await face.call("get_state", {});
    if (!answer.ok || face !== this.face) return;
    this.told = answer.result;
    this.options.changed();
  }
}
