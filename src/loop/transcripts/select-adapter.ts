import { ADAPTER_NAMES, type AdapterName, type TranscriptAdapter } from "./adapter.ts";
import { CLAUDE_ADAPTER } from "./claude.ts";
import { CODEX_ADAPTER } from "./codex.ts";
import { PLAIN_ADAPTER } from "./plain.ts";
import { RALPH_ADAPTER } from "./ralph.ts";
import { RTF1_ADAPTER } from "./rtf1.ts";

export const ADAPTERS: Readonly<Record<AdapterName, TranscriptAdapter>> = {
  plain: PLAIN_ADAPTER,
  rtf1: RTF1_ADAPTER,
  codex: CODEX_ADAPTER,
  claude: CLAUDE_ADAPTER,
  ralph: RALPH_ADAPTER,
};

/** What `--transcript` and RALPH_TRANSCRIPT may say. */
export const TRANSCRIPT_CHOICES = ["auto", ...ADAPTER_NAMES] as const;

export interface TranscriptChoice {
  /** The value of `--transcript`. */
  flag?: string;
  /** The value of RALPH_TRANSCRIPT. */
  environment?: string;
  /** What the runner's own agent prints. */
  runnerDefault: AdapterName;
}

export type AdapterSelection =
  | { ok: true; adapter: TranscriptAdapter; from: "flag" | "environment" | "runner" }
  | { ok: false; reason: "unknown-transcript"; value: string; message: string };

/** The flag, else the environment, else the runner. `auto` is the runner's, also where the environment says something else. */
export function selectAdapter({ flag, environment, runnerDefault }: TranscriptChoice): AdapterSelection {
  if (flag !== undefined) return chosen(flag, "flag", runnerDefault);
  if (environment !== undefined && environment.trim() !== "") return chosen(environment, "environment", runnerDefault);
  return { ok: true, adapter: ADAPTERS[runnerDefault], from: "runner" };
}

function chosen(value: string, from: "flag" | "environment", runnerDefault: AdapterName): AdapterSelection {
  const wanted = value.trim().toLowerCase();
  if (wanted === "auto") return { ok: true, adapter: ADAPTERS[runnerDefault], from: "runner" };
  const name = ADAPTER_NAMES.find((candidate) => candidate === wanted);
  if (name !== undefined) return { ok: true, adapter: ADAPTERS[name], from };
  const place = from === "flag" ? "--transcript" : "RALPH_TRANSCRIPT";
  const message = `${place} is ${JSON.stringify(value)}, and there is no such transcript. Use one of: ${TRANSCRIPT_CHOICES.join(", ")}.`;
  return { ok: false, reason: "unknown-transcript", value, message };
}
