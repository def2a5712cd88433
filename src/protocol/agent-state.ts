import * as z from "zod";
import { ask } from "./asks.ts";
import { EFFORTS } from "./effort.ts";
import { listedTask } from "./listed-tasks.ts";
import { usage, userMessage } from "./messages.ts";

// What a face needs to know of a running agent at any moment.

/** `immediate`: the rest of a batch of tool calls is dropped for a steering message. `wait`: the batch is finished first. */
export const queueModes = z.strictObject({
  steering: z.enum(["all", "one-at-a-time"]),
  followUp: z.enum(["all", "one-at-a-time"]),
  interrupt: z.enum(["immediate", "wait"]),
});

export const sandboxStanding = z.enum(["bubblewrap", "seatbelt", "off", "missing", "untried"]);

/**
 * How a session ended that is gone on with: in an answer that broke off, a prompt without an answer, or work between two answers.
 * `text` is for a person.
 */
export const brokenOff = z.strictObject({ what: z.enum(["answer", "prompt", "work"]), text: z.string() });

export const agentState = z.strictObject({
  sessionId: z.string(),
  /** Absent for a session that is not kept. */
  sessionPath: z.string().optional(),
  name: z.string().optional(),
  /** Where the next entry goes; null before the first. */
  leafId: z.string().nullable(),
  /** `provider/id`. */
  model: z.string(),
  effort: z.enum(EFFORTS),
  mode: z.string(),
  safe: z.boolean(),
  /** What confines commands. `missing`: nothing here can. `untried`: no command was wanted yet. */
  sandbox: sandboxStanding,
  isBusy: z.boolean(),
  /** Until the next prompt. */
  brokenOff: brokenOff.optional(),
  autoCompaction: z.boolean(),
  queueModes,
  waiting: z.array(z.strictObject({ kind: z.enum(["steering", "follow-up"]), message: userMessage })),
  /** What waits for a person. */
  asks: z.array(ask),
  tasks: z.array(listedTask),
  /** The command of the person that runs. */
  command: z.string().optional(),
  /** How many commands run beside the conversation. */
  jobs: z.number(),
  /** What a prompt may use up at most; absent is unbounded. `cost` is in US dollars. */
  limits: z.strictObject({
    turns: z.number(),
    tokens: z.number().optional(),
    cost: z.number().optional(),
    minutes: z.number().optional(),
  }),
  /** The names of the tools the model sees, in their order. */
  tools: z.array(z.string()),
  /** Estimated where no provider has counted yet. */
  context: z.strictObject({ tokens: z.number(), window: z.number() }),
  /** Since the session began, on all its branches. `cost` is in US dollars and absent where no price is known. */
  totals: z.strictObject({ turns: z.number(), usage, cost: z.number().optional(), largestPrompt: z.number() }),
});

export type BrokenOff = z.infer<typeof brokenOff>;
export type SandboxStanding = z.infer<typeof sandboxStanding>;
export type QueueModes = z.infer<typeof queueModes>;
export type AgentState = z.infer<typeof agentState>;
