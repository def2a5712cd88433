import type { LoopEntry } from "../protocol/loop-entries.ts";
import type { TranscriptEvent } from "../protocol/transcript-events.ts";
import type { AdapterCapabilities, AgentLine } from "./transcripts/adapter.ts";

/** What a running loop tells its faces, in order. Everything is stored before it is told. */
export type LoopNews =
  | { type: "entry"; entry: LoopEntry }
  /** A line as the agent printed it, and what the adapter made of it. */
  | {
      type: "line";
      iteration: number;
      line: AgentLine;
      events: readonly TranscriptEvent[];
      capabilities: AdapterCapabilities;
    };

export type TellNews = (news: LoopNews) => void;
