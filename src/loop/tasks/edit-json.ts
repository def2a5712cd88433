import type { JsonDocument, JsonMember, JsonNode } from "./json-document.ts";

// Changes to a JSON text that leave every other character as it is.

export interface TextChange {
  start: number;
  end: number;
  text: string;
}

/** The changes may not overlap. Several at one place are made in their order. */
export function applyChanges(text: string, changes: readonly TextChange[]): string {
  const sorted = changes
    .map((change, index) => ({ ...change, index }))
    .sort((a, b) => a.start - b.start || a.index - b.index);
  let at = 0;
  const pieces = sorted.map((change) => {
    const piece = text.slice(at, change.start) + change.text;
    at = change.end;
    return piece;
  });
  return pieces.join("") + text.slice(at);
}

export function replaceNode(node: JsonNode, text: string): TextChange {
  return { start: node.start, end: node.end, text };
}

/** Puts members behind the last one, laid out like it. */
export function addMembers(
  { text }: JsonDocument,
  object: Extract<JsonNode, { type: "object" }>,
  added: readonly { key: string; text: string }[],
): TextChange[] {
  if (added.length === 0) return [];
  const last = object.members.at(-1);
  const written = added.map((member) => `${JSON.stringify(member.key)}: ${member.text}`);
  if (last === undefined) return [{ start: object.start, end: object.end, text: `{ ${written.join(", ")} }` }];
  const before = blanksBefore(text, last.start);
  return [
    {
      start: last.value.end,
      end: last.value.end,
      text: written.map((member) => `,${before || " "}${member}`).join(""),
    },
  ];
}

/** Takes members out together with the comma that is then too many. */
export function removeMembers(
  object: Extract<JsonNode, { type: "object" }>,
  isRemoved: (member: JsonMember) => boolean,
): TextChange[] {
  const { members } = object;
  const kept = members.findIndex((member) => !isRemoved(member));
  if (kept < 0) return members.length === 0 ? [] : [{ start: object.start, end: object.end, text: "{}" }];
  return members.flatMap((member, index): TextChange[] => {
    if (!isRemoved(member)) return [];
    if (index < kept) return [{ start: member.start, end: members[index + 1]?.start ?? member.value.end, text: "" }];
    return [{ start: members[index - 1]?.value.end ?? member.start, end: member.value.end, text: "" }];
  });
}

function blanksBefore(text: string, at: number): string {
  return /[ \t\r\n]*$/.exec(text.slice(Math.max(0, at - 200), at))?.[0] ?? "";
}
