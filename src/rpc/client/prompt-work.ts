import type { PromptListener } from "./connection.ts";
import { type Deferred, deferred } from "./deferred.ts";
import { EventQueue } from "./event-queue.ts";
import type { SessionEvent } from "./wire-types.ts";

export type AgentEnd = Extract<SessionEvent, { type: "agent_end" }>;

/**
 * The work on one prompt: a promise of its end, and its events for one `for await`, from the moment it is asked for them to
 * `agent_end`. `await` alone keeps no events.
 */
export type PromptWork = Promise<AgentEnd> & AsyncIterable<SessionEvent>;

interface Asked {
  message: string;
  /** What was said into work that goes on. */
  isAddition: boolean;
  isAcknowledged: boolean;
  /** Its message is in the conversation. */
  isTaken: boolean;
  end: Deferred<AgentEnd>;
  queues: Set<EventQueue>;
}

export interface AskedPrompt extends PromptListener {
  work: PromptWork;
}

/**
 * Tells which `agent_end` belongs to which prompt. The wire does not say: a prompt sent behind an abort is acknowledged before the
 * work in front of it has ended. So work belongs to the prompts whose messages appear in it.
 */
export class PromptWorks {
  private readonly open = new Set<Asked>();
  /** Where the message appears in other words, the work is that of the oldest prompt that waited when it began. */
  private first: Asked | undefined;

  /** `isIdle` asks Ralph; it is true where nothing is worked on and nothing waits. */
  constructor(private readonly isIdle: () => Promise<boolean>) {}

  ask(message: string, isAddition: boolean): AskedPrompt {
    const asked: Asked = {
      message,
      isAddition,
      isAcknowledged: false,
      isTaken: false,
      end: deferred(),
      queues: new Set(),
    };
    this.open.add(asked);
    const work = Object.assign(asked.end.promise, { [Symbol.asyncIterator]: () => this.iterate(asked) });
    // Whoever only iterates is told by the iterator.
    work.catch(() => {});
    return {
      work,
      acknowledged: () => {
        asked.isAcknowledged = true;
      },
      refused: (reason) => this.settle(asked, reason),
    };
  }

  note(event: SessionEvent, characters: number): void {
    for (const { queues } of this.open) for (const queue of queues) queue.push(event, characters);
    if (event.type === "agent_start") this.first = this.oldest(({ isAddition }) => !isAddition);
    else if (event.type === "message_end" && event.message.role === "user") this.taken(textOf(event.message.content));
    else if (event.type === "agent_end") this.ended(event);
  }

  failAll(reason: Error): void {
    for (const asked of this.open) this.settle(asked, reason);
  }

  private iterate(asked: Asked): AsyncIterator<SessionEvent> {
    const queue = new EventQueue(() => asked.queues.delete(queue));
    if (this.open.has(asked)) asked.queues.add(queue);
    else
      asked.end.promise.then(
        () => queue.end(),
        (error) => queue.end(error),
      );
    return queue;
  }

  private oldest(fits: (asked: Asked) => boolean): Asked | undefined {
    return [...this.open].find((asked) => asked.isAcknowledged && !asked.isTaken && fits(asked));
  }

  private taken(text: string): void {
    const asked = this.oldest(({ message }) => message === text);
    if (asked !== undefined) asked.isTaken = true;
  }

  private ended(end: AgentEnd): void {
    const taken = [...this.open].filter(({ isTaken }) => isTaken);
    const { first } = this;
    this.first = undefined;
    if (taken.length > 0) for (const asked of taken) this.settle(asked, end);
    else if (first !== undefined && this.open.has(first)) this.settle(first, end);
    for (const asked of this.open) if (asked.isAddition && asked.isAcknowledged) void this.settleIfIdle(asked, end);
  }

  /** What was added came too late for this work: it begins new work, waits for the next, or is gone. */
  private async settleIfIdle(asked: Asked, end: AgentEnd): Promise<void> {
    if ((await this.isIdle()) && !asked.isTaken) this.settle(asked, end);
  }

  private settle(asked: Asked, outcome: AgentEnd | Error): void {
    if (!this.open.delete(asked)) return;
    const error = outcome instanceof Error ? outcome : undefined;
    for (const queue of asked.queues) queue.end(error);
    if (outcome instanceof Error) asked.end.reject(outcome);
    else asked.end.resolve(outcome);
  }
}

function textOf(content: readonly { type: string; text?: string }[]): string {
  return content.map(({ text = "" }) => text).join("");
}
