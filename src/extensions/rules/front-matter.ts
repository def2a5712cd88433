import { asObject } from "../../protocol/json.ts";

export interface FrontMatter {
  fields: Readonly<Record<string, unknown>>;
  /** What stands behind the head, without space around it. */
  body: string;
  /** The head was no YAML: its lines were read as `key: value`, every value a text. */
  isFallback: boolean;
}

const HEAD = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/;
const MOST_HEAD_CHARACTERS = 16_384;

/** A text without a head that is opened and closed is body from its beginning to its end. */
export function readFrontMatter(text: string): FrontMatter {
  const plain = text.replace(/^\uFEFF/, "");
  const match = HEAD.exec(plain);
  const head = match?.[1] ?? "";
  if (match === null || head.length > MOST_HEAD_CHARACTERS)
    return { fields: {}, body: plain.trim(), isFallback: false };
  const body = plain.slice(match[0].length).trim();
  const parsed = parseHead(head);
  return parsed === undefined
    ? { fields: simpleFields(head), body, isFallback: true }
    : { fields: parsed, body, isFallback: false };
}

/** Undefined where the head is no YAML, or not a list of fields. Names that reach into objects of the language stay behind. */
function parseHead(head: string): Record<string, unknown> | undefined {
  if (head.trim() === "") return {};
  try {
    const fields = asObject(Bun.YAML.parse(head));
    return fields === undefined ? undefined : Object.assign(Object.create(null), fields);
  } catch {
    return undefined;
  }
}

function simpleFields(head: string): Record<string, string> {
  const fields: Record<string, string> = Object.create(null);
  for (const line of head.split(/\r?\n/)) {
    const [, key, value] = /^(\w+):[ \t]*(.*)$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined) fields[key] = value.trim();
  }
  return fields;
}
