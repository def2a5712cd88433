import { asNumber, asString } from "../protocol/json.ts";
import { NOTHING, type Step, type WireEvent } from "./wire-protocol.ts";

// For wire formats that send an answer as numbered blocks, each begun, grown and ended by events of its own.

export type Block =
  | { type: "text" }
  | { type: "thinking"; signature?: string; encrypted?: string }
  /** `whole` is input that came with the start; pieces that follow replace it. */
  | { type: "tool-call"; whole?: string }
  /** Blocks of tools that ran at the provider: nothing of them is kept. */
  | { type: "foreign" };

export interface OpenBlocks {
  /** The blocks that are open, by their index. */
  readonly blocks: Readonly<Record<string, Block>>;
}

/** The name of the part a block index stands for; undefined for what cannot be an index. */
export function partName(value: unknown): string | undefined {
  const index = asNumber(value);
  return index === undefined || !Number.isSafeInteger(index) || index < 0 ? undefined : String(index);
}

export function withBlock<State extends OpenBlocks>(state: State, part: string, block: Block): State {
  return { ...state, blocks: { ...state.blocks, [part]: block } };
}

export function endBlock<State extends OpenBlocks>(state: State, part: string | undefined): Step<State> {
  const block = part === undefined ? undefined : state.blocks[part];
  if (part === undefined || block === undefined) return { state, events: NOTHING };
  const { [part]: _, ...blocks } = state.blocks;
  return { state: { ...state, blocks }, events: endEvents(part, block) };
}

function endEvents(part: string, block: Block): WireEvent[] {
  switch (block.type) {
    case "text":
      return [{ type: "text-end", part }];
    case "thinking": {
      const { type: _, ...tokens } = block;
      return [{ type: "thinking-end", part, ...tokens }];
    }
    case "tool-call":
      return [...growth("tool-call-delta", part, block.whole), { type: "tool-call-end", part }];
    case "foreign":
      return NOTHING;
  }
}

/** The event of a piece of text; none for what is no text or empty. */
export function growth(
  type: "text-delta" | "thinking-delta" | "tool-call-delta",
  part: string,
  value: unknown,
): WireEvent[] {
  const text = asString(value) ?? "";
  return text === "" ? NOTHING : [{ type, part, text }];
}
