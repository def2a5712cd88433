import type { AgentEvent } from "../protocol/agent-events.ts";
import type { SessionEvent } from "../rpc/session-event-shapes.ts";
import { type SessionEventState, startOfSessionEvents, stepSessionEvents } from "../rpc/session-events.ts";
import { EventBus } from "./event-bus.ts";

const EVERYTHING = "*";

/** Tells listeners, and the bus of the program, what happens in a session, in the events programs get over RPC as well. */
export class EventFeed {
  private events: SessionEventState = startOfSessionEvents();
  private readonly listeners = new EventBus();

  constructor(
    private readonly bus: EventBus,
    private readonly sessionId: () => string,
  ) {}

  subscribe(listener: (event: SessionEvent) => void): () => void {
    return this.listeners.on(EVERYTHING, (event) => listener(event as SessionEvent));
  }

  note(event: AgentEvent): void {
    const { state, events } = stepSessionEvents(this.events, event);
    this.events = state;
    for (const each of events) this.tell(each);
  }

  tell(event: SessionEvent): void {
    this.listeners.emit(EVERYTHING, event);
    this.bus.emit(event.type, { sessionId: this.sessionId(), event });
  }

  compaction(): SessionEventState["compaction"] {
    return this.events.compaction;
  }
}
