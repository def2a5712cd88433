import type { ModelErrorKind } from "../protocol/model-errors.ts";

/** What the process tells whoever started it. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  credentials: 3,
  provider: 4,
  limit: 5,
  interrupted: 130,
} as const;

export function exitCodeFor(kind: ModelErrorKind): number {
  if (kind === "aborted") return EXIT.interrupted;
  if (kind === "credentials") return EXIT.credentials;
  return EXIT.provider;
}
