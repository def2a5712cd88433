import type { CompactionResult } from "../../protocol/agent-events.ts";
import type { Message } from "../../protocol/messages.ts";
import { thresholdsFor } from "../../sessions/compaction/compaction-trigger.ts";
import { contextSize, mostTokens, overheadTokens } from "../../sessions/compaction/token-estimate.ts";
import { contextOf } from "../../sessions/context.ts";
import { currentBranch } from "../../sessions/tree.ts";
import type { Compactor, CompactorOptions, CompactorState } from "./compactor.ts";

// Keeps a conversation inside the window of its model. Most turns are far from it, so what shortens is loaded when it is needed.

export function createCompactor(options: CompactorOptions): Compactor {
  const state: CompactorState = { options, isRunning: false, spent: undefined };
  const shortening = () => import("./shorten-history.ts");
  const historyAfter = (result: CompactionResult | undefined) => {
    if (result === undefined || !HELPS.has(result.type)) return undefined;
    return contextOf(options.session.entries, options.session.storedLeafId).messages;
  };
  return {
    async beforeTurn(messages, { signal, settled }) {
      if (messages.length < FEWEST_MESSAGES || !options.isEnabled() || isSmall(options, messages)) return undefined;
      await settled();
      const result = await (await shortening()).shortenWhenDue(state, signal);
      return result?.type === "promoted" ? undefined : historyAfter(result);
    },
    async afterFailure(error, { signal, settled }) {
      if (error.kind !== "context-overflow") return undefined;
      if (!options.isEnabled()) return refuseOverflow(options);
      await settled();
      const { messages } = contextOf(options.session.entries, options.session.storedLeafId);
      if (messages.length < FEWEST_MESSAGES) return undefined;
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

function isSmall({ model, settings, request }: CompactorOptions, messages: readonly Message[]): boolean {
  return mostTokens(messages, overheadTokens(request([]))) < thresholdsFor(settings, model()).trigger;
}

/** Who asks again while nothing was said gets what was counted. */
function createSizeReader({ session, model, request }: CompactorOptions): Compactor["size"] {
  let known = { key: "", tokens: 0 };
  return () => {
    const { entries, storedLeafId } = session;
    const overhead = overheadTokens(request([]));
    const key = `${storedLeafId} ${entries.checks} ${overhead}`;
    if (key !== known.key) known = { key, tokens: contextSize(currentBranch(entries, storedLeafId), overhead).tokens };
    return { tokens: known.tokens, window: model().contextWindow };
  };
}

function refuseOverflow({ tell }: CompactorOptions): undefined {
  const text =
    "The conversation is too long for the model, and automatic compaction is off. Use /compact, or start without --no-compact (setting compaction.enabled).";
  tell({ type: "notice", level: "error", text });
}
