import { asArray, asNumber, asObject, asString, at } from "../../../protocol/json.ts";
import type { Step, WireEvent } from "../../wire-protocol.ts";

// Tool calls out of chunks. Most endpoints number the calls; some leave the number out, give every call the same one, or repeat
// id and name in every chunk; some send a call in one piece.

export interface CallState {
  list: readonly Call[];
  /** The call the last piece belonged to. */
  latest?: Call;
}

interface Call {
  part: string;
  index?: number;
  id: string;
  /** A call starts when its name is known; what arrives earlier is held. */
  started: boolean;
  held: string;
}

export const NO_CALLS: CallState = { list: [] };

export function callDeltas(state: CallState, delta: Record<string, unknown>, responseId: string): Step<CallState> {
  const legacy = delta.function_call === undefined ? [] : [{ index: 0, function: delta.function_call }];
  const pieces = [...asArray(delta.tool_calls), ...legacy];
  const events: WireEvent[] = [];
  let current = state;
  for (const piece of pieces) {
    const next = readPiece(current, readFields(piece), responseId);
    current = next.state;
    events.push(...next.events);
  }
  return { state: current, events };
}

interface Piece {
  index?: number;
  id: string;
  name: string;
  text: string;
  signature?: string;
}

function readFields(piece: unknown): Piece {
  const fields = asObject(piece);
  const argumentsValue = at(piece, "function", "arguments");
  const isText = typeof argumentsValue === "string" || argumentsValue === undefined || argumentsValue === null;
  return {
    index: asNumber(fields?.index),
    id: asString(fields?.id) ?? "",
    name: asString(at(piece, "function", "name")) ?? "",
    text: isText ? (argumentsValue ?? "") : JSON.stringify(argumentsValue),
    signature: asString(at(piece, "extra_content", "google", "thought_signature")),
  };
}

function readPiece(state: CallState, piece: Piece, responseId: string): Step<CallState> {
  const known = findCall(state, piece);
  const call = known ?? newCall(state, piece, responseId);
  const starts = !call.started && piece.name !== "";
  const grown: Call = {
    ...call,
    id: call.started || piece.id === "" ? call.id : piece.id,
    started: call.started || starts,
    held: call.started || starts ? "" : call.held + piece.text,
  };
  const list = known === undefined ? [...state.list, grown] : state.list.map((one) => (one === known ? grown : one));
  return {
    state: { list, latest: grown },
    events: eventsOf(grown, piece, starts ? call.held + piece.text : undefined),
  };
}

function eventsOf(call: Call, piece: Piece, opening: string | undefined): WireEvent[] {
  const { part, id } = call;
  const signature = piece.signature === undefined ? {} : { signature: piece.signature };
  const text = opening ?? piece.text;
  return [
    ...(opening === undefined ? [] : [{ type: "tool-call-start", part, id, name: piece.name, ...signature } as const]),
    ...(call.started && text !== "" ? [{ type: "tool-call-delta", part, text } as const] : []),
  ];
}

/** The call a piece continues; none when it begins a new one. */
function findCall(state: CallState, piece: Piece): Call | undefined {
  const names = piece.name !== "";
  if (piece.index === undefined) {
    if (piece.id !== "") return state.list.find((call) => call.id === piece.id);
    return names ? undefined : state.latest;
  }
  const numbered = state.list.findLast((call) => call.index === piece.index);
  const isOther = names && piece.id !== "" && numbered?.started === true && numbered.id !== piece.id;
  return isOther ? state.list.find((call) => call.id === piece.id) : numbered;
}

function newCall(state: CallState, piece: Piece, responseId: string): Call {
  const ordinal = state.list.length;
  const id = piece.id === "" ? `call_${ordinal}${responseId === "" ? "" : `_${responseId}`}` : piece.id;
  return { part: `call-${ordinal}`, index: piece.index, id, started: false, held: "" };
}
