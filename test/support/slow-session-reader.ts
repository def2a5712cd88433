import { readFileSync } from "node:fs";
import type { SessionEntry } from "../../src/protocol/session-entries.ts";
import { isSessionEntry } from "../../src/sessions/entries/entry-shape.ts";
import { parseSessionFileName } from "../../src/sessions/session-name.ts";

// What a session file holds, found out in the plainest way: every line is decoded, parsed and checked, one after the other.
// Knows one version and no blobs.

type Fields = Record<string, unknown>;

export type SlowSession =
  | { ok: true; header: unknown; needsHeader: boolean; entries: SessionEntry[]; problems: string[] }
  | { ok: false; reason: string };

export function slowlyRead(path: string): SlowSession {
  const entries: SessionEntry[] = [];
  const problems: string[] = [];
  let header: unknown;
  let lines = 0;
  for (const { value, number, state } of parsedLines(readFileSync(path))) {
    lines++;
    if (state === "torn") problems.push(`Line ${number} was cut short and left out.`);
    else if (state === "broken") problems.push(`Line ${number} is damaged and was left out.`);
    else if (isSessionEntry(value)) entries.push(value);
    else if (typeof value !== "object" || value === null || Array.isArray(value))
      problems.push(`Line ${number} is no entry and was left out.`);
    else if ("type" in value && value.type === "session") {
      const { version, id, at, cwd, parentSession } = value as Fields;
      if (typeof version === "number" && Number.isInteger(version) && version > 1)
        return { ok: false, reason: "newer-version" };
      const isWhole = version === 1 && [id, at, cwd].every((field) => typeof field === "string");
      if (!isWhole) problems.push(`The header in line ${number} is damaged.`);
      else
        header ??= {
          type: "session",
          version,
          id,
          at,
          cwd,
          ...(typeof parentSession === "string" && { parentSession }),
        };
    } else {
      const { id, parentId, at, type } = value as Fields;
      const stand = { id, parentId, at, type: "custom", kind: "unreadable", data: value };
      if (isSessionEntry(stand)) entries.push(stand);
      problems.push(`Line ${number} is no entry this Ralph can read (type ${JSON.stringify(type)}).`);
    }
  }
  if (header !== undefined) return { ok: true, header, needsHeader: false, entries, problems };
  if (entries.length === 0 && lines > 1) return { ok: false, reason: "not-a-session" };
  problems.push("The header is missing or damaged; it was made anew from the file's name.");
  header = { type: "session", version: 1, ...parseSessionFileName(path), cwd: "" };
  return { ok: true, header, needsHeader: true, entries, problems };
}

type ParsedLine = { number: number; value?: unknown; state: "whole" | "broken" | "torn" };

function parsedLines(bytes: Buffer): ParsedLine[] {
  const lines: ParsedLine[] = [];
  let start = 0;
  for (let number = 1; start < bytes.length; number++) {
    const newline = bytes.indexOf(0x0a, start);
    const line = bytes.subarray(start, newline === -1 ? bytes.length : newline);
    const parsed = parsedLine(line, number);
    if (parsed === "broken") lines.push({ number, state: newline === -1 ? "torn" : "broken" });
    else if (parsed !== "blank") lines.push({ number, value: parsed.value, state: "whole" });
    start += line.length + 1;
  }
  return lines;
}

function parsedLine(line: Buffer, number: number): "broken" | "blank" | { value: unknown } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line);
    const json = number === 1 && text.startsWith("\uFEFF") ? text.slice(1) : text;
    return json.trim() === "" ? "blank" : { value: JSON.parse(json) };
  } catch {
    return "broken";
  }
}
