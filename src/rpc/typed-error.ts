import type { Json } from "../protocol/json.ts";

/** Why a command was refused, for programs: `code` says which kind, further fields say what exactly. `message` is for a person. */
export interface TypedError {
  code: string;
  message: string;
  [field: string]: Json | undefined;
}
