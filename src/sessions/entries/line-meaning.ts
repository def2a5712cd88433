import { asObject, asString } from "../../protocol/json.ts";
import type { SessionHeader, StoredEntry } from "../../protocol/session-entries.ts";
import type { JsonlItem } from "../../system/jsonl-reader.ts";
import { isSessionEntry } from "./entry-shape.ts";
import { CURRENT_VERSION, migrateEntry, versionOf } from "./migrations.ts";

/** What a line of a session file is. */
export type LineMeaning =
  /** With a fault it stands for one that is not known: it keeps its place in the tree and means nothing. */
  | { type: "entry"; entry: StoredEntry; fault?: string }
  | { type: "header"; header: SessionHeader; version: number }
  | { type: "newer"; version: number }
  | { type: "left-out"; fault: string };

/** `version` is that of the last header before the line. */
export function meaningOf(item: JsonlItem, version: number): LineMeaning {
  const { number } = item;
  if (item.type === "torn") return leftOut(`Line ${number} was cut short and left out.`);
  if (item.type === "broken") return leftOut(`Line ${number} is damaged and was left out.`);
  if (version === CURRENT_VERSION && isSessionEntry(item.value)) return { type: "entry", entry: item.value };
  const object = asObject(item.value);
  if (object === undefined) return leftOut(`Line ${number} is no entry and was left out.`);
  return object.type === "session" ? headerLine(object, number) : otherLine(object, number, version);
}

function leftOut(fault: string): LineMeaning {
  return { type: "left-out", fault };
}

function headerLine(object: Record<string, unknown>, line: number): LineMeaning {
  const version = versionOf(object);
  if (version !== undefined && version > CURRENT_VERSION) return { type: "newer", version };
  const header = headerOf(object);
  if (version === undefined || header === undefined) return leftOut(`The header in line ${line} is damaged.`);
  return { type: "header", header, version };
}

function headerOf(object: Record<string, unknown>): SessionHeader | undefined {
  const id = asString(object.id);
  const at = asString(object.at);
  const cwd = asString(object.cwd);
  const parentSession = asString(object.parentSession);
  if (id === undefined || at === undefined || cwd === undefined) return undefined;
  const version = CURRENT_VERSION as SessionHeader["version"];
  return { type: "session", version, id, at, cwd, ...(parentSession !== undefined && { parentSession }) };
}

/** An entry of an older version, or one we do not know. */
function otherLine(object: Record<string, unknown>, line: number, version: number): LineMeaning {
  const entry = migrateEntry(object, version);
  if (isSessionEntry(entry)) return { type: "entry", entry };
  const fault = `Line ${line} is no entry this Ralph can read (type ${JSON.stringify(entry.type)}).`;
  const { id, parentId, at } = entry;
  const stand = { id, parentId, at, type: "custom", kind: "unreadable", data: object };
  return isSessionEntry(stand) ? { type: "entry", entry: stand, fault } : { type: "left-out", fault };
}
