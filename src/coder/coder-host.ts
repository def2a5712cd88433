import type { EditorFiles } from "../protocol/editor-files.ts";
import type { Usage } from "../protocol/messages.ts";
import type { Model } from "../protocol/models.ts";
import type { AskDraft, Tool } from "../protocol/tool-runs.ts";
import type { HostAddresses } from "../tools/host-addresses.ts";

/** What whoever drives an agent brings along, the same for every session. */
export interface CoderHost {
  /** Its tools at the moment a session is opened; `setHostTools` replaces them. */
  tools(): readonly Tool[];
  addresses: HostAddresses;
  /** The editor the person works in, where there is one: its unsaved texts count. */
  editor?: EditorFiles;
  /** Looked up whenever something is to be decided. */
  warden(): CoderWarden | undefined;
  /** Asked after tool calls: with true the work on the prompt is done, because one of its tools was given the result. */
  isFinished?(): boolean;
}

/** Decides beside everything that decides anyway, and can only refuse: a text says why. */
export interface CoderWarden {
  beforeTool(tool: Tool, asks: AskDraft[]): Promise<string | undefined>;
  /** Before every request, those for summaries too. */
  beforeModel(model: Model): Promise<string | undefined>;
  /** What a request used, however it ended. Dollars are absent where no price is known. */
  afterModel(spent: { usage: Usage; dollars?: number }): void;
}
