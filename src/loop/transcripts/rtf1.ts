import { asObject, asString } from "../../protocol/json.ts";
import type { TranscriptEvent, TranscriptTag } from "../../protocol/transcript-events.ts";
import type { AdapterStep, AgentLine, TranscriptAdapter } from "./adapter.ts";
import { MAX_DEPTH, readJsonLine, shallowEnough } from "./json-line.ts";
import { metaEvent, outputEvent, textEvent } from "./make-event.ts";
import { abandonTools, endTool, NO_TOOLS, type OpenTools, startTool, type ToolStatus, toolId } from "./open-tools.ts";
import { plainText } from "./plain.ts";

// Ralph Transcript Format 1: any program can print these lines between its ordinary ones and is understood. docs/transcripts.md
// is the page for people who write such programs.

export const RTF1_PREFIX = "@@RALPH@@ ";

/** The tool calls that are open. */
type Rtf1State = OpenTools;

export const RTF1_ADAPTER: TranscriptAdapter<Rtf1State> = {
  name: "rtf1",
  capabilities: { roles: true, toolEvents: true, usageEvents: true, promptHiding: false },
  start: () => NO_TOOLS,
  step: stepRtf1,
  flush: (open) => ({ state: NO_TOOLS, events: abandonTools(open) }),
};

function stepRtf1(state: Rtf1State, line: AgentLine): AdapterStep<Rtf1State> {
  if (!line.text.startsWith(RTF1_PREFIX)) return { state, events: [plainText(line)] };
  const read = readEvent(line.text.slice(RTF1_PREFIX.length));
  switch (read.type) {
    case "problem": {
      const message = `A line that begins with ${RTF1_PREFIX.trim()} was not understood: ${read.problem}.`;
      return { state, events: [metaEvent({ kind: "unreadable", message }), textEvent("SYS", line.text)] };
    }
    case "start": {
      const { open, events } = startTool(state, { ...read.tool, atMs: line.atMs });
      return { state: open, events };
    }
    case "end": {
      const { open, events } = endTool(state, { ...read.tool, atMs: line.atMs });
      return { state: open, events };
    }
    case "event":
      return { state, events: [read.event] };
  }
}

type Rtf1Line =
  | { type: "problem"; problem: string }
  | { type: "start"; tool: { id: string; name: string; input?: unknown } }
  | { type: "end"; tool: { id: string; status: ToolStatus; durationMs?: number } }
  | { type: "event"; event: TranscriptEvent };

function readEvent(json: string): Rtf1Line {
  const line = readJsonLine(json);
  if (line.type === "broken") return problem("it is no JSON object");
  if (line.type !== "object") return problem("there is no JSON object after the prefix");
  const { value } = line;
  const reader = READERS.get(asString(value.type) ?? "");
  return reader === undefined ? problem(`"type" must be one of ${[...READERS.keys()].join(", ")}`) : reader(value);
}

/** What each type needs. Other keys are left out. */
const READERS = new Map<string, (value: Record<string, unknown>) => Rtf1Line>([
  ["text", readText],
  ["tool_start", readToolStart],
  ["tool_output", readToolOutput],
  ["tool_end", readToolEnd],
  ["usage", readUsage],
  ["meta", readMeta],
]);

const TAGS: ReadonlySet<unknown> = new Set<TranscriptTag>(["AI", "THINK", "SYS", "TOOL", "PROMPT", "USER"]);

function readText({ tag, text }: Record<string, unknown>): Rtf1Line {
  if (!TAGS.has(tag)) return problem(`"tag" must be one of ${[...TAGS].join(", ")}`);
  if (typeof text !== "string") return problem(`"text" must be a string`);
  return { type: "event", event: textEvent(tag as TranscriptTag, text) };
}

function readToolStart(value: Record<string, unknown>): Rtf1Line {
  const { id, name, input } = asObject(value.tool) ?? {};
  if (typeof id !== "string" || typeof name !== "string") return problem(`"tool.id" and "tool.name" must be strings`);
  if (input !== undefined && asObject(input) === undefined) return problem(`"tool.input" must be an object`);
  if (shallowEnough(input) !== input) return problem(`"tool.input" nests deeper than ${MAX_DEPTH} levels`);
  return { type: "start", tool: { id, name, ...(input === undefined ? {} : { input }) } };
}

function readToolOutput(value: Record<string, unknown>): Rtf1Line {
  const id = asString(asObject(value.tool)?.id);
  const text = asString(value.text);
  if (id === undefined || text === undefined) return problem(`"tool.id" and "text" must be strings`);
  return { type: "event", event: outputEvent(toolId(id), text) };
}

const STATUSES: ReadonlySet<unknown> = new Set<ToolStatus>(["ok", "fail", "unknown"]);

function readToolEnd(value: Record<string, unknown>): Rtf1Line {
  const { id, status, duration_ms: duration } = asObject(value.tool) ?? {};
  if (typeof id !== "string") return problem(`"tool.id" must be a string`);
  if (!STATUSES.has(status)) return problem(`"tool.status" must be one of ${[...STATUSES].join(", ")}`);
  if (duration !== undefined && !isCount(duration))
    return problem(`"tool.duration_ms" must be a whole number from 0 on`);
  return {
    type: "end",
    tool: { id, status: status as ToolStatus, ...(duration === undefined ? {} : { durationMs: duration }) },
  };
}

const COUNTS = ["prompt_tokens", "completion_tokens", "total_tokens"] as const;

/** `scope` is ours: see `usageEvent`. */
function readUsage(value: Record<string, unknown>): Rtf1Line {
  const usage = asObject(value.usage);
  if (usage === undefined) return problem(`"usage" must be an object`);
  const wrong = COUNTS.find((name) => usage[name] !== undefined && !isCount(usage[name]));
  if (wrong !== undefined) return problem(`"usage.${wrong}" must be a whole number from 0 on`);
  if (usage.model !== undefined && typeof usage.model !== "string") return problem(`"usage.model" must be a string`);
  if (usage.scope !== undefined && !SCOPES.has(usage.scope)) return problem(`"usage.scope" must be turn or total`);
  const known = Object.entries(usage).filter(([name]) => USAGE_KEYS.has(name));
  return { type: "event", event: { type: "usage", usage: Object.fromEntries(known) } };
}

const SCOPES: ReadonlySet<unknown> = new Set(["turn", "total"]);
const USAGE_KEYS: ReadonlySet<string> = new Set([...COUNTS, "model", "scope"]);

function readMeta(value: Record<string, unknown>): Rtf1Line {
  const meta = asObject(value.meta);
  if (meta === undefined) return problem(`"meta" must be an object`);
  if (shallowEnough(meta) === undefined) return problem(`"meta" nests deeper than ${MAX_DEPTH} levels`);
  return { type: "event", event: { type: "meta", meta } };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function problem(text: string): Rtf1Line {
  return { type: "problem", problem: text };
}
