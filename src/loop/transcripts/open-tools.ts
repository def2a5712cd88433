import type { TranscriptEvent } from "../../protocol/transcript-events.ts";
import { shallowEnough } from "./json-line.ts";

// The tool calls that began and did not end yet. Never changed in place; a caller may keep an old list.

/** When more are open the oldest is given up: its end is reported as unknown. */
export const MAX_OPEN_TOOLS = 64;
/** Longer ids are cut, at the start and at the end of a call alike. */
export const MAX_ID_CHARACTERS = 256;

export interface OpenTool {
  id: string;
  /** Milliseconds since the agent was started. */
  atMs: number;
  /** Its output was shown while it ran. */
  isStreamed?: true;
}

export type OpenTools = readonly OpenTool[];
export type ToolStatus = "ok" | "fail" | "unknown";

export const NO_TOOLS: OpenTools = [];

export interface ToolsStep {
  open: OpenTools;
  events: readonly TranscriptEvent[];
}

export interface StartedTool extends OpenTool {
  name: string;
  input?: unknown;
}

export function startTool(open: OpenTools, { id, atMs, name, input }: StartedTool): ToolsStep {
  const known = toolId(id);
  const others = open.filter((tool) => tool.id !== known);
  const oldest = others.length >= MAX_OPEN_TOOLS ? others[0] : undefined;
  const kept = shallowEnough(input);
  const started: TranscriptEvent = {
    type: "tool_start",
    tool: { id: known, name, ...(kept === undefined ? {} : { input: kept }) },
  };
  return {
    open: [...(oldest === undefined ? others : others.slice(1)), { id: known, atMs }],
    events: oldest === undefined ? [started] : [toolEnd(oldest.id, "unknown"), started],
  };
}

export interface EndedTool extends OpenTool {
  status: ToolStatus;
  /** Where the agent states it; otherwise it is what went by since the start. */
  durationMs?: number;
}

/** The end of a call that is not known to be open is reported without a computed duration. */
export function endTool(open: OpenTools, { id, atMs, status, durationMs }: EndedTool): ToolsStep {
  const known = toolId(id);
  const started = open.find((tool) => tool.id === known);
  if (started === undefined) return { open, events: [toolEnd(known, status, durationMs)] };
  return {
    open: open.filter((tool) => tool !== started),
    events: [toolEnd(known, status, durationMs ?? Math.max(0, Math.round(atMs - started.atMs)))],
  };
}

/** Nothing more comes: how these calls ended nobody will say. */
export function abandonTools(open: OpenTools): TranscriptEvent[] {
  return open.map((tool) => toolEnd(tool.id, "unknown"));
}

export function isOpen(open: OpenTools, id: string): boolean {
  const known = toolId(id);
  return open.some((tool) => tool.id === known);
}

/** The same list where the call is marked already, or is not open. */
export function markStreamed(open: OpenTools, id: string): OpenTools {
  const known = toolId(id);
  const tool = open.find((candidate) => candidate.id === known);
  if (tool === undefined || tool.isStreamed) return open;
  return open.map((candidate) => (candidate === tool ? { ...tool, isStreamed: true } : candidate));
}

export function isStreamed(open: OpenTools, id: string): boolean {
  const known = toolId(id);
  return open.some((tool) => tool.id === known && tool.isStreamed === true);
}

/** A cut id is a copy, so that it does not hold on to the text it was cut from. */
export function toolId(id: string): string {
  return id.length <= MAX_ID_CHARACTERS ? id : Buffer.from(id.slice(0, MAX_ID_CHARACTERS)).toString();
}

function toolEnd(id: string, status: ToolStatus, durationMs?: number): TranscriptEvent {
  return {
    type: "tool_end",
    tool: { id, status, ...(durationMs === undefined ? {} : { duration_ms: durationMs }) },
  };
}
