import type { Effort } from "../protocol/effort.ts";

// Why no model could be chosen. Every message says what happened and what to do.

export type ModelProblem =
  | { type: "unknown-model"; message: string; selector: string; nearest: string[] }
  | { type: "ambiguous-model"; message: string; selector: string; nearest: string[] }
  | { type: "unknown-effort"; message: string; selector: string; nearest: string[] }
  | { type: "unsupported-effort"; message: string; selector: string; effort: Effort; supported: Effort[] }
  | { type: "unsupported-provider"; message: string; provider: string }
  | { type: "role-cycle"; message: string; roles: string[] }
  | { type: "unavailable-model"; message: string; selector: string }
  | { type: "no-address"; message: string; provider: string }
  | { type: "no-credential"; message: string; provider: string; variables: string[] }
  | { type: "unknown-profile"; message: string; nearest: string[] }
  | { type: "no-model"; message: string };
