/** Something that must not leave. `replacement` only means something with `replace`. */
export type Secret = (
  | { type: "plain"; content: string }
  /** `place` names where the expression stands, for messages. */
  | { type: "regex"; pattern: RegExp; place: string }
) & { mode: "obfuscate" | "replace"; replacement?: string };
