import { asArray, asObject, asString, at } from "../../../protocol/json.ts";
import { NOTHING, type WireEvent } from "../../wire-protocol.ts";

// Gateways (OpenRouter, Vercel) send reasoning a second time as typed blocks, in pieces. Blocks that are signed or hidden must
// go back as they came, so they travel in the `encrypted` of a thinking part.

export type Detail = Readonly<Record<string, unknown>>;

/** Pieces of the same block become one block again. */
export function addDetails(known: readonly Detail[], pieces: unknown): readonly Detail[] {
  let details = known;
  for (const value of asArray(pieces)) {
    const piece = asObject(value);
    const last = details.at(-1);
    if (piece === undefined) continue;
    const continues = last !== undefined && last.type === piece.type && last.index === piece.index && isProse(piece);
    details = continues ? [...details.slice(0, -1), joined(last, piece)] : [...details, piece];
  }
  return details;
}

export function detailsText(pieces: unknown): string {
  return asArray(pieces).map(proseOf).join("");
}

/** The end of the thinking part these blocks belong to, if any of them must be returned unchanged. */
export function hiddenReasoning(details: readonly Detail[]): WireEvent[] {
  const needed = details.some((detail) => detail.type === "reasoning.encrypted" || asString(detail.signature));
  return needed ? [{ type: "thinking-end", part: "thinking", encrypted: JSON.stringify(details) }] : NOTHING;
}

function isProse(detail: Detail): boolean {
  return detail.type === "reasoning.text" || detail.type === "reasoning.summary";
}

function proseOf(detail: unknown): string {
  return asString(at(detail, "text")) ?? asString(at(detail, "summary")) ?? "";
}

function joined(first: Detail, piece: Detail): Detail {
  const key = piece.type === "reasoning.summary" ? "summary" : "text";
  const said = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
  return { ...first, ...Object.fromEntries(said), [key]: proseOf(first) + proseOf(piece) };
}
