import * as z from "zod";
import { assistantMessage, usage } from "./messages.ts";
import { modelError } from "./model-errors.ts";

// What one model request reports while it runs. Parts are announced, grown and ended; `index` counts them in the order in which
// they began. The last event is exactly one `done` or one `error`. A tool call that was still growing when the answer broke
// off never ends.

const part = { index: z.number() };

export const modelEvent = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text-start"), ...part }),
  z.strictObject({ type: z.literal("text-delta"), ...part, text: z.string() }),
  z.strictObject({ type: z.literal("text-end"), ...part }),
  z.strictObject({ type: z.literal("thinking-start"), ...part }),
  z.strictObject({ type: z.literal("thinking-delta"), ...part, text: z.string() }),
  z.strictObject({ type: z.literal("thinking-end"), ...part }),
  z.strictObject({ type: z.literal("tool-call-start"), ...part, id: z.string(), name: z.string() }),
  z.strictObject({ type: z.literal("tool-call-delta"), ...part, text: z.string() }),
  /** The arguments are complete. A call is only acted on when it stands in the message of `done`. */
  z.strictObject({
    type: z.literal("tool-call-end"),
    ...part,
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.strictObject({ type: z.literal("usage"), usage }),
  /** The attempt failed and another follows after `delayMs`. Everything reported since the request began is void. */
  z.strictObject({
    type: z.literal("attempt-retry"),
    attempt: z.number(),
    delayMs: z.number(),
    error: modelError,
  }),
  z.strictObject({ type: z.literal("done"), message: assistantMessage }),
  /** `partial` holds the text and thinking that had arrived; never a tool call. */
  z.strictObject({ type: z.literal("error"), error: modelError, partial: assistantMessage.optional() }),
]);

export type ModelEvent = z.infer<typeof modelEvent>;
export type ModelDone = Extract<ModelEvent, { type: "done" }>;
export type ModelFailure = Extract<ModelEvent, { type: "error" }>;
/** How a model request ended. */
export type ModelEnd = ModelDone | ModelFailure;
