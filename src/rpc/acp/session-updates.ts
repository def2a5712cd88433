import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import type { AgentEvent } from "../../protocol/agent-events.ts";
import type { AgentState } from "../../protocol/agent-state.ts";
import type { Ask } from "../../protocol/asks.ts";
import type { ToolCallPart } from "../../protocol/messages.ts";
import type { ModelEvent } from "../../protocol/model-events.ts";
import type { CallIds } from "./call-ids.ts";
import { type Choices, configOptions } from "./session-options.ts";
import { changedFile, isSameTool, plannedDiff, resultContent, shapeOf } from "./tool-shapes.ts";

type Call = Pick<ToolCallPart, "id" | "name" | "input">;

interface OpenCall extends Call {
  /** The file it changes, and what stood there when the model wrote the call. */
  file?: string;
  before?: string;
  isStarted: boolean;
  isAsked: boolean;
  /** The newest of what it printed. */
  printed: string;
}

/** What of the state of an agent an editor shows. */
export type ShownState = Pick<AgentState, "mode" | "model" | "effort" | "tasks" | "context" | "totals">;

export interface SessionUpdatesOptions {
  cwd: string;
  choices: Choices;
  /** The text of a file in the folder as it stands on the disk; undefined where there is none or it is no text one would show. */
  readText(path: string): string | undefined;
  /** What the editor has an update of its own for. */
  shows: { notices: boolean; compaction: boolean };
  ids: CallIds;
}

/** As much of what a command printed as an editor gets while it runs. */
const MOST_PRINTED = 16_000;

/** The events of an agent as updates of its session, one after the other. */
export class SessionUpdates {
  private readonly calls = new Map<string, OpenCall>();
  private known: Pick<AgentState, "mode" | "model" | "effort"> & { tasks: string; usage: string };
  private hasShownAnswer = false;
  private compactions = 0;

  constructor(
    private readonly options: SessionUpdatesOptions,
    state: ShownState,
  ) {
    this.known = knownOf(state);
  }

  /** Nothing that was shown can be taken back: an answer that broke off begins anew only where none of it was. */
  mayRestart(): boolean {
    return !this.hasShownAnswer;
  }

  of(event: AgentEvent): SessionUpdate[] {
    switch (event.type) {
      case "message-start":
        this.hasShownAnswer = false;
        return [];
      case "message-update":
        return this.ofModel(event.event);
      case "message-end":
        return event.message.role === "assistant" ? this.settleCalls(event.message.content) : [];
      case "tool-start":
        return this.started(event.call);
      case "tool-update":
        return this.printed(event.toolCallId, event.text);
      case "tool-end":
        return [this.ended(event)];
      case "state-changed":
        return this.ofState(event.state);
      case "notice":
        return [this.notice(event.level, event.text)];
      case "rules-triggered":
        return [
          this.notice(
            "info",
            `The model is told of rules it broke: ${event.rules.map(({ name }) => name).join(", ")}.`,
          ),
        ];
      case "compaction-start":
      case "compaction-end":
        return [this.compaction(event)];
      default:
        return [];
    }
  }

  /** What changed since it was last told. */
  ofState(state: ShownState): SessionUpdate[] {
    const before = this.known;
    const now = knownOf(state);
    this.known = now;
    const isChosenAnew = now.mode !== before.mode || now.model !== before.model || now.effort !== before.effort;
    return [
      ...(now.tasks === before.tasks ? [] : [planOf(state)]),
      ...(now.mode === before.mode ? [] : [{ sessionUpdate: "current_mode_update", currentModeId: now.mode } as const]),
      ...(isChosenAnew
        ? [{ sessionUpdate: "config_option_update", configOptions: configOptions(now, this.options.choices) } as const]
        : []),
      ...(now.usage === before.usage ? [] : [usageOf(state)]),
    ];
  }

  /** The call somebody is asked about: the one it fits best, of those that have not begun. */
  callOf({ tool, resources }: Pick<Ask, "tool" | "resources">): Call | undefined {
    const waiting = [...this.calls.values()].filter((call) => !call.isStarted && isSameTool(call.name, tool));
    const names = (call: OpenCall) => [
      ...shapeOf(call, this.options.cwd).locations.map(({ path }) => path),
      ...Object.values(call.input),
    ];
    const fits = (call: OpenCall) => resources.some((resource) => names(call).includes(resource));
    const found = waiting.find((call) => !call.isAsked && fits(call)) ?? waiting.find(fits) ?? waiting[0];
    if (found !== undefined) found.isAsked = true;
    return found;
  }

  /** Under which name the editor knows a call. */
  nameOf(id: string): string {
    return this.options.ids.now(id);
  }

  /** What the call would change, for whoever is asked about it. */
  diffOf(id: string): ToolCallContent[] {
    const call = this.calls.get(id);
    return call?.file === undefined ? [] : plannedDiff(call, call.file, call.before);
  }

  notice(level: "info" | "warning" | "error", text: string): SessionUpdate {
    if (this.options.shows.notices) return { sessionUpdate: "notice", severity: level, title: text };
    return { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: `${text}\n` } };
  }

  private ofModel(event: ModelEvent): SessionUpdate[] {
    switch (event.type) {
      case "text-delta":
        this.hasShownAnswer = true;
        return [{ sessionUpdate: "agent_message_chunk", content: { type: "text", text: event.text } }];
      case "thinking-delta":
        return [{ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: event.text } }];
      case "tool-call-end":
        return [this.opened(event)];
      case "attempt-retry":
      case "error":
        return this.settleCalls([]);
      default:
        return [];
    }
  }

  private opened({ id, name, input }: Call): SessionUpdate {
    const { cwd, readText } = this.options;
    const file = changedFile({ name, input }, cwd);
    const before = file?.startsWith(`${cwd}/`) ? readText(file) : undefined;
    const call: OpenCall = { id, name, input, isStarted: false, isAsked: false, printed: "" };
    if (file !== undefined) call.file = file;
    if (before !== undefined) call.before = before;
    this.calls.set(id, call);
    return {
      sessionUpdate: "tool_call",
      toolCallId: this.options.ids.open(id),
      name,
      ...shapeOf(call, cwd),
      status: "pending",
      content: this.diffOf(id),
      rawInput: input,
    };
  }

  /** The calls an answer has in the end: those that came with an attempt that failed are void. */
  private settleCalls(content: readonly { type: string }[]): SessionUpdate[] {
    const calls = content.filter((part): part is ToolCallPart => part.type === "tool-call");
    const isIn = (id: string) => calls.some((call) => call.id === id);
    const gone = [...this.calls.values()].filter((call) => !call.isStarted && !isIn(call.id));
    for (const { id } of gone) this.calls.delete(id);
    return [
      ...gone.map(({ id }) => this.failed(id)),
      ...calls.filter(({ id }) => !this.calls.has(id)).map((call) => this.opened(call)),
    ];
  }

  private failed(id: string): SessionUpdate {
    return { sessionUpdate: "tool_call_update", toolCallId: this.nameOf(id), status: "failed" };
  }

  private started(call: ToolCallPart): SessionUpdate[] {
    const first = this.calls.has(call.id) ? [] : [this.opened(call)];
    const open = this.calls.get(call.id);
    if (open !== undefined) open.isStarted = true;
    return [...first, { sessionUpdate: "tool_call_update", toolCallId: this.nameOf(call.id), status: "in_progress" }];
  }

  /** An update replaces what the editor shows, so the newest of it is sent whole. */
  private printed(id: string, text: string): SessionUpdate[] {
    const call = this.calls.get(id);
    if (call === undefined) return [];
    call.printed = (call.printed + text).slice(-MOST_PRINTED);
    const content: ToolCallContent = { type: "content", content: { type: "text", text: call.printed } };
    return [{ sessionUpdate: "tool_call_update", toolCallId: this.nameOf(id), content: [content] }];
  }

  private ended({ toolCallId, result }: Extract<AgentEvent, { type: "tool-end" }>): SessionUpdate {
    const call = this.calls.get(toolCallId);
    this.calls.delete(toolCallId);
    const diff = call === undefined || result.isError ? [] : this.doneDiff(call);
    return {
      sessionUpdate: "tool_call_update",
      toolCallId: this.nameOf(toolCallId),
      status: result.isError ? "failed" : "completed",
      content: diff.length > 0 ? diff : resultContent(result),
      rawOutput: { content: result.content.map((part) => (part.type === "text" ? part : { type: part.type })) },
    };
  }

  private doneDiff(call: OpenCall): ToolCallContent[] {
    const { file } = call;
    if (file === undefined) return [];
    const planned = plannedDiff(call, file, call.before);
    if (planned.length > 0) return planned;
    const { cwd, readText } = this.options;
    const newText = file.startsWith(`${cwd}/`) ? readText(file) : undefined;
    if (newText === undefined) return [];
    return [{ type: "diff", path: file, ...(call.before === undefined ? {} : { oldText: call.before }), newText }];
  }

  private compaction(event: Extract<AgentEvent, { type: "compaction-start" | "compaction-end" }>): SessionUpdate {
    const isStart = event.type === "compaction-start";
    if (isStart) this.compactions += 1;
    if (!this.options.shows.compaction)
      return this.notice("info", isStart ? `The conversation is shortened: ${event.reason}` : endOf(event.result));
    const status = isStart ? "in_progress" : (STATUS_OF[event.result.type] ?? "completed");
    const problem = !isStart && event.result.type === "failed" ? { error: event.result.problem } : {};
    return {
      sessionUpdate: "compaction_update",
      compactionId: `compaction-${this.compactions}`,
      status,
      ...problem,
    };
  }
}

type CompactionEnd = Extract<AgentEvent, { type: "compaction-end" }>["result"];

const STATUS_OF: Partial<Record<CompactionEnd["type"], string>> = { failed: "failed", interrupted: "cancelled" };

function endOf(result: CompactionEnd): string {
  if (result.type === "failed") return `It could not be shortened: ${result.problem}`;
  if (result.type === "interrupted") return "Shortening was stopped.";
  if (result.type === "promoted") return `It goes on with ${result.model}, which holds more.`;
  return `It has ${result.tokensAfter} tokens now, of ${result.tokensBefore}.`;
}

function knownOf({ mode, model, effort, tasks, context, totals }: ShownState) {
  return { mode, model, effort, tasks: JSON.stringify(tasks), usage: JSON.stringify([context, totals.cost]) };
}

export function planOf({ tasks }: Pick<AgentState, "tasks">): SessionUpdate {
  return {
    sessionUpdate: "plan",
    entries: tasks.map(({ content, priority, status }) => ({ content, priority, status })),
  };
}

function usageOf({ context, totals }: ShownState): SessionUpdate {
  const cost = totals.cost === undefined ? {} : { cost: { amount: totals.cost, currency: "USD" } };
  return { sessionUpdate: "usage_update", used: context.tokens, size: context.window, ...cost };
}
