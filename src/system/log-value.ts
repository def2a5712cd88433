import { isSecretName } from "./redact.ts";

// Any value as something small that can be stored as JSON: whatever is handed to the log, one line comes out.

const MAX_DEPTH = 6;
const MAX_MEMBERS = 50;
const MAX_CHARACTERS = 8192;

type Redact = (text: string) => string;

/** Texts are redacted, fields with the name of a secret lose their value, what is too deep, too many or too long is cut. */
export function logValue(value: unknown, redact: Redact, depth = 0): unknown {
  switch (typeof value) {
    case "string":
      return textValue(value, redact);
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "boolean":
      return value;
    case "object":
      return value === null ? null : objectValue(value, redact, depth);
    default:
      return textValue(String(value), redact);
  }
}

function objectValue(value: object, redact: Redact, depth: number): unknown {
  if (value instanceof Error) return textValue(String(value.stack ?? value), redact);
  if (value instanceof Date) return String(value);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= MAX_DEPTH) return "[too deep]";
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_MEMBERS).map((item) => logValue(item, redact, depth + 1));
    return value.length > MAX_MEMBERS ? [...items, `[${value.length - MAX_MEMBERS} more]`] : items;
  }
  const names = Object.keys(value);
  const members = names
    .slice(0, MAX_MEMBERS)
    .map((name) => [
      textValue(name, redact),
      isSecretName(name) ? "[redacted]" : logValue(memberOf(value, name), redact, depth + 1),
    ]);
  if (names.length > MAX_MEMBERS) members.push(["…", `[${names.length - MAX_MEMBERS} more]`]);
  return Object.fromEntries(members);
}

/** A getter may throw; the line is written all the same. */
function memberOf(value: object, name: string): unknown {
  try {
    return (value as Record<string, unknown>)[name];
  } catch {
    return "[unreadable]";
  }
}

/** A secret that begins before the cut is redacted as a whole, so the redaction sees twice as much as is kept. */
function textValue(text: string, redact: Redact): string {
  const redacted = redact(text.slice(0, MAX_CHARACTERS * 2));
  const kept = redacted.slice(0, MAX_CHARACTERS);
  return text.length > MAX_CHARACTERS * 2 || kept !== redacted ? `${kept}… [cut]` : kept;
}
