import type { AgentEvent } from "../protocol/agent-events.ts";
import type { CommandNeeds } from "../protocol/asks.ts";
import type { ToolCallPart, ToolResultMessage } from "../protocol/messages.ts";
import type { PreparedCall, Tool, ToolApproval, ToolOutput } from "../protocol/tool-runs.ts";

/** Whether a call may run, and what a command gets with it. The reason is told to the model. */
export type ToolVerdict =
  | { type: "allow"; grant?: CommandNeeds; approval?: ToolApproval }
  | { type: "deny"; reason: string };

export interface ToolRunner {
  findTool(name: string): Tool | undefined;
  /** What the model is told about a name nobody knows. */
  unknownTool(name: string): string;
  /** Hooks and the gate. */
  beforeTool(call: ToolCallPart, prepared: PreparedCall): Promise<ToolVerdict>;
  emit(event: AgentEvent): void | Promise<void>;
  /** Milliseconds from an unknown start. */
  now(): number;
  signal: AbortSignal;
  /** The rest of the batch is dropped: a person said something that counts now. */
  isInterrupted(): boolean;
  /** The result as the model and the journal get it, perhaps with a remark of Ralph's. */
  remark(call: ToolCallPart, result: ToolResultMessage): ToolResultMessage;
}

/**
 * Runs the calls of one answer. Every call gets a result: calls that only read run beside each other, the others in order, and
 * what was not run says why.
 */
export async function runTools(calls: ToolCallPart[], runner: ToolRunner): Promise<ToolResultMessage[]> {
  const results: ToolResultMessage[] = [];
  for (const group of groupsOf(calls, runner)) {
    results.push(...(await runGroup(group, runner)));
  }
  return results;
}

/** Neighbours that only read form a group; everything else stands alone. */
function groupsOf(calls: ToolCallPart[], { findTool }: ToolRunner): ToolCallPart[][] {
  const groups: { reads: boolean; calls: ToolCallPart[] }[] = [];
  for (const call of calls) {
    const reads = findTool(call.name)?.isReadOnly === true;
    const last = groups.at(-1);
    if (reads && last?.reads === true) last.calls.push(call);
    else groups.push({ reads, calls: [call] });
  }
  return groups.map((group) => group.calls);
}

/** The same call twice in one group is run once: both get its result. */
async function runGroup(group: ToolCallPart[], runner: ToolRunner): Promise<ToolResultMessage[]> {
  const running = new Map<string, Promise<Ran>>();
  return Promise.all(
    group.map(async (call) => {
      const key = JSON.stringify([call.name, call.input]);
      const ran = running.get(key) ?? runCall(call, runner);
      running.set(key, ran);
      return settle(call, await ran, runner);
    }),
  );
}

interface Ran {
  output: ToolOutput;
  durationMs: number;
}

/** Every result is told before the next group begins, those of calls that were not run as well. */
async function settle(call: ToolCallPart, { output, durationMs }: Ran, runner: ToolRunner): Promise<ToolResultMessage> {
  const { content, isError = false } = output;
  const plain: ToolResultMessage = { role: "tool-result", toolCallId: call.id, toolName: call.name, content, isError };
  const result = runner.remark(call, plain);
  await runner.emit({ type: "tool-end", toolCallId: call.id, result, durationMs });
  return result;
}

async function runCall(call: ToolCallPart, runner: ToolRunner): Promise<Ran> {
  if (runner.isInterrupted()) return notRun("the person said something new, which comes first");
  const prepared = prepare(call, runner);
  if (typeof prepared === "string") return notRun(prepared);
  if (runner.signal.aborted) return notRun("the turn was stopped");
  const verdict = await runner.beforeTool(call, prepared);
  if (verdict.type === "deny") return notRun(verdict.reason);
  if (runner.signal.aborted) return notRun("the turn was stopped");
  const stale = verdict.approval?.use();
  if (stale !== undefined) return notRun(stale);
  await runner.emit({ type: "tool-start", call });
  const started = runner.now();
  const output = await withinGrace(execute(call, { prepared, verdict }, runner), runner.signal);
  return { output, durationMs: runner.now() - started };
}

function notRun(reason: string): Ran {
  return { output: failed(`Not run: ${reason.replace(/\.$/, "")}.`), durationMs: 0 };
}

function prepare(call: ToolCallPart, { findTool, unknownTool }: ToolRunner): PreparedCall | string {
  const tool = findTool(call.name);
  if (tool === undefined) return unknownTool(call.name);
  if (call.invalidInput !== undefined) return "the arguments were not a JSON object; send them again, complete";
  const prepared = tool.prepare(call.input);
  return "message" in prepared ? prepared.message : prepared;
}

/** A tool that throws has a defect; the turn goes on all the same. */
async function execute(
  call: ToolCallPart,
  { prepared, verdict }: { prepared: PreparedCall; verdict: Extract<ToolVerdict, { type: "allow" }> },
  runner: ToolRunner,
): Promise<ToolOutput> {
  try {
    return await prepared.run({
      call,
      ...(verdict.grant === undefined ? {} : { grant: verdict.grant }),
      ...(verdict.approval === undefined ? {} : { recheck: verdict.approval.recheck }),
      signal: runner.signal,
      update: (text) => void runner.emit({ type: "tool-update", toolCallId: call.id, text }),
    });
  } catch (error) {
    return failed(
      `The tool broke: ${error instanceof Error ? error.message : String(error)}. This is a defect of the tool.`,
    );
  }
}

/** How long a stopped tool has to say what it did. */
const GRACE_MS = 5000;

async function withinGrace(running: Promise<ToolOutput>, signal: AbortSignal): Promise<ToolOutput> {
  const late = Promise.withResolvers<ToolOutput>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onAbort = () => {
    timer = setTimeout(
      () => late.resolve(failed("Stopped: the tool did not end in time, and may have taken effect.")),
      GRACE_MS,
    );
  };
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  const output = await Promise.race([running, late.promise]);
  clearTimeout(timer);
  signal.removeEventListener("abort", onAbort);
  return output;
}

function failed(text: string): ToolOutput {
  return { content: [{ type: "text", text }], isError: true };
}
