import type { TranscriptEvent } from "../../../protocol/transcript-events.ts";
import { counted, cut, type Signs, shownTime } from "./signs.ts";

export interface TranscriptView {
  showPrompt: boolean;
  toolMode: "summary" | "full" | "none";
  sysMode: "summary" | "full";
}

/** What is not said yet: tools at work, and notes of the agent that are only counted. */
export interface TranscriptState {
  tools: ReadonlyMap<string, OpenTool>;
  hiddenNotes: number;
}

interface OpenTool {
  words: string;
  outputLines: number;
}

export const NEW_TRANSCRIPT: TranscriptState = { tools: new Map(), hiddenNotes: 0 };

export interface TranscriptStep {
  state: TranscriptState;
  lines: readonly string[];
}

interface Showing {
  view: TranscriptView;
  signs: Signs;
  /** The adapter hides the prompt by itself; what it still says about it is for the person. */
  hidesPrompt: boolean;
}

const COMMAND_LENGTH = 80;
const TAG_WIDTH = 5;
/** An agent that never ends its tools does not fill the memory. */
const OPEN_TOOLS = 1000;

/** What a person reads of one event of the agent, beside what is kept for later. */
export function transcriptLines(state: TranscriptState, event: TranscriptEvent, showing: Showing): TranscriptStep {
  switch (event.type) {
    case "text":
      return textLines(state, event, showing);
    case "tool_start":
      return startTool(state, event, showing);
    case "tool_output":
      return toolOutput(state, event, showing);
    case "tool_end":
      return endTool(state, event, showing);
    default:
      return { state, lines: [] };
  }
}

/** What an iteration leaves unsaid. */
export function lastTranscriptLines({ hiddenNotes }: TranscriptState): string[] {
  return hiddenNotes === 0
    ? []
    : [tagged("SYS", `${counted(hiddenNotes, "line")} of the agent's own notes (--ai-sys-mode full shows them)`)];
}

type EventOf<Type extends TranscriptEvent["type"]> = Extract<TranscriptEvent, { type: Type }>;

function textLines(state: TranscriptState, { tag, text }: EventOf<"text">, showing: Showing): TranscriptStep {
  const { view, hidesPrompt } = showing;
  if (tag === "SYS" && view.sysMode === "summary")
    return { state: { ...state, hiddenNotes: state.hiddenNotes + 1 }, lines: [] };
  const isHidden =
    (tag === "PROMPT" && !view.showPrompt && !hidesPrompt) || (tag === "TOOL" && view.toolMode !== "full");
  const lines = isHidden ? [] : text.split("\n").filter((line) => line.trim() !== "");
  return { state, lines: lines.map((line) => tagged(tag, line)) };
}

function startTool(state: TranscriptState, { tool }: EventOf<"tool_start">, { view, signs }: Showing): TranscriptStep {
  const words = `${tool.name} ${cut(inputWords(tool.input), COMMAND_LENGTH)}`.trim();
  const tools = new Map(state.tools);
  if (tools.size < OPEN_TOOLS) tools.set(tool.id, { words, outputLines: 0 });
  return {
    state: { ...state, tools },
    lines: view.toolMode === "full" ? [tagged("TOOL", `${signs.working} ${words}`)] : [],
  };
}

function toolOutput(state: TranscriptState, { tool, text }: EventOf<"tool_output">, { view }: Showing): TranscriptStep {
  const open = state.tools.get(tool.id);
  const lines = text.split("\n");
  const tools = new Map(state.tools);
  if (open !== undefined) tools.set(tool.id, { ...open, outputLines: open.outputLines + lines.length });
  return {
    state: { ...state, tools },
    lines: view.toolMode === "full" ? lines.map((line) => tagged("TOOL", line)) : [],
  };
}

function endTool(state: TranscriptState, { tool }: EventOf<"tool_end">, { view, signs }: Showing): TranscriptStep {
  const open = state.tools.get(tool.id);
  const tools = new Map(state.tools);
  tools.delete(tool.id);
  if (view.toolMode === "none") return { state: { ...state, tools }, lines: [] };
  const sign = { ok: signs.passed, fail: signs.failed, unknown: signs.dot }[tool.status];
  const parts = [
    `${sign} ${open?.words ?? tool.id}`,
    ...(tool.status === "fail" ? ["failed"] : []),
    ...(tool.duration_ms === undefined ? [] : [shownTime(tool.duration_ms)]),
    ...(open === undefined || open.outputLines === 0 ? [] : [counted(open.outputLines, "line")]),
  ];
  return { state: { ...state, tools }, lines: [tagged("TOOL", parts.join(` ${signs.dot} `))] };
}

/** The one word that says most about a tool's input: its command, path or pattern. */
function inputWords(input: unknown): string {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null) return "";
  const fields = Object.entries(input);
  const telling = TELLING.flatMap((name) => fields.filter(([field]) => field === name))[0]?.[1];
  if (Array.isArray(telling)) return telling.join(" ");
  return typeof telling === "string" ? telling : JSON.stringify(input);
}

const TELLING = ["command", "cmd", "file_path", "path", "pattern", "query", "url", "description"];

function tagged(tag: string, text: string): string {
  return `${tag.padEnd(TAG_WIDTH)} ${text}`;
}
