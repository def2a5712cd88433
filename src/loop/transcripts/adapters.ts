import type { AdapterName, TranscriptAdapter } from "./adapter.ts";
import { CLAUDE_ADAPTER } from "./claude.ts";
import { CODEX_ADAPTER } from "./codex.ts";
import { PLAIN_ADAPTER } from "./plain.ts";
import { RALPH_ADAPTER } from "./ralph.ts";
import { RTF1_ADAPTER } from "./rtf1.ts";

/** Every adapter by the name it is chosen by. */
export const ADAPTERS: Readonly<Record<AdapterName, TranscriptAdapter>> = {
  plain: PLAIN_ADAPTER,
  rtf1: RTF1_ADAPTER,
  codex: CODEX_ADAPTER,
  claude: CLAUDE_ADAPTER,
  ralph: RALPH_ADAPTER,
};
