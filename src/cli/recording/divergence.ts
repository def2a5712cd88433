import type { AgentEvent } from "../../protocol/agent-events.ts";
import type { RecordingEntry } from "../../protocol/recordings.ts";
import type { ToolOutput } from "../../protocol/tool-runs.ts";
import { diffLines } from "../../system/line-diff.ts";
import { canonical, type RequestParts } from "./request-parts.ts";
import { TOLD_TEXT_LENGTH } from "./told-events.ts";

// The first place where a run played back is another run than the recorded one, in words.

/** Something the agent did while a recording was played. */
export type Came =
  | ({ type: "request"; request: number } & RequestParts)
  | { type: "call"; callId: string; name: string; input: Record<string, unknown> }
  | { type: "told"; event: AgentEvent; digest: string; text: string }
  | { type: "output"; name: string; output: ToolOutput; recorded: ToolOutput }
  | { type: "wrote"; text: string };

export interface Divergence {
  turn: number;
  /** In the recording. */
  line: number;
  recorded: RecordingEntry;
  /** Absent where nothing came. */
  came?: Came;
}

/** `textOf` finds the text of a part in the lines before. */
export function describeDivergence(
  { turn, line, recorded, came }: Divergence,
  textOf: (digest: string) => string | undefined,
): string {
  const { what, before, after } = difference(recorded, came, textOf);
  return [`Diverged in turn ${turn} (line ${line} of the recording): ${what}`, ...smallDiff(before, after)].join("\n");
}

interface Difference {
  what: string;
  before: string;
  after: string;
}

function difference(
  recorded: RecordingEntry,
  came: Came | undefined,
  textOf: (digest: string) => string | undefined,
): Difference {
  if (came?.type === "output")
    return {
      what: `${came.name} gives another result.`,
      before: canonical(came.recorded),
      after: canonical(came.output),
    };
  if (recorded.type === "request" && came?.type === "request") return requestDifference(recorded, came, textOf);
  if (recorded.type === "wrote" && came?.type === "wrote")
    return { what: "other words went to standard output.", before: recorded.text, after: came.text };
  return {
    what: came === undefined ? `${nameOf(recorded)} was recorded, and nothing came.` : whatInstead(recorded, came),
    before: textOfRecorded(recorded),
    after: came === undefined ? "" : textOfCame(came),
  };
}

function requestDifference(
  recorded: Extract<RecordingEntry, { type: "request" }>,
  came: Extract<Came, { type: "request" }>,
  textOf: (digest: string) => string | undefined,
): Difference {
  const length = Math.max(recorded.parts.length, came.parts.length);
  for (let index = 0; index < length; index++) {
    const [name, digest] = recorded.parts[index] ?? [undefined, ""];
    const part = came.parts[index];
    if (name === part?.name && digest === part?.digest) continue;
    const before = textOf(digest) ?? "";
    const after = part?.text ?? "";
    if (name === part?.name) return { what: `request ${recorded.request} differs in ${name}.`, before, after };
    const what = `request ${recorded.request} has ${part?.name ?? "nothing more"} where ${name ?? "nothing more"} was recorded.`;
    return { what, before, after };
  }
  return { what: `request ${recorded.request} differs.`, before: "", after: "" };
}

function whatInstead(recorded: RecordingEntry, came: Came): string {
  if (recorded.type === "call" && came.type === "call") return `another call of ${came.name} came.`;
  if (recorded.type === "told" && came.type === "told" && recorded.event === came.event.type)
    return `the event ${recorded.event} differs.`;
  return `${nameOf(recorded)} was recorded, and ${nameOfCame(came)} came.`;
}

function nameOf(entry: RecordingEntry): string {
  switch (entry.type) {
    case "request":
    case "model":
    case "answered":
      return `request ${entry.request}`;
    case "call":
      return `a call of ${entry.name}`;
    case "verdict":
      return "the gate's word on a call";
    case "update":
    case "output":
      return "the result of a call";
    case "told":
      return `the event ${entry.event}`;
    case "stored":
      return `entry ${entry.entry} of the session`;
    case "end":
      return "the end";
    default:
      return `"${entry.type}"`;
  }
}

function nameOfCame(came: Came): string {
  if (came.type === "request") return `request ${came.request}`;
  if (came.type === "told") return `the event ${came.event.type}`;
  return came.type === "call" ? `a call of ${came.name}` : "something else";
}

function textOfRecorded(entry: RecordingEntry): string {
  if (entry.type === "call") return canonical({ name: entry.name, input: entry.input });
  return entry.type === "told" ? pretty(entry.text ?? "") : "";
}

function textOfCame(came: Came): string {
  if (came.type === "call") return canonical({ name: came.name, input: came.input });
  return came.type === "told" ? pretty(came.text.slice(0, TOLD_TEXT_LENGTH)) : "";
}

/** One field a line where it is whole. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 1);
  } catch {
    return text;
  }
}

const MOST_LINES = 12;
const LONGEST_LINE = 300;

/** What was recorded with `-`, what came with `+`; the rest of a long difference is counted. */
function smallDiff(before: string, after: string): string[] {
  const [was, is] = [before.split("\n"), after.split("\n")];
  const lines = diffLines(was, is).flatMap(({ oldStart, oldEnd, newStart, newEnd }) => [
    ...was.slice(oldStart, oldEnd).map((line) => `  - ${shortened(line)}`),
    ...is.slice(newStart, newEnd).map((line) => `  + ${shortened(line)}`),
  ]);
  const shown = lines.filter((line) => line.trim() !== "-" && line.trim() !== "+");
  const rest = shown.length - MOST_LINES;
  return rest > 0 ? [...shown.slice(0, MOST_LINES), `  (${rest} more lines)`] : shown;
}

function shortened(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}
