import type { CompactionResult } from "../../protocol/agent-events.ts";
import type { Message } from "../../protocol/messages.ts";
import type { ModelError } from "../../protocol/model-errors.ts";
import { thresholdsFor } from "../../sessions/compaction/compaction-trigger.ts";
import { isMadeBy } from "../../sessions/compaction/history-view.ts";
import { contextSize, mostTokens, overheadTokens } from "../../sessions/compaction/token-estimate.ts";
import { contextOf } from "../../sessions/context.ts";
import { lastOfType } from "../../sessions/entries/entry-list.ts";
import { currentBranch } from "../../sessions/tree.ts";
import type { Compactor, CompactorOptions, CompactorState } from "./compactor.ts";

// Keeps a conversation inside the window of its model. Most turns are far from it, so what shortens is loaded when it is needed.

export function createCompactor(options: CompactorOptions): Compactor {
  const state: CompactorState = {
    options,
    isRunning: false,
    spent: undefined,
    withoutServer: new Set(),
    reader: undefined,
  };
  const shortening = () => import("./shorten-history.ts");
  const historyAfter = (result: CompactionResult | undefined) =>
    result !== undefined && HELPS.has(result.type) ? historyNow(options) : undefined;
  return {
    async beforeTurn(given, { signal, settled }) {
      const renewed = isForAnother(state, given) ? await settled().then(() => historyNow(options)) : undefined;
      const messages = renewed ?? given;
      if (messages.length < FEWEST_MESSAGES || !options.isEnabled() || isSmall(options, messages)) return renewed;
      await settled();
      const result = await (await shortening()).shortenWhenDue(state, signal);
      if (result?.type === "promoted") return isForAnother(state, messages) ? historyNow(options) : renewed;
      return historyAfter(result) ?? renewed;
    },
    async afterFailure(error, { signal, settled }) {
      if (isUnreadable(error)) {
        await settled();
        return (await (await shortening()).dropUnreadable(state, signal)) ? historyNow(options) : undefined;
      }
      if (error.kind !== "context-overflow") return undefined;
      if (!options.isEnabled()) return refuseOverflow(options);
      await settled();
      if (historyNow(options).length < FEWEST_MESSAGES) return undefined;
      return historyAfter(await (await shortening()).shortenRefused(state, signal));
    },
    compact: async (wish) => (await shortening()).shortenForPerson(state, wish),
    undo: async () => (await shortening()).undoLast(options),
    size: createSizeReader(options),
    takeSpent() {
      const { spent } = state;
      state.spent = undefined;
      return spent;
    },
  };
}

/** A prompt alone cannot be shortened; its answer with a call and the result can. */
const FEWEST_MESSAGES = 3;

/** After these the request is worth another try. */
const HELPS = new Set<CompactionResult["type"]>(["promoted", "summarised", "pruned", "trimmed"]);

/** The conversation as the model of the moment may read it. */
function historyNow({ session, model }: CompactorOptions): Message[] {
  return contextOf(session.entries, session.storedLeafId, model()).messages;
}

/** Whether the model was changed, and what a provider compacted makes that a change of the history. */
function isForAnother(state: CompactorState, messages: readonly Message[]): boolean {
  const { session, model } = state.options;
  const { provider, id } = model();
  const before = state.reader;
  state.reader = `${provider}/${id}`;
  const [first] = messages;
  if (first?.role === "user" && first.compacted !== undefined && !isMadeBy(first.compacted, model())) return true;
  if (before === undefined || before === state.reader) return false;
  return lastOfType(session.entries, "compaction")?.server !== undefined;
}

/** What providers say when they cannot decrypt what they once encrypted; a code of theirs has the word, too. */
function isUnreadable({ kind, message }: ModelError): boolean {
  return (kind === "invalid-request" || kind === "server") && /encrypted[ _]content/i.test(message);
}

function isSmall({ model, settings, request }: CompactorOptions, messages: readonly Message[]): boolean {
  return mostTokens(messages, overheadTokens(request([]))) < thresholdsFor(settings, model()).trigger;
}

/** Who asks again while nothing was said gets what was counted. */
function createSizeReader({ session, model, request }: CompactorOptions): Compactor["size"] {
  let known = { key: "", tokens: 0 };
  return () => {
    const { entries, storedLeafId } = session;
    const overhead = overheadTokens(request([]));
    const { provider, id, contextWindow: window } = model();
    const key = `${storedLeafId} ${entries.checks} ${overhead} ${provider}/${id}`;
    if (key !== known.key)
      known = { key, tokens: contextSize(currentBranch(entries, storedLeafId), overhead, model()).tokens };
    return { tokens: known.tokens, window };
  };
}

function refuseOverflow({ tell }: CompactorOptions): undefined {
  const text =
    "The conversation is too long for the model, and automatic compaction is off. Use /compact, or start without --no-compact (setting compaction.enabled).";
  tell({ type: "notice", level: "error", text });
}
