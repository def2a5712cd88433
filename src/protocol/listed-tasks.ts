import * as z from "zod";

/** One line of the list of things to do that a model keeps for itself and the person. */
export const listedTask = z.strictObject({
  id: z.string(),
  content: z.string(),
  status: z.enum(["pending", "in_progress", "completed"]),
  priority: z.enum(["low", "medium", "high"]),
  parent_id: z.string().optional(),
});

export type ListedTask = z.infer<typeof listedTask>;
