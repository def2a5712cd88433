import type { Message } from "../protocol/messages.ts";
import type { ModelEnd } from "../protocol/model-events.ts";
import type { ModelRequest } from "../protocol/model-request.ts";
import type { Model } from "../protocol/models.ts";
import type { Script, ScriptStep, ScriptTurn } from "../protocol/script.ts";
import type { Clock } from "../system/clock.ts";
import { readTextFile } from "../system/text-file.ts";
import { Assembler } from "./assemble.ts";
import type { Attempt } from "./attempt.ts";
import { ABORTED, RETRYABLE } from "./errors.ts";
import type { WireEvent } from "./wire-protocol.ts";

// A provider that plays a file. It stands where HTTP stands for the others, so everything behind it is the real thing. The
// model's base URL is the path of the script, or `demo:` for the one that ships with Ralph.

export function createScriptedAttempt(model: Model, clock: Clock): Attempt {
  let loading: Promise<Script | ModelEnd> | undefined;
  return async ({ request, number, signal, emit }) => {
    loading ??= loadScript(model.baseUrl);
    const script = await loading;
    if ("type" in script) return { end: script, begun: false };
    const place = answersIn(request.messages);
    const turn = turnFor(turnsOf(script, request.messages), request, place);
    if (turn === undefined)
      return { end: failure(`${model.baseUrl} has no turn for answer ${place + 1}`), begun: false };
    const assembler = new Assembler({ model, tools: request.tools, emit });
    const steps = turn.failures?.[number - 1] ?? turn.steps;
    return play(steps, {
      place,
      clock,
      signal,
      accept: (event) => assembler.accept(event),
      end: (error) => assembler.end(error),
    });
  };
}

interface Stage {
  place: number;
  clock: Clock;
  signal: AbortSignal;
  accept: (event: WireEvent) => void;
  end: Assembler["end"];
}

async function play(steps: ScriptStep[], stage: Stage): ReturnType<Attempt> {
  let begun = false;
  let calls = 0;
  for (const [index, step] of steps.entries()) {
    if ("wait" in step) await stage.clock.sleep(step.wait, stage.signal);
    if (stage.signal.aborted) return { end: stage.end(ABORTED), begun };
    if ("cut" in step) return { end: stage.end(), begun: true };
    if ("error" in step) {
      const { kind, message = `the script says ${kind}`, ...rest } = step.error;
      stage.accept({ type: "fail", error: { kind, message, retryable: RETRYABLE.has(kind), ...rest } });
      return { end: stage.end(), begun };
    }
    if ("tool" in step) calls++;
    for (const event of eventsOf(step, { index, callId: `call_${stage.place + 1}_${calls}` })) {
      begun = true;
      stage.accept(event);
    }
  }
  if (!steps.some((step) => "stop" in step)) stage.accept({ type: "finish", reason: "stop" });
  return { end: stage.end(), begun: true };
}

function eventsOf(step: ScriptStep, { index, callId }: { index: number; callId: string }): WireEvent[] {
  const part = String(index);
  if ("text" in step) {
    const once = listOf(step.text).map((text): WireEvent => ({ type: "text-delta", part: "text", text }));
    return step.repeat === undefined ? once : Array.from({ length: step.repeat }, () => once).flat();
  }
  if ("thinking" in step) {
    return listOf(step.thinking).map((text): WireEvent => ({ type: "thinking-delta", part: "thinking", text }));
  }
  if ("tool" in step) {
    const { name, id = callId, input = {}, raw = JSON.stringify(input) } = step.tool;
    const deltas = listOf(raw).map((text): WireEvent => ({ type: "tool-call-delta", part, text }));
    return [{ type: "tool-call-start", part, id, name }, ...deltas, { type: "tool-call-end", part }];
  }
  if ("usage" in step) return [{ type: "usage", usage: step.usage }];
  if ("stop" in step) return [{ type: "finish", reason: step.stop }];
  return [];
}

function listOf(deltas: string | string[]): string[] {
  return typeof deltas === "string" ? [deltas] : deltas;
}

function answersIn(messages: Message[]): number {
  return messages.filter((message) => message.role === "assistant").length;
}

function turnsOf({ conversations = [], turns }: Script, messages: Message[]): ScriptTurn[] {
  const first = messages.find((message) => message.role === "user");
  const opening = first === undefined ? "" : textOf(first);
  return conversations.find(({ opens }) => listOf(opens).every((text) => opening.includes(text)))?.turns ?? turns;
}

function turnFor(turns: ScriptTurn[], request: ModelRequest, place: number): ScriptTurn | undefined {
  const asked = newestUserText(request.messages);
  const conditional = turns.find((turn) => turn.when !== undefined && asked.includes(turn.when));
  if (conditional !== undefined) return conditional;
  let before = 0;
  return turns.find((turn) => {
    if (turn.when !== undefined) return false;
    before += turn.repeat ?? 1;
    return place < before;
  });
}

function newestUserText(messages: Message[]): string {
  const newest = messages.findLast((message) => message.role === "user");
  return newest === undefined ? "" : textOf(newest);
}

function textOf({ content }: Message): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

const MAX_BYTES = 10_000_000;

/** YAML, of which JSON is a part. */
async function loadScript(path: string): Promise<Script | ModelEnd> {
  if (path === "demo:") {
    const { default: demo } = await import("./demo-script.yml", { with: { type: "text" } });
    return parseScript(path, String(demo));
  }
  const file = readTextFile(path, { maxBytes: MAX_BYTES });
  return file.ok ? parseScript(path, file.text) : failure(`the script cannot be played: ${file.message}`);
}

async function parseScript(path: string, text: string): Promise<Script | ModelEnd> {
  const { script } = await import("../protocol/script.ts");
  let document: unknown;
  try {
    document = Bun.YAML.parse(text);
  } catch (error) {
    return failure(`${path} is not YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  const parsed = script.safeParse(document);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  return failure(`${path} is not a script: ${issue?.path.join(".") || "the file"}: ${issue?.message ?? "wrong form"}`);
}

function failure(message: string): ModelEnd {
  return { type: "error", error: { kind: "invalid-request", message, retryable: false } };
}
