import type { AgentEvent } from "../protocol/agent-events.ts";
import type { AgentState } from "../protocol/agent-state.ts";
import type { Outbound } from "./outbound.ts";
import { type SessionEventState, startOfSessionEvents, stepSessionEvents } from "./session-events.ts";

/** Tells the host what the agent reports, each event as one of the session it happened in. */
export class SessionFeed {
  private events: SessionEventState = startOfSessionEvents();
  private sessionId = "";
  private name: string | undefined;
  private isRunning = false;

  constructor(
    private readonly outbound: Outbound,
    /** Called with every new name of a session, where somebody wants it. */
    private readonly onName: (name: string) => void,
  ) {}

  note(event: AgentEvent): void {
    if (event.type === "agent-start") this.sessionId = event.sessionId ?? this.sessionId;
    if (event.type === "agent-start") this.isRunning = true;
    if (event.type === "agent-end") this.isRunning = false;
    if (event.type === "state-changed") this.noteState(event.state);
    const { state, events } = stepSessionEvents(this.events, event);
    this.events = state;
    for (const each of events) this.outbound.event(this.sessionId, each);
  }

  /** This session is open now. */
  opened(state: AgentState): void {
    this.noteState(state);
    this.isRunning = state.isBusy;
    this.events = { ...(state.isBusy ? this.events : startOfSessionEvents()), effort: state.effort };
  }

  warn(message: string): void {
    this.outbound.event(this.sessionId, { type: "notice", level: "warning", message });
  }

  /** A prompt is being worked on. */
  isWorking(): boolean {
    return this.isRunning;
  }

  compaction(): SessionEventState["compaction"] {
    return this.events.compaction;
  }

  private noteState({ sessionId, name }: AgentState): void {
    this.sessionId = sessionId;
    if (name !== undefined && name !== this.name) this.onName(name);
    this.name = name;
  }
}
