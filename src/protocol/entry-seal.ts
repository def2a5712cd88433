import type { SessionEntry } from "./session-entries.ts";

/** How entries are written to a session's file and read from it, where that is not as they are. */
export interface EntrySeal {
  close(entry: SessionEntry): SessionEntry;
  open(entry: SessionEntry): SessionEntry;
}
