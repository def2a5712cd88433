import type { Output } from "../output.ts";

/** An output nobody reads. */
export const SILENCE: Output = {
  write: () => {},
  drained: async () => {},
  isClosed: false,
  held: 0,
  problem: undefined,
};
