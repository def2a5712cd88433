import type { DraftHeader, DraftPiece } from "../../protocol/answer-drafts.ts";
import { asNumber, asObject, asString, parseJson } from "../../protocol/json.ts";

export interface Draft {
  header: DraftHeader;
  pieces: DraftPiece[];
}

/** The longest beginning that can be read: a line that was cut short, or is no line of a draft, ends it. */
export function parseDraft(text: string): Draft | undefined {
  const [first = "", ...lines] = text.split("\n");
  const header = headerOf(fieldsOf(first));
  if (header === undefined) return undefined;
  const pieces: DraftPiece[] = [];
  for (const line of lines) {
    const piece = pieceOf(fieldsOf(line));
    if (piece === undefined) break;
    pieces.push(piece);
  }
  return { header, pieces };
}

type Fields = Record<string, unknown>;

function fieldsOf(line: string): Fields {
  return asObject(parseJson(line)) ?? {};
}

function headerOf({ type, version, ...fields }: Fields): DraftHeader | undefined {
  const [parentId, provider, api, model] = [fields.parentId, fields.provider, fields.api, fields.model].map(asString);
  if (type !== "draft" || version !== 1 || parentId === undefined) return undefined;
  if (provider === undefined || api === undefined || model === undefined) return undefined;
  return { type, version, parentId, provider, api, model };
}

function pieceOf({ type, ...fields }: Fields): DraftPiece | undefined {
  const index = asNumber(fields.index);
  const text = asString(fields.text);
  const name = asString(fields.name);
  if (index === undefined) return undefined;
  if ((type === "text" || type === "thinking") && text !== undefined) return { type, index, text };
  return type === "tool-call" && name !== undefined ? { type, index, name } : undefined;
}
