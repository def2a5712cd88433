import * as z from "zod";

/** A tool as a model sees it. `parameters` is a JSON Schema of type object. */
export const toolDefinition = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()),
});

export const toolChoice = z.union([z.enum(["auto", "none", "required"]), z.strictObject({ name: z.string() })]);

export type ToolDefinition = z.infer<typeof toolDefinition>;
export type ToolChoice = z.infer<typeof toolChoice>;
