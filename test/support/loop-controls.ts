import type {
  ControlOutcome,
  LoopControls,
  LoopStatus,
  Screen,
  TerminalSize,
} from "../../src/loop/control/loop-controls.ts";

// A loop that does nothing but remember what it was asked.

export interface FakeLoop {
  controls: LoopControls;
  status: LoopStatus;
  /** What was asked, in order. */
  asked: string[];
  /** What the next wish gets instead of a yes. */
  refusal: { message: string | undefined };
  screen: { data: string | undefined };
}

export const STARTED_AT = Date.UTC(2026, 0, 23, 10, 0, 0);
export const UPDATED_AT = Date.UTC(2026, 0, 23, 10, 15, 30, 250);

export function fakeLoop(own: Partial<LoopStatus> = {}): FakeLoop {
  const status: LoopStatus = {
    taskName: "checkout",
    taskDirectory: "/code/tasks/checkout",
    iteration: 3,
    maxIterations: 50,
    currentStory: "US-003",
    agent: "claude",
    status: "running",
    interactive: false,
    startedAt: STARTED_AT,
    updatedAt: UPDATED_AT,
    ...own,
  };
  const asked: string[] = [];
  const refusal: FakeLoop["refusal"] = { message: undefined };
  const screen: FakeLoop["screen"] = { data: undefined };
  let size: TerminalSize = { columns: 80, rows: 24 };
  const wish = async (text: string): Promise<ControlOutcome> => {
    asked.push(text);
    const { message } = refusal;
    return message === undefined ? { ok: true } : { ok: false, message };
  };
  const controls: LoopControls = {
    status: () => status,
    stop: () => wish("stop"),
    checkpoint: () => wish("checkpoint"),
    inject: (prompt) => wish(`inject ${prompt}`),
    async setInteractive(enabled) {
      const outcome = await wish(`interactive ${enabled}`);
      if (outcome.ok) status.interactive = enabled;
      return outcome;
    },
    writePty(data) {
      asked.push(`write ${JSON.stringify(data)}`);
      return status.interactive;
    },
    resizePty(wanted) {
      asked.push(`resize ${wanted.columns}x${wanted.rows}`);
      size = wanted;
    },
    async screen(): Promise<Screen | undefined> {
      return status.interactive ? { ...size, data: screen.data ?? "" } : undefined;
    },
    receipts: () => [],
    stories: () => [{ id: "US-003", title: "Pay by card", passes: false, verified: false }],
  };
  return { controls, status, asked, refusal, screen };
}
