import * as z from "zod";

// The lines of a draft: what has arrived of the answer that is being written, in a file beside the session. The first line says
// whose answer it is; the others are pieces of it, in the order in which they came. Pieces of one part have its index.

export const DRAFT_VERSION = 1;

export const draftHeader = z.strictObject({
  type: z.literal("draft"),
  version: z.literal(DRAFT_VERSION),
  /** The entry that was the last one when the answer was asked for. */
  parentId: z.string(),
  provider: z.string(),
  api: z.string(),
  model: z.string(),
});

const part = { index: z.number() };

export const draftPiece = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), ...part, text: z.string() }),
  z.strictObject({ type: z.literal("thinking"), ...part, text: z.string() }),
  /** A call the model had begun to write. What it was to do is not kept: it is never run. */
  z.strictObject({ type: z.literal("tool-call"), ...part, name: z.string() }),
]);

export type DraftHeader = z.infer<typeof draftHeader>;
/** Who answers. */
export type Answerer = Pick<DraftHeader, "provider" | "api" | "model">;
export type DraftPiece = z.infer<typeof draftPiece>;
