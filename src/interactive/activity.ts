import type { AgentEvent } from "../protocol/agent-events.ts";
import { spinnerFrame } from "../tui/components/progress.ts";
import type { Theme } from "../tui/style/theme.ts";

const TICK_MS = 100;

/** What the agent is at, and since when. */
export class Activity {
  private since: number | undefined;
  private words = "";
  /** Asks and questions that wait for an answer. */
  private readonly open = new Set<string>();

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
        this.open.add(event.ask.id);
        return;
      case "question-start":
        this.open.add(event.questionId);
        return;
      case "ask-end":
        this.open.delete(event.askId);
        return;
      case "question-end":
        this.open.delete(event.questionId);
        return;
      case "tool-end":
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
    this.open.clear();
  }

  shown(now: number, theme: Theme): { words: string; seconds: number; spinner: string } | undefined {
    if (this.since === undefined) return undefined;
    const elapsed = Math.max(0, now - this.since);
    const spinner = spinnerFrame(Math.floor(elapsed / TICK_MS), theme);
    const words = this.open.size > 0 ? "waiting for you" : this.words;
    return { words, seconds: Math.floor(elapsed / 1000), spinner };
  }
}
