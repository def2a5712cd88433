import * as z from "zod";
import { FINISH_REASONS, usage } from "./messages.ts";
import { MODEL_ERROR_KINDS } from "./model-errors.ts";

// The file the scripted provider plays instead of asking a model: tests, demonstrations and bug reports run on it.

export const SCRIPT_VERSION = 1;

/** A string is one delta; a list is a delta each. */
const deltas = z.union([z.string(), z.array(z.string())]);

export const scriptStep = z.union(
  [
    z.strictObject({ text: deltas, repeat: z.number().int().min(1).max(1_000_000).optional() }),
    z.strictObject({ thinking: deltas }),
    z.strictObject({
      tool: z.strictObject({
        name: z.string(),
        id: z.string().optional(),
        input: z.record(z.string(), z.unknown()).optional(),
        /** Argument text as it is, for broken JSON or chosen deltas. */
        raw: deltas.optional(),
      }),
    }),
    /** Milliseconds of silence. */
    z.strictObject({ wait: z.number().min(0).max(3_600_000) }),
    z.strictObject({ usage: usage.partial() }),
    z.strictObject({ stop: z.enum(FINISH_REASONS) }),
    z.strictObject({
      error: z.strictObject({
        kind: z.enum(MODEL_ERROR_KINDS),
        message: z.string().optional(),
        status: z.number().optional(),
        retryAfterMs: z.number().optional(),
      }),
    }),
    /** The connection breaks here. */
    z.strictObject({ cut: z.literal(true) }),
  ],
  {
    error:
      "a step is one of text, thinking, tool, wait, usage, stop, error, cut, with the fields described in docs/scripted-provider.md",
  },
);

export const scriptTurn = z.strictObject({
  /** Plays only when the newest user message contains this text; such a turn is not counted. */
  when: z.string().optional(),
  /** Counts as this many turns in a row. */
  repeat: z.number().int().min(1).max(1_000_000).optional(),
  /** Played by the first attempts, one list each, before `steps` is. */
  failures: z.array(z.array(scriptStep)).optional(),
  steps: z.array(scriptStep),
});

/** Turns for conversations whose first user message contains all these texts. */
export const scriptConversation = z.strictObject({
  opens: z.union([z.string(), z.array(z.string())]),
  turns: z.array(scriptTurn),
});

/** The n-th answer of a conversation is played by the n-th turn, so a resumed session goes on where it was. */
export const script = z.strictObject({
  version: z.literal(SCRIPT_VERSION),
  /** The first that fits plays instead of `turns`. */
  conversations: z.array(scriptConversation).optional(),
  turns: z.array(scriptTurn).default([]),
});

export type ScriptStep = z.infer<typeof scriptStep>;
export type ScriptTurn = z.infer<typeof scriptTurn>;
export type Script = z.infer<typeof script>;
