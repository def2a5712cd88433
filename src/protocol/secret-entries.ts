import * as z from "zod";

/** One entry of `secrets.yml`, which holds a list of them. */
export const secretEntry = z.strictObject({
  type: z.enum(["plain", "regex"]),
  /** The secret itself, or an expression; `/…/flags` is understood for expressions. */
  content: z.string().min(1),
  /** `obfuscate` gives the model a placeholder that is turned back in what it says; `replace` is one way. */
  mode: z.enum(["obfuscate", "replace"]).default("obfuscate"),
  /** What stands in its place with `replace`; without it, as many other characters. */
  replacement: z.string().optional(),
  /** Flags of the expression; g is always on. */
  flags: z.string().optional(),
});

export type SecretEntry = z.infer<typeof secretEntry>;
