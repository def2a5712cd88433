import * as z from "zod";

// What the loop reads out of any agent's output, whichever agent it is. The shapes are those of the RTF1 line format, so a
// program that prints them after `@@RALPH@@ ` is understood without an adapter of its own.

export const TRANSCRIPT_TAGS = ["AI", "THINK", "SYS", "TOOL", "PROMPT", "USER"] as const;

export const transcriptEvent = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), tag: z.enum(TRANSCRIPT_TAGS), text: z.string() }),
  z.looseObject({
    type: z.literal("tool_start"),
    tool: z.looseObject({ id: z.string(), name: z.string(), input: z.unknown().optional() }),
  }),
  z.looseObject({ type: z.literal("tool_output"), tool: z.looseObject({ id: z.string() }), text: z.string() }),
  z.looseObject({
    type: z.literal("tool_end"),
    tool: z.looseObject({
      id: z.string(),
      status: z.enum(["ok", "fail", "unknown"]),
      duration_ms: z.number().optional(),
    }),
  }),
  z.looseObject({
    type: z.literal("usage"),
    usage: z.looseObject({
      prompt_tokens: z.number().optional(),
      completion_tokens: z.number().optional(),
      total_tokens: z.number().optional(),
      model: z.string().optional(),
    }),
  }),
  z.looseObject({ type: z.literal("meta"), meta: z.record(z.string(), z.unknown()) }),
]);

export type TranscriptTag = (typeof TRANSCRIPT_TAGS)[number];
export type TranscriptEvent = z.infer<typeof transcriptEvent>;
