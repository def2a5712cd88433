import type { AgentEnding, AgentUsage } from "../../protocol/loop-entries.ts";
import type { TranscriptEvent } from "../../protocol/transcript-events.ts";
import { readTextFile } from "../../system/text-file.ts";
import type { TellNews } from "../loop-news.ts";
import { type AgentRun, type RunAgentOptions, runAgent, type StartedAgent } from "../runners/run-agent.ts";
import type { AdapterOptions, AgentLine, TranscriptAdapter } from "../transcripts/adapter.ts";
import { type Marker, readMarker } from "../transcripts/completion-marker.ts";
import { readableText } from "../transcripts/escape-codes.ts";
import { EMPTY_SUMMARY, foldSummary, type TranscriptSummary } from "../transcripts/transcript-summary.ts";
import { costOf, type TokenPrices } from "../transcripts/usage-cost.ts";

export interface WatchedAgent {
  ending: AgentEnding;
  marker: Marker;
  finalMessage: string;
  questions: readonly string[];
  denied: readonly string[];
  session?: string;
  usage?: AgentUsage;
  /** The last thing the assistant said is a question. */
  endsAsking: boolean;
}

export interface WatchOptions extends Omit<RunAgentOptions, "onLines" | "onStarted"> {
  adapter: TranscriptAdapter;
  iteration: number;
  prompt: string;
  echo: Pick<AdapterOptions, "showPrompt" | "promptProgressEvery">;
  prices: TokenPrices | undefined;
  tell: TellNews;
  /** A promise while whoever is told cannot follow. */
  room: (() => Promise<void> | undefined) | undefined;
  /** Resolves when that is stored; nothing the agent prints is told before. */
  onStarted(agent: StartedAgent): Promise<void>;
  now(): number;
}

/** Runs an agent, tells what it prints as it comes, and says in the end what its own structured output makes of it. */
export async function watchAgent(options: WatchOptions): Promise<WatchedAgent> {
  const { adapter, iteration, prompt, tell } = options;
  const { capabilities } = adapter;
  let state = adapter.start({ prompt, ...options.echo });
  let summary = EMPTY_SUMMARY;
  const collector = garbageCollector();
  const beginning = tellOnceBegun(tell);
  const take = (line: AgentLine, events: readonly TranscriptEvent[]) => {
    for (const event of events) summary = foldSummary(summary, event);
    beginning.tell({ type: "line", iteration, line, events, capabilities });
  };
  const run = await runAgent({
    ...options,
    onStarted: (agent) => beginning.after(options.onStarted(agent)),
    onLines: (lines) => {
      collector.add(lines);
      for (const line of lines) {
        const step = adapter.step(state, line);
        state = step.state;
        take(line, step.events);
      }
      return beginning.isAwaited() ?? options.room?.();
    },
  });
  await beginning.isAwaited();
  const rest = adapter.flush(state).events;
  if (rest.length > 0) take({ text: "", stream: "stdout", atMs: run.durationMs }, rest);
  return describe(run, summary, options);
}

/** What is told before the beginning is stored waits for it. The agent waits too, so that it is never much. */
function tellOnceBegun(tell: TellNews) {
  const waiting: Parameters<TellNews>[0][] = [];
  let begun: Promise<void> | undefined;
  return {
    after(stored: Promise<void>) {
      begun = stored.finally(() => {
        begun = undefined;
        for (const news of waiting.splice(0)) tell(news);
      });
    },
    tell: (news: Parameters<TellNews>[0]) => (begun === undefined ? tell(news) : void waiting.push(news)),
    isAwaited: () => begun,
  };
}

const COLLECT_AFTER_CHARACTERS = 128 * 1024;

/** Every line becomes a dozen objects that are garbage at once; by itself the runtime lets a hundred megabytes of them pile up. */
function garbageCollector() {
  let characters = 0;
  return {
    add(lines: readonly AgentLine[]) {
      for (const { text } of lines) characters += text.length + LINE_COST;
      if (characters < COLLECT_AFTER_CHARACTERS) return;
      characters = 0;
      Bun.gc(true);
    },
  };
}

/** What a line costs besides its characters. */
const LINE_COST = 50;

function describe(run: AgentRun, summary: TranscriptSummary, options: WatchOptions): WatchedAgent {
  const stated = summary.finalMessage ?? writtenMessage(options.invocation.finalMessageFile);
  const words = {
    ...(stated !== undefined && { finalMessage: stated }),
    ...(summary.lastAssistantLine !== undefined && { lastAssistantLine: summary.lastAssistantLine }),
  };
  const finalMessage = stated ?? summary.lastAssistantLine ?? "";
  const session = summary.session ?? run.session;
  const usage = usageOf(summary, options.prices);
  return {
    ending: endingOf(run, summary, options.now()),
    marker: readMarker(words),
    finalMessage,
    questions: summary.questions,
    denied: summary.denied,
    ...(session !== undefined && { session }),
    ...(usage !== undefined && { usage }),
    endsAsking: /\?\s*$/.test(finalMessage),
  };
}

const MAX_MESSAGE_BYTES = 1_000_000;

/** Some agents write their last message to a file. One of an earlier iteration was removed before. */
function writtenMessage(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  const read = readTextFile(file, { maxBytes: MAX_MESSAGE_BYTES });
  return read.ok && read.text.trim() !== "" ? read.text : undefined;
}

/**
 * What the agent states counts before what its process says: some exit with 0 after a provider refused them, and some with 1
 * after they were done. What Ralph itself did to it comes before both.
 */
function endingOf(run: AgentRun, { quota, failure }: TranscriptSummary, now: number): AgentEnding {
  const { ending } = run;
  if (ending.type !== "finished" && ending.type !== "failed") return ending;
  if (quota !== undefined || failure?.cause === "quota") return quotaEnding(quota ?? failure, now);
  if (failure?.cause === "credentials") return { type: "refused", message: failure.message };
  if (failure !== undefined) return { type: "failed", message: failure.message };
  const said = lastWords(run.stderrTail);
  if (ending.type === "finished" || said === "") return ending;
  return { ...ending, message: `${ending.message} It said: ${said}` };
}

const SHOWN_LINES = 3;
const LONGEST_WORDS = 500;

/** The end of what an agent printed to standard error, in one line. */
function lastWords(text: string): string {
  const lines = text.split("\n").map((line) => readableText(line).trim());
  return lines
    .filter((line) => line !== "")
    .slice(-SHOWN_LINES)
    .join(" / ")
    .slice(-LONGEST_WORDS);
}

function quotaEnding(
  quota: { message: string; until?: string; waitMs?: number } | undefined,
  now: number,
): AgentEnding {
  const until = quota?.until ?? (quota?.waitMs === undefined ? undefined : new Date(now + quota.waitMs).toISOString());
  return { type: "quota", message: quota?.message || "The quota is used up", ...(until !== undefined && { until }) };
}

/** Cost is what the agent states, or what the person's own prices make of the tokens; never a guess. */
function usageOf({ usage }: TranscriptSummary, prices: TokenPrices | undefined): AgentUsage | undefined {
  if (usage === undefined) return undefined;
  const { inputTokens, outputTokens } = usage;
  const costUsd = (prices && costOf(usage, prices)) ?? usage.costUsd;
  return { inputTokens, outputTokens, ...(costUsd !== undefined && { costUsd }) };
}
