import { App } from "../../src/interactive/app.ts";
import { AGENT_COMMANDS } from "../../src/interactive/commands/agent-commands.ts";
import { JOB_COMMANDS } from "../../src/interactive/commands/job-commands.ts";
import { KEY_COMMANDS } from "../../src/interactive/commands/key-commands.ts";
import { SCREEN_COMMANDS } from "../../src/interactive/commands/screen-commands.ts";
import { SESSION_COMMANDS } from "../../src/interactive/commands/session-commands.ts";
import { createKeyMap, type KeyWishes } from "../../src/interactive/keys/key-map.ts";
import type { AgentFace, InteractiveServices, OpenedAgent } from "../../src/interactive/services.ts";
import type { AgentEvent } from "../../src/protocol/agent-events.ts";
import type { AgentState } from "../../src/protocol/agent-state.ts";
import type { Ask } from "../../src/protocol/asks.ts";
import type { AssistantMessage, Message, ToolCallPart, ToolResultMessage } from "../../src/protocol/messages.ts";
import type { MethodAnswer, MethodName, MethodParams } from "../../src/protocol/methods.ts";
import { chordOfCharacter, readChord } from "../../src/tui/keys/chord.ts";
import { createScreen } from "../../src/tui/screen/create-screen.ts";
import type { ColourDepth } from "../../src/tui/style/colours.ts";
import type { ThemeName } from "../../src/tui/style/theme.ts";
import { openEmulator } from "./emulated-terminal.ts";

// A conversation in an emulated terminal, with an agent whose events the test gives and whose answers it decides.

export const ALL_COMMANDS = [
  ...SCREEN_COMMANDS,
  ...AGENT_COMMANDS,
  ...SESSION_COMMANDS,
  ...JOB_COMMANDS,
  ...KEY_COMMANDS,
];

export const SAMPLE_STATE: AgentState = {
  sessionId: "0199-session",
  sessionPath: "/sessions/one.jsonl",
  leafId: null,
  model: "acme/large-1",
  effort: "medium",
  mode: "default",
  safe: false,
  sandbox: "bubblewrap",
  isBusy: false,
  autoCompaction: true,
  queueModes: { steering: "all", followUp: "all", interrupt: "immediate" },
  waiting: [],
  asks: [],
  tasks: [],
  jobs: 0,
  limits: { turns: 200 },
  tools: ["read_file", "shell"],
  context: { tokens: 0, window: 200_000 },
  totals: { turns: 0, usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, largestPrompt: 0 },
};

export interface OpenOptions {
  columns?: number;
  rows?: number;
  theme?: ThemeName;
  depth?: ColourDepth;
  keys?: Partial<KeyWishes>;
  history?: readonly string[];
  earlier?: readonly Message[];
  services?: Partial<InteractiveServices>;
  /** What the agent answers; the ordinary answer where it is undefined. */
  answer?: (name: MethodName, params: unknown) => MethodAnswer<MethodName> | undefined;
}

export function openOnScreen(options: OpenOptions = {}) {
  const { columns = 80, rows = 24, theme = "dark", depth = "16" } = options;
  const terminal = openEmulator({ columns, rows });
  const agent = createTestAgent(options);
  let clock = 10_000;
  let exits = 0;
  const screen = createScreen({
    write: terminal.write,
    size: terminal.size,
    print: { depth, hasLinks: false },
    modes: { hasBracketedPaste: true, hasExtendedKeys: true, hasFocusReports: false },
    reflow: () => "xterm.js",
    setTimer: () => () => {},
    now: () => clock,
    isPlain: false,
  });
  const app = new App({
    agent: agent.opened,
    services: { ...SAMPLE_SERVICES, ...options.services },
    keys: createKeyMap({ preset: "default", bindings: {}, ...options.keys }).keys,
    commands: ALL_COMMANDS,
    history: options.history ?? [],
    draft: "",
    theme,
    hasAsciiGlyphs: theme === "ascii",
    hasLinks: false,
    now: () => clock,
    changed: () => {},
    onSuspend: () => {},
    onExit: () => {
      exits++;
    },
  });
  const show = () => {
    const size = terminal.size();
    screen.commit(app.takeFinished(size));
    const frame = app.frame(size);
    screen.draw(frame.lines, frame.cursor);
    return frame;
  };
  const press = (...keys: string[]) => {
    for (const key of keys) {
      app.onInput(keyEvent(key));
      show();
    }
  };
  screen.start();
  show();
  return {
    app,
    terminal,
    calls: agent.calls,
    exits: () => exits,
    show,
    press,
    /** Letters one by one, as a person types them. */
    type(text: string) {
      press(...text);
    },
    play(...events: AgentEvent[]) {
      for (const event of events) {
        agent.emit(event);
        show();
      }
    },
    /** Events without a frame between them. */
    emit: agent.emit,
    pass(milliseconds: number) {
      clock += milliseconds;
      show();
    },
    /** All work that was begun is over. */
    async settle() {
      for (let round = 0; round < 10; round++) await Promise.resolve();
      await new Promise<void>((resolve) => setImmediate(resolve));
      show();
    },
    /** The screen without blank rows at its end. */
    async seen(): Promise<string[]> {
      return terminal.lines();
    },
  };
}

/** A chord like `ctrl+p`, or what a key types. */
export function keyEvent(key: string) {
  const isCharacter = [...key].length === 1;
  const chord = isCharacter ? chordOfCharacter(key) : (readChord(key) ?? key);
  return { type: "key" as const, chord, phase: "press" as const, ...(isCharacter && { text: key }) };
}

function createTestAgent({ earlier = [], answer }: OpenOptions) {
  const listeners = new Set<(event: AgentEvent) => void>();
  const calls: [MethodName, unknown][] = [];
  const face: AgentFace = {
    async call<Name extends MethodName>(name: Name, params: MethodParams<Name>): Promise<MethodAnswer<Name>> {
      calls.push([name, params]);
      const given = answer?.(name, params) ?? { ok: true, result: ordinary(name, params) };
      return given as MethodAnswer<Name>;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const opened: OpenedAgent = { face, state: SAMPLE_STATE, earlier, leftOut: 0, close: async () => {} };
  return {
    opened,
    calls,
    emit: (event: AgentEvent) => {
      for (const listener of listeners) listener(event);
    },
  };
}

/** Choices are answered with what was chosen. */
function ordinary(name: MethodName, params: unknown): unknown {
  const given = params as Record<string, unknown>;
  switch (name) {
    case "set_model":
      return { model: given.model, effort: "medium" };
    case "get_state":
      return SAMPLE_STATE;
    case "take_back":
      return {};
    case "undo_compaction":
      return { undone: true };
    case "fork":
      return { sessionId: "two", path: "/sessions/two.jsonl" };
    default:
      return given;
  }
}

export const SAMPLE_SERVICES: InteractiveServices = {
  openAgent: async () => ({ ok: false, message: "there is no other session" }),
  listSessions: async () => [],
  searchSessions: async () => [],
  sessionTree: async () => [],
  listModels: async () => [],
  listFiles: async () => ["src/app.ts", "src/frame.ts", "README.md"],
  editText: async () => undefined,
  copyText: async () => true,
  pastePicture: async () => undefined,
  exportSession: async (path) => ({ ok: true, text: path }),
  undo: async () => ({ ok: true, text: "src/app.ts" }),
  loadHistory: async () => [],
  storePrompt: () => {},
  loadDraft: async () => "",
  storeDraft: () => {},
  customCommands: async () => [],
  permissionsText: async () => "",
  settingsText: async () => "",
  doctorText: async () => "",
  gitBranch: async () => undefined,
  notify: () => {},
};

/** An answer as it streams, then whole. */
export function answerEvents(text: string, calls: readonly ToolCallPart[] = []): AgentEvent[] {
  return [
    { type: "message-start", role: "assistant" },
    { type: "message-update", event: { type: "text-start", index: 0 } },
    ...text
      .split(/(?<=\s)/)
      .map((delta): AgentEvent => ({ type: "message-update", event: { type: "text-delta", index: 0, text: delta } })),
    { type: "message-update", event: { type: "text-end", index: 0 } },
    { type: "message-end", message: assistant(text, calls) },
  ];
}

export function assistant(text: string, calls: readonly ToolCallPart[] = []): AssistantMessage {
  return {
    role: "assistant",
    content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...calls],
    provider: "acme",
    api: "scripted",
    model: "large-1",
    stopReason: calls.length > 0 ? "tool-use" : "stop",
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  };
}

export function user(text: string): AgentEvent {
  return { type: "message-end", message: { role: "user", content: [{ type: "text", text }] } };
}

export function toolCall(id: string, name: string, input: Record<string, unknown>): ToolCallPart {
  return { type: "tool-call", id, name, input };
}

export function toolEnd(
  call: ToolCallPart,
  text: string,
  { isError = false, durationMs = 1500 }: { isError?: boolean; durationMs?: number } = {},
): AgentEvent {
  const result: ToolResultMessage = {
    role: "tool-result",
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: "text", text }],
    isError,
  };
  return { type: "tool-end", toolCallId: call.id, result, durationMs };
}

export const STARTED: AgentEvent = { type: "agent-start", version: 1, model: "acme/large-1", effort: "medium" };
export const DONE: AgentEvent = {
  type: "agent-end",
  outcome: { type: "done" },
  totals: { turns: 1, usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } },
};

export function sampleAsk(changes: Partial<Ask> = {}): Ask {
  return {
    id: "ask-1",
    tool: "shell",
    category: "shell",
    resources: ["npm install left-pad"],
    cwd: "/work",
    rules: ["Bash(npm install:*)"],
    summary: "npm install left-pad",
    digest: "0123456789abcdef0123",
    boundTo: ["the command", "the folder /work"],
    options: ["yes", "session", "always", "no", "never"],
    expiresAt: Date.now() + 30 * 60_000,
    ...changes,
  };
}
