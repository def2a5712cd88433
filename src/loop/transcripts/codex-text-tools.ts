import type { TranscriptEvent } from "../../protocol/transcript-events.ts";
import { outputEvent } from "./make-event.ts";
import { abandonTools, endTool, NO_TOOLS, startTool, type ToolStatus } from "./open-tools.ts";

// The tool calls in Codex's text: a header, then lines of output, until the next header or another role. How it ended stands in the
// header or in a line of its own below it.

export interface TextTool {
  id: string;
  /** Undefined until the text says how it ended. */
  end: { status: ToolStatus; durationMs?: number } | undefined;
}

interface TextToolStep {
  tool: TextTool;
  events: readonly TranscriptEvent[];
}

/** `-lc <command> in <dir> succeeded in 12ms`, anywhere in the line. */
const ONE_LINE = /-lc (.+) in (\S.*?) (succeeded|failed|exited -?\d+) in ([\d.]+ ?m?s|\d+m ?\d+s)/;
/** `/bin/bash -lc '<command>' in <dir>`, with its end in another line. */
const TWO_LINES = /^(.+) in ([/~].*|[A-Za-z]:\\.*)$/;
const SHELL = /^\S+ -l?c (.+)$/;
const ENDING = /^ (succeeded|failed|exited -?\d+) in ([\d.]+ ?m?s|\d+m ?\d+s):?$/;
const PATCH_ENDING = /^patch: (completed|failed|declined)$/;

export function isToolHeader(line: string): boolean {
  return line.includes("-lc ") && ONE_LINE.test(line);
}

export interface ToolHeader {
  line: string;
  number: number;
  atMs: number;
  kind: "shell" | "apply_patch";
}

export function openTextTool({ line, number, atMs, kind }: ToolHeader): TextToolStep {
  const id = `tool_${number}`;
  const { end, input } = kind === "apply_patch" ? readPatchHeader(line) : readHeader(line);
  const { events } = startTool(NO_TOOLS, { id, atMs, name: kind, input });
  return { tool: { id, end }, events };
}

type HeaderFacts = { end: TextTool["end"]; input: Record<string, string> };

function readHeader(line: string): HeaderFacts {
  const whole = line.includes("-lc ") ? ONE_LINE.exec(line) : null;
  if (whole !== null) {
    const [, command = "", cwd = "", how = "", took = ""] = whole;
    return { end: endOf(how, took), input: { command, cwd } };
  }
  const [, call = line, cwd] = TWO_LINES.exec(line) ?? [];
  const command = SHELL.exec(call)?.[1] ?? call;
  return { end: undefined, input: cwd === undefined ? { command: line } : { command, cwd } };
}

function readPatchHeader(line: string): HeaderFacts {
  const how = PATCH_ENDING.exec(line)?.[1];
  return how === undefined
    ? { end: undefined, input: { command: line } }
    : { end: { status: how === "completed" ? "ok" : "fail" }, input: {} };
}

export function stepTextTool(tool: TextTool, line: string): TextToolStep {
  const [, how, took] = (tool.end === undefined && ENDING.exec(line)) || [];
  if (how === undefined || took === undefined) return { tool, events: [outputEvent(tool.id, line)] };
  return { tool: { ...tool, end: endOf(how, took) }, events: [] };
}

export function closeTextTool({ id, end }: TextTool): readonly TranscriptEvent[] {
  return end === undefined ? abandonTools([{ id, atMs: 0 }]) : endTool(NO_TOOLS, { id, atMs: 0, ...end }).events;
}

function endOf(how: string, took: string): NonNullable<TextTool["end"]> {
  const isGood = how === "succeeded" || how === "exited 0";
  return { status: isGood ? "ok" : "fail", durationMs: durationOf(took) };
}

function durationOf(took: string): number {
  const [, minutes, seconds] = /^(\d+)m ?(\d+)s$/.exec(took) ?? [];
  if (minutes !== undefined) return (Number(minutes) * 60 + Number(seconds)) * 1000;
  const amount = Number.parseFloat(took);
  return Math.round(took.endsWith("ms") ? amount : amount * 1000);
}
