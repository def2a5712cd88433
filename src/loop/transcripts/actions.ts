import { asArray, asObject, asString } from "../../protocol/json.ts";
import type { TranscriptEvent } from "../../protocol/transcript-events.ts";
import { MAX_OPEN_TOOLS, type ToolStatus } from "./open-tools.ts";

// The tool calls of an agent as a person wants to see them: what, how it ended, how long it took, how much it printed.

export interface ToolAction {
  name: string;
  /** The command, path or query, cut. */
  command: string;
  status: ToolStatus;
  durationMs?: number;
  /** Lines of output; empty ones at the end do not count. */
  lines: number;
}

interface OpenAction {
  id: string;
  name: string;
  command: string;
  lines: number;
  /** Empty lines at the end so far. */
  blank: number;
}

export interface ActionsFold {
  /** All calls that ended, also those not kept. */
  total: number;
  newest: readonly ToolAction[];
  open: readonly OpenAction[];
}

export const NO_ACTIONS: ActionsFold = { total: 0, newest: [], open: [] };

export const MAX_COMMAND_CHARACTERS = 80;
/** The newest ones are kept. */
export const MAX_ACTIONS = 100;

type ToolEvent = Extract<TranscriptEvent, { tool: unknown }>;

export function foldActions(fold: ActionsFold, event: ToolEvent): ActionsFold {
  switch (event.type) {
    case "tool_start": {
      const { id, name, input } = event.tool;
      const others = fold.open.filter((action) => action.id !== id).slice(-(MAX_OPEN_TOOLS - 1));
      return { ...fold, open: [...others, { id, name, command: commandOf(input), lines: 0, blank: 0 }] };
    }
    case "tool_output":
      return {
        ...fold,
        open: fold.open.map((action) => (action.id === event.tool.id ? printed(action, event.text) : action)),
      };
    case "tool_end":
      return endAction(fold, event.tool);
  }
}

function endAction(
  fold: ActionsFold,
  { id, status, duration_ms: durationMs }: Extract<ToolEvent, { type: "tool_end" }>["tool"],
): ActionsFold {
  const action = fold.open.find((candidate) => candidate.id === id);
  if (action === undefined) return fold;
  const { name, command, lines } = action;
  const ended: ToolAction = { name, command, status, ...(durationMs === undefined ? {} : { durationMs }), lines };
  return {
    total: fold.total + 1,
    newest: [...fold.newest, ended].slice(-MAX_ACTIONS),
    open: fold.open.filter((candidate) => candidate !== action),
  };
}

function printed(action: OpenAction, text: string): OpenAction {
  const kept = text.trimEnd();
  const after = lineEnds(text) - lineEnds(kept);
  if (kept === "") return { ...action, blank: action.blank + after + 1 };
  return { ...action, lines: action.lines + action.blank + lineEnds(kept) + 1, blank: Math.max(0, after - 1) };
}

function lineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** The keys under which tools are told what to do, most telling first. */
const COMMAND_KEYS = ["command", "cmd", "file_path", "path", "pattern", "query", "url", "prompt", "description"];
const WRAPPED = /^\S*sh -l?c (.*)$/s;
const QUOTED = /^(['"])(.*)\1$/s;

function commandOf(input: unknown): string {
  const fields = asObject(input) ?? {};
  const given = COMMAND_KEYS.map((key) => fields[key]).find(
    (value) => typeof value === "string" || Array.isArray(value),
  );
  const paths = asArray(fields.changes).map((change) => asString(asObject(change)?.path) ?? "");
  const text = Array.isArray(given)
    ? given.filter((word) => typeof word === "string").join(" ")
    : (asString(given) ?? paths.join(", "));
  return cutCommand(text);
}

/** Without the shell that was wrapped around it. */
function cutCommand(text: string): string {
  const inner = WRAPPED.exec(text.slice(0, 10 * MAX_COMMAND_CHARACTERS))?.[1] ?? text;
  const command = (QUOTED.exec(inner)?.[2] ?? inner).trim().split("\n")[0] ?? "";
  return command.length > MAX_COMMAND_CHARACTERS ? `${command.slice(0, MAX_COMMAND_CHARACTERS - 1)}…` : command;
}
