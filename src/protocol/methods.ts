import * as z from "zod";
import { agentState, queueModes } from "./agent-state.ts";
import { askOption } from "./asks.ts";
import { EFFORTS } from "./effort.ts";
import { listedTask } from "./listed-tasks.ts";
import { message, userMessage } from "./messages.ts";

// Everything a face may ask of a running agent. Commands go in here, events come out as `agent-events.ts` says, and there is no
// third way. Who takes commands from outside the process checks them with these schemas; inside, the types suffice.

const nothing = z.strictObject({});
const accepted = z.strictObject({ as: z.enum(["prompt", "steering", "follow-up"]) });

const job = z.strictObject({
  id: z.string(),
  command: z.string(),
  /** Milliseconds since 1970. */
  startedAt: z.number(),
  isRunning: z.boolean(),
  /** How it stands, in words. */
  standing: z.string(),
  /** The file with everything it printed. */
  log: z.string(),
});
export type ListedJob = z.infer<typeof job>;

export const METHODS = {
  prompt: {
    description:
      "Asks the agent. Answered when the message is stored; the work is told by events. While the agent works, `whileBusy` says what becomes of the message, and without it the command is refused.",
    params: z.strictObject({ message: userMessage, whileBusy: z.enum(["steer", "follow-up"]).optional() }),
    result: accepted,
  },
  steer: {
    description: "Says something that counts at the next tool boundary. To an agent that is idle it is a prompt.",
    params: z.strictObject({ message: userMessage }),
    result: accepted,
  },
  follow_up: {
    description: "Says something for when the agent would stop. To an agent that is idle it is a prompt.",
    params: z.strictObject({ message: userMessage }),
    result: accepted,
  },
  take_back: {
    description: "Takes the newest waiting message back, to change it.",
    params: nothing,
    result: z.strictObject({ message: userMessage.optional() }),
  },
  abort: {
    description: "Stops the work. Answered when everything that ran has ended; waiting messages stay.",
    params: nothing,
    result: z.strictObject({ wasBusy: z.boolean() }),
  },
  set_model: {
    description: "Goes on with another model, from the next request. A temporary choice is not kept for a resume.",
    params: z.strictObject({ model: z.string().min(1), temporary: z.boolean().optional() }),
    result: z.strictObject({ model: z.string(), effort: z.enum(EFFORTS) }),
  },
  set_effort: {
    description: "How hard the model thinks, from the next request; given way to what the model takes.",
    params: z.strictObject({ effort: z.enum(EFFORTS) }),
    result: z.strictObject({ effort: z.enum(EFFORTS) }),
  },
  set_mode: {
    description: "Changes the mode. The model does not leave a mode chosen this way by itself.",
    params: z.strictObject({ mode: z.string() }),
    result: z.strictObject({ mode: z.string() }),
  },
  set_safe: {
    description: "Whether only tools that look are allowed.",
    params: z.strictObject({ safe: z.boolean() }),
    result: z.strictObject({ safe: z.boolean() }),
  },
  set_queue_modes: {
    description: "How waiting messages are delivered.",
    params: queueModes.partial(),
    result: queueModes,
  },
  set_tasks: {
    description: "Replaces the list of things to do.",
    params: z.strictObject({ tasks: z.array(listedTask) }),
    result: z.strictObject({ tasks: z.array(listedTask) }),
  },
  run_command: {
    description:
      "Runs a command of the person, with all their rights: nobody is asked. Answered when it has ended and is stored; the model is told of it with the next message. One at a time.",
    params: z.strictObject({ command: z.string() }),
    result: z.strictObject({
      output: z.string(),
      /** How it ended, in words. */
      ending: z.string(),
      /** Absent where it did not end by itself. */
      exitCode: z.number().optional(),
      isStopped: z.boolean(),
      isTruncated: z.boolean(),
      /** The file with everything it printed. */
      artifact: z.string().optional(),
    }),
  },
  stop_command: {
    description: "Ends the command of the person that runs. Answered when it is stored.",
    params: nothing,
    result: nothing,
  },
  list_jobs: {
    description: "The commands that were started beside the conversation, the oldest first.",
    params: nothing,
    result: z.strictObject({ jobs: z.array(job) }),
  },
  read_job: {
    description: "The newest output of such a command, at most 20,000 characters of it.",
    params: z.strictObject({ jobId: z.string() }),
    result: z.strictObject({ job, output: z.string() }),
  },
  end_job: {
    description: "Ends such a command with all its processes. Answered when they are gone.",
    params: z.strictObject({ jobId: z.string() }),
    result: z.strictObject({ job }),
  },
  compact: {
    description: "Shortens what the model sees of the conversation; `focus` says what matters most.",
    params: z.strictObject({ focus: z.string().optional() }),
    result: z.strictObject({ tokensBefore: z.number(), tokensAfter: z.number(), summarised: z.boolean() }),
  },
  undo_compaction: {
    description: "Brings back what the last compaction took away.",
    params: nothing,
    result: z.strictObject({ undone: z.boolean() }),
  },
  set_auto_compaction: {
    description: "Whether the conversation is shortened by itself when it gets too long.",
    params: z.strictObject({ enabled: z.boolean() }),
    result: z.strictObject({ enabled: z.boolean() }),
  },
  fork: {
    description: "A new session that begins with this one, up to an entry. This agent stays with its own.",
    params: z.strictObject({ entryId: z.string().optional() }),
    result: z.strictObject({ sessionId: z.string(), path: z.string() }),
  },
  branch: {
    description: "The next message hangs on this entry; null begins anew. What was said after it stays in the session.",
    params: z.strictObject({ entryId: z.string().nullable() }),
    result: z.strictObject({ leafId: z.string().nullable() }),
  },
  set_label: {
    description: "Names a place in the session, to find it again; null takes the name away.",
    params: z.strictObject({ entryId: z.string(), label: z.string().min(1).max(100).nullable() }),
    result: z.strictObject({ label: z.string().nullable() }),
  },
  set_name: {
    description: "Names the session.",
    params: z.strictObject({ name: z.string().min(1).max(200) }),
    result: z.strictObject({ name: z.string() }),
  },
  answer: {
    description:
      "Answers an ask that waits: for once, for this session, for good, or no, or no for good, as far as the ask offers it. `rules` are kept instead of those the ask suggests. The first answer that can be taken counts.",
    params: z.strictObject({
      askId: z.string(),
      answer: askOption,
      rules: z.array(z.string()).optional(),
    }),
    result: nothing,
  },
  answer_question: {
    description: "Answers a question of the model; without answers it is declined. The first answer counts.",
    params: z.strictObject({ questionId: z.string(), answers: z.array(z.string()).optional() }),
    result: nothing,
  },
  get_state: { description: "The state of the agent.", params: nothing, result: agentState },
  get_messages: {
    description: "The conversation as the model sees it.",
    params: nothing,
    result: z.strictObject({ messages: z.array(message) }),
  },
} as const satisfies Record<string, { description: string; params: z.ZodType; result: z.ZodType }>;

export type MethodName = keyof typeof METHODS;
export type MethodParams<Name extends MethodName> = z.infer<(typeof METHODS)[Name]["params"]>;
export type MethodResult<Name extends MethodName> = z.infer<(typeof METHODS)[Name]["result"]>;

export const methodErrorCode = z.enum([
  "busy",
  "not-found",
  "invalid",
  "unavailable",
  "not-stored",
  "failed",
  "already-answered",
]);
/** `message` is for a person. */
export const methodError = z.strictObject({ code: methodErrorCode, message: z.string() });
export type MethodError = z.infer<typeof methodError>;

export type MethodAnswer<Name extends MethodName> =
  | { ok: true; result: MethodResult<Name> }
  | { ok: false; error: MethodError };
