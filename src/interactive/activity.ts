import type { AgentEvent } from "../protocol/agent-events.ts";
import { spinnerFrame } from "../tui/components/progress.ts";
import type { Theme } from "../tui/style/theme.ts";

const TICK_MS = 100;

/** What the agent is at, and since when. */
export class Activity {
  private since: number | undefined;
  private words = "";

  get isBusy(): boolean {
    return this.since !== undefined;
  }

  accept(event: AgentEvent, now: number): void {
    switch (event.type) {
      case "agent-start":
        this.since = now;
        this.words = "working";
        return;
      case "tool-start":
        this.words = event.call.name;
        return;
      case "compaction-start":
        this.words = "compacting";
        return;
      case "ask-start":
      case "question-start":
        this.words = "waiting for you";
        return;
      case "tool-end":
      case "ask-end":
      case "question-end":
      case "compaction-end":
      case "turn-start":
        this.words = "working";
        return;
      case "agent-end":
        this.forget();
    }
  }

  /** Another agent is on the screen. */
  forget(): void {
    this.since = undefined;
  }

  shown(now: number, theme: Theme): { words: string; seconds: number; spinner: string } | undefined {
    if (this.since === undefined) return undefined;
    const elapsed = Math.max(0, now - this.since);
    const spinner = spinnerFrame(Math.floor(elapsed / TICK_MS), theme);
    return { words: this.words, seconds: Math.floor(elapsed / 1000), spinner };
  }
}
