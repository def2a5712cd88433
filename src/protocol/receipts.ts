import * as z from "zod";

// The proof that a story's checks passed, written by the harness after it ran them itself in a clean checkout.

export const checkResult = z.object({
  /** The command, or `exists PATH`. */
  command: z.string(),
  /** The exit code; 124 where the check was ended at its timeout, 128 + n after signal n. */
  exit: z.int(),
  /** `sha256:` and the digest of all it printed. */
  logDigest: z.string(),
  durationMs: z.number(),
  /** Whether the check also passes with the implementation taken away; absent where that was not tried. */
  passesWithout: z.boolean().optional(),
  /** The end of what it printed, for people and for the agent's next prompt. At most 4,000 characters. */
  tail: z.string(),
});

export const receipt = z.object({
  version: z.literal(1),
  id: z.string(),
  run: z.string(),
  iteration: z.int(),
  story: z.string(),
  commit: z.string(),
  tree: z.string(),
  /** All the story's commands, joined by ` && `. */
  command: z.string(),
  exit: z.literal(0),
  /** Of the digests of the checks, in their order. */
  logDigest: z.string(),
  /** When the last check ended; ISO 8601. */
  time: z.string(),
  checks: z.array(checkResult),
});

export type CheckResult = z.infer<typeof checkResult>;
export type Receipt = z.infer<typeof receipt>;
