import type { AssistantPart, ImagePart, Message, TextPart, ToolCallPart } from "../protocol/messages.ts";
import type { SessionEntry, SessionHeader } from "../protocol/session-entries.ts";

// A session as one text that stands alone. Both take entries whose long texts are in place, as `readSession` gives them.

export interface ExportedSession {
  header: SessionHeader;
  entries: readonly SessionEntry[];
}

/** Every entry of every branch, one line each. */
export function exportJsonl({ header, entries }: ExportedSession): string {
  return [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** `entries` are those of one branch. What was said is quoted as it is; what tools took and gave stands in code fences. */
export function exportMarkdown({ header, entries }: ExportedSession): string {
  const name = entries.findLast((entry) => entry.type === "name")?.name ?? `Session ${header.id}`;
  const about = `_${oneLine(header.cwd)}, ${header.at}_`;
  return `${[`# ${oneLine(name)}`, about, ...entries.flatMap(sectionsOf)].join("\n\n")}\n`;
}

function sectionsOf(entry: SessionEntry): string[] {
  switch (entry.type) {
    case "message":
      return messageSections(entry.message);
    case "compaction":
      return ["## Summary of what came before", entry.summary];
    case "branch-summary":
      return ["## Summary of another branch", entry.summary];
    case "rules-injected":
      return [`_The model was told of the rules it broke: ${oneLine(entry.names.join(", "))}_`];
    case "model-changed":
      return [`_Model: ${oneLine(entry.model)}_`];
    default:
      return [];
  }
}

function messageSections(message: Message): string[] {
  switch (message.role) {
    case "user":
      return ["## User", ...message.content.map(contentSection)];
    case "assistant":
      return ["## Assistant", ...message.content.flatMap(answerSections)];
    case "tool-result": {
      const title = `### ${message.isError ? "Error" : "Result"} of ${code(message.toolName)}`;
      return [
        title,
        ...message.content.map((part) => (part.type === "text" ? fenced(part.text) : contentSection(part))),
      ];
    }
  }
}

function contentSection(part: TextPart | ImagePart): string {
  return part.type === "text" ? closed(part.text) : `_[${oneLine(part.mediaType)}]_`;
}

function answerSections(part: AssistantPart): string[] {
  if (part.type === "tool-call") return [`### Call of ${code(part.name)}`, fenced(inputOf(part), "json")];
  if (part.type === "text") return [closed(part.text)];
  return part.text === "" ? [] : [`<details><summary>Thinking</summary>`, fenced(part.text), "</details>"];
}

function inputOf({ input, invalidInput }: ToolCallPart): string {
  return invalidInput ?? JSON.stringify(input, null, 2);
}

/** The fence is longer than any run of backticks in the text, so that the text cannot end it. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A fence somebody opened and never closed would swallow the rest of the page. */
function closed(text: string): string {
  let open: string | undefined;
  for (const line of text.split("\n")) {
    const [, run, rest = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (run === undefined) continue;
    if (open === undefined) open = run;
    else if (run[0] === open[0] && run.length >= open.length && rest.trim() === "") open = undefined;
  }
  return open === undefined ? text : `${text}\n${open}`;
}

function code(text: string): string {
  return `\`${oneLine(text).replaceAll("`", "'")}\``;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
