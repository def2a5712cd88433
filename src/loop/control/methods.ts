import { asNumber, asString } from "../../protocol/json.ts";
import { isSubscription, SUBSCRIPTIONS } from "./event-types.ts";
import type { ControlOutcome, LoopControls, LoopStatus, TerminalSize } from "./loop-controls.ts";
import { WIRE_ZONE, wireTime } from "./wire-time.ts";

// Every method of the control socket: what its params must be, and what it answers.

export const ERROR = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
} as const;

/** What a method works with: the loop, and the connection the request came over. */
export interface MethodWorld {
  controls: LoopControls;
  subscriptions: {
    list(): string[];
    change(events: readonly string[], isWanted: boolean): void;
  };
  recentOutput(): string[];
  /** The number of the newest `x/pty` event: a screen shows everything up to it. */
  ptySequence(): number;
  /** Tells subscribers what is different about the status. */
  stateChanged(): void;
  /** Tells subscribers about something that is no field of the status. */
  announce(data: Readonly<Record<string, unknown>>): void;
  /** Whether interactive mode ends with this connection. */
  holdInteractive(isHeld: boolean): void;
}

export type Answer = { ok: true; result: unknown } | { ok: false; code: number; message: string };
export type Params = Readonly<Record<string, unknown>>;
export type Method = (params: Params, world: MethodWorld) => Answer | Promise<Answer>;

type Read<Value> = { ok: true; value: Value } | { ok: false; message: string };

export const MAX_PROMPT_CHARACTERS = 100_000;
const MAX_TERMINAL_SIDE = 1000;

/** A map, so that no name of an object's own finds anything. */
export const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["get_status", (_, { controls, recentOutput }) => done(statusResult(controls.status(), recentOutput()))],
  ["stop", async (_, { controls }) => after(await controls.stop(), { status: "stop_requested" })],
  ["checkpoint", async (_, { controls }) => after(await controls.checkpoint(), { status: "checkpoint_requested" })],
  ["inject_prompt", method(readPrompt, injectPrompt)],
  ["set_interactive_mode", method(readInteractive, setInteractive)],
  ["write_pty", method(readData, (data, { controls }) => done(controls.writePty(data) ? FORWARDED : IGNORED))],
  ["subscribe", method(readWanted, (events, world) => subscribed(world, events, true))],
  ["unsubscribe", method(readEvents, (events, world) => subscribed(world, events, false))],
  ["x/events", method(readSwitch, (isOn, world) => subscribed(world, ["x/entry"], isOn))],
  ["x/get_receipts", (_, { controls }) => done({ receipts: controls.receipts() })],
  ["x/get_stories", (_, { controls }) => done({ stories: controls.stories() })],
  ["x/resize_pty", method(readSize, resizePty)],
  ["x/screen", showScreen],
]);

const FORWARDED = { status: "forwarded" };
const IGNORED = { status: "ignored", reason: "not in interactive mode" };

export function statusResult(status: LoopStatus, recentOutput: readonly string[]): Record<string, unknown> {
  return {
    task_name: status.taskName,
    task_dir: status.taskDirectory,
    ...changingFields(status),
    started_at: wireTime(status.startedAt),
    updated_at: wireTime(status.updatedAt),
    recent_output: recentOutput,
    zone: WIRE_ZONE,
  };
}

/** The fields whose changes are announced. */
export function changingFields(status: LoopStatus): Record<string, unknown> {
  return {
    iteration: status.iteration,
    max_iterations: status.maxIterations,
    current_story: status.currentStory ?? "",
    agent: status.agent,
    status: status.status,
    interactive_mode: status.interactive,
    mode_indicator: status.interactive ? "INTERACTIVE" : "AUTO",
  };
}

function method<Value>(
  read: (params: Params) => Read<Value>,
  run: (value: Value, world: MethodWorld) => Answer | Promise<Answer>,
): Method {
  return (params, world) => {
    const given = read(params);
    if (given.ok) return run(given.value, world);
    return { ok: false, code: ERROR.invalidParams, message: `Invalid params: ${given.message}` };
  };
}

async function injectPrompt(prompt: string, { controls, announce }: MethodWorld): Promise<Answer> {
  const outcome = await controls.inject(prompt);
  if (outcome.ok) announce({ injected_prompt: prompt });
  return after(outcome, { status: "prompt_injected", prompt });
}

async function setInteractive({ enabled, isHeld }: Interactive, world: MethodWorld): Promise<Answer> {
  const outcome = await world.controls.setInteractive(enabled);
  if (outcome.ok) world.holdInteractive(enabled && isHeld);
  world.stateChanged();
  return after(outcome, { interactive_mode: enabled });
}

function subscribed({ subscriptions }: MethodWorld, events: readonly string[], isWanted: boolean): Answer {
  subscriptions.change(events, isWanted);
  return done({ subscribed: subscriptions.list() });
}

function resizePty(size: TerminalSize, { controls }: MethodWorld): Answer {
  controls.resizePty(size);
  return done({ status: "resized" });
}

async function showScreen(_: Params, { controls, ptySequence }: MethodWorld): Promise<Answer> {
  // Before the screen is drawn: what comes meanwhile is not on it.
  const sequence = ptySequence();
  const screen = await controls.screen();
  return done(screen === undefined ? IGNORED : { ...screen, sequence });
}

function done(result: unknown): Answer {
  return { ok: true, result };
}

function after(outcome: ControlOutcome, result: unknown): Answer {
  if (outcome.ok) return done(result);
  return { ok: false, code: ERROR.internal, message: `Internal error: ${outcome.message}` };
}

function readPrompt(params: Params): Read<string> {
  const prompt = asString(own(params, "prompt"))?.trim() ?? "";
  if (prompt === "") return no("prompt must be a text that is not empty");
  if (prompt.length <= MAX_PROMPT_CHARACTERS) return { ok: true, value: prompt };
  return no(`prompt may have at most ${MAX_PROMPT_CHARACTERS} characters and has ${prompt.length}`);
}

interface Interactive {
  enabled: boolean;
  isHeld: boolean;
}

function readInteractive(params: Params): Read<Interactive> {
  const enabled = own(params, "enabled");
  if (typeof enabled !== "boolean") return no("enabled must be true or false");
  return { ok: true, value: { enabled, isHeld: own(params, "x_while_connected") === true } };
}

function readData(params: Params): Read<string> {
  const data = asString(own(params, "data")) ?? "";
  return data === "" ? no("data must be a text that is not empty") : { ok: true, value: data };
}

function readEvents(params: Params): Read<string[]> {
  const events = own(params, "events");
  if (!Array.isArray(events) || !events.every((event) => typeof event === "string"))
    return no("events must be a list of names");
  return { ok: true, value: events };
}

function readWanted(params: Params): Read<string[]> {
  const read = readEvents(params);
  const unknown = read.ok ? read.value.find((event) => !isSubscription(event)) : undefined;
  if (unknown === undefined) return read;
  return no(`unknown event type: ${unknown.slice(0, 100)} (there are: ${SUBSCRIPTIONS.join(", ")})`);
}

/** On, where nothing is said. */
function readSwitch(params: Params): Read<boolean> {
  const enabled = own(params, "enabled") ?? true;
  return typeof enabled === "boolean" ? { ok: true, value: enabled } : no("enabled must be true or false");
}

function readSize(params: Params): Read<TerminalSize> {
  const columns = side(own(params, "columns"));
  const rows = side(own(params, "rows"));
  if (columns !== undefined && rows !== undefined) return { ok: true, value: { columns, rows } };
  return no(`columns and rows must be whole numbers from 1 to ${MAX_TERMINAL_SIDE}`);
}

function side(value: unknown): number | undefined {
  const number = asNumber(value);
  return Number.isInteger(number) && number !== undefined && number >= 1 && number <= MAX_TERMINAL_SIDE
    ? number
    : undefined;
}

function no(message: string): { ok: false; message: string } {
  return { ok: false, message };
}

function own(params: Params, key: string): unknown {
  return Object.hasOwn(params, key) ? params[key] : undefined;
}
