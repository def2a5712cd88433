import { relative } from "node:path";
import type { AgentEvent } from "../protocol/agent-events.ts";
import type { Tool } from "../protocol/tool-runs.ts";
import type { ToolDefinition } from "../protocol/tools.ts";
import type { EntryDraft } from "../sessions/session.ts";
import { holdsSomething } from "../system/empty-folder.ts";
import type { AskUser } from "../tools/ask-user.ts";
import type { ToolWorld } from "../tools/tool-world.ts";
import type { CoderOptions } from "./agent.ts";
import type { ToolKit } from "./all-tools.ts";
import { withRulePages } from "./coder-rules.ts";
import { type CommandSandbox, createCommandSandbox, type SandboxChoice } from "./command-sandbox.ts";
import { type Coder, createCoder } from "./create-coder.ts";
import type { OpenJobs } from "./open-jobs.ts";
import { createPendingAnswers, type PendingAnswers } from "./pending-answers.ts";
import { type CoderGateOptions, createCoderGate } from "./permission-gate.ts";
import { createPersonCommands, type PersonCommands } from "./person-commands.ts";
import { keepChoice } from "./session-choices.ts";
import { createStoredQueue } from "./stored-queue.ts";
import { createToldCommands } from "./told-commands.ts";
import type { Toolbox } from "./toolbox.ts";
import { openUndoRecord, type UndoRecord } from "./undo-record.ts";

export interface OpenCoderOptions
  extends Omit<
    CoderOptions,
    "toolbox" | "jobs" | "commands" | "queue" | "pending" | "tell" | "told" | "undo" | "sandboxStanding"
  > {
  world: Omit<ToolWorld, "pin" | "seen" | "beforeChange" | "beforeShell" | "wrapCommand" | "addresses">;
  /** Where long texts and the contents of changed files are kept. */
  blobs: string;
  findRipgrep(): Promise<string | undefined>;
  /** Only these tools; an empty list for none. */
  tools?: readonly string[];
  /** Only tools that look; what a resumed session had, where it is left out. */
  safe?: boolean;
  gate: Omit<CoderGateOptions, "workspace" | "clock" | "askPerson" | "environment" | "tell" | "isSandboxed">;
  sandbox: SandboxChoice;
  /** Whether somebody listens who can answer asks, or questions. Looked up when there is one. */
  hasPerson(about: "asks" | "questions"): boolean;
  waiting: Parameters<typeof createStoredQueue>[1];
}

export interface OpenCoder extends Coder {
  /** The listener gets every event, in order. Returns how to stop that. */
  subscribe(listener: (event: AgentEvent) => void): () => void;
  /** What the person runs themselves. */
  commands: PersonCommands;
  /** Tools of whoever drives the agent, in place of those before. A text says why they are not taken. */
  setHostTools(tools: readonly Tool[]): string | undefined;
  toolDefinitions(): readonly ToolDefinition[];
  /** Every tool there is, whether the model sees it or not. */
  toolNames(): readonly string[];
  /** From now on the model has these tools and no others. A text says why not. */
  restrictTools(names: readonly string[]): string | undefined;
  /** Stops the work and ends what tools left running. The session stays open: who opened it closes it. */
  close(): Promise<void>;
}

/** One working agent, assembled. */
export async function openCoder(options: OpenCoderOptions): Promise<OpenCoder> {
  // A list, made anew with every change: going through a set costs more than all else that is done for a piece of an answer.
  let listeners: readonly ((event: AgentEvent) => void)[] = [];
  const tell = (event: AgentEvent) => {
    for (const listener of listeners) listener(event);
  };
  const subscribe: OpenCoder["subscribe"] = (listener) => {
    listeners = [...listeners, listener];
    return () => {
      listeners = listeners.filter((each) => each !== listener);
    };
  };
  let tellBehind = tell;
  const tellFromOutside = (event: AgentEvent) => {
    options.tape?.outside(event);
    tellBehind(event);
  };
  const pending = createPendingAnswers((event) => tellBehind(event), options.clock, options.tape?.randomId);
  const queue = createStoredQueue(options.session, options.waiting);
  const { session, blobs, clock, world } = options;
  const undo = await openUndoRecord({ session, blobs, clock, environment: world.environment });
  const { home, own } = options.gate;
  const sandbox = createCommandSandbox({ ...options.sandbox, workspace: world.root, home, own, tell: tellFromOutside });
  let tellState = () => {};
  const onJobs = () => tellState();
  const { toolbox, jobs, stop } =
    options.tools?.length === 0 && options.host === undefined
      ? NO_TOOLS
      : await openToolbox(options, { pending, undo, sandbox, onJobs, tell: tellFromOutside });
  subscribe((event) => {
    const begun = begunCall(event);
    if (begun !== undefined && toolbox.findTool(begun)?.name === "shell") sandbox.expectCommand();
  });
  const sandboxStanding = sandbox.standing;
  const told = createToldCommands(session);
  const commands = createPersonCommands(session, { ...world, environment: markedEnvironment(options) });
  const coder = createCoder({ ...options, toolbox, jobs, commands, queue, told, pending, tell, undo, sandboxStanding });
  tellBehind = coder.tell;
  tellState = () =>
    void coder.call("get_state", {}).then((state) => state.ok && tell({ type: "state-changed", state: state.result }));
  return {
    ...coder,
    commands,
    setHostTools: toolbox.setHostTools,
    toolDefinitions: toolbox.advertised,
    toolNames: toolbox.names,
    restrictTools: toolbox.restrictTo,
    subscribe,
    async close() {
      await Promise.all([coder.call("abort", {}), commands.stop()]);
      await stop();
      await sandbox.close();
    },
  };
}

/** The tool the model has begun to write a call of. */
function begunCall(event: AgentEvent): string | undefined {
  return event.type === "message-update" && event.event.type === "tool-call-start" ? event.event.name : undefined;
}

interface OpenToolbox {
  toolbox: Toolbox;
  jobs: OpenJobs;
  /** Ends what tools left running. */
  stop(): Promise<void>;
}

const NO_TOOLS: OpenToolbox = {
  toolbox: {
    advertised: () => [],
    findTool: () => undefined,
    unknownTool: () => "no tools are offered in this run",
    gate: async () => ({ type: "deny", reason: "no tools are offered in this run" }),
    standing: () => "",
    mode: () => "default",
    isSafe: () => false,
    tasks: () => [],
    setMode: () => false,
    setSafe: () => {},
    setTasks: () => {},
    setHostTools: () => "no tools are offered in this run",
    names: () => [],
    restrictTo: () => "no tools are offered in this run",
    sent: () => {},
  },
  jobs: { list: () => [], read: () => undefined, end: async () => undefined },
  stop: async () => {},
};

/** Commands carry the id of their session, so that those a killed Ralph left running are found when it is resumed. */
export const SESSION_MARK = "RALPH_SESSION";

function markedEnvironment({ world, session }: OpenCoderOptions): ToolWorld["environment"] {
  return { ...world.environment, [SESSION_MARK]: session.header.id };
}

interface ToolParts {
  onJobs(): void;
  tell(event: AgentEvent): void;
  pending: PendingAnswers;
  undo: UndoRecord;
  sandbox: CommandSandbox;
}

/** Tools are loaded only where some are offered. */
async function openToolbox(
  options: OpenCoderOptions,
  { pending, undo, sandbox, onJobs, tell }: ToolParts,
): Promise<OpenToolbox> {
  const { createTools } = await import("./all-tools.ts");
  const { createToolbox } = await import("./toolbox.ts");
  const { openJobs } = await import("./open-jobs.ts");
  const { createTaskStore } = await import("../tools/task-list.ts");
  const { createSeenFiles } = await import("../tools/tool-world.ts");
  const { commandEnvironment } = await import("../tools/command-environment.ts");
  const { HELD_NAMES } = await import("../permissions/sandbox/sandbox-rows.ts");
  const { pinPlace } = await import("../permissions/paths/pin-place.ts");
  const { session, known, hasPerson, findRipgrep } = options;
  const changed = (entry: EntryDraft) => void keepChoice(session, entry);
  const tasks = createTaskStore(known.tasks ?? [], (list) => changed({ type: "tasks-changed", tasks: [...list] }));
  const { beforeChange, beforeShell } = undo;
  const gate = createCoderGate({
    ...options.gate,
    workspace: options.world.root,
    clock: options.world.clock,
    askPerson: async (ask) => (hasPerson("asks") ? pending.ask(ask) : undefined),
    isSandboxed: sandbox.isInForce,
    environment: () => commandEnvironment(environment, options.world.environmentNames),
    tell,
  });
  const environment = markedEnvironment(options);
  const addresses = withRulePages(options.host?.addresses, options.rules);
  const world: ToolWorld = {
    ...options.world,
    environment,
    pin: pinPlace,
    seen: createSeenFiles(),
    beforeChange,
    beforeShell,
    mayRead: (path) => gate.mayRead(path),
    mayWrite: (path) => gate.mayWrite(path),
    wrapCommand: (command) => sandbox.wrap(command, gate.commandPlaces()),
    ...(addresses === undefined ? {} : { addresses }),
    ...(options.host?.editor === undefined ? {} : { editor: options.host.editor }),
    isPlaceholder: (path) => HELD_NAMES.includes(relative(options.world.root, path)) && !holdsSomething(path),
  };
  const askUser: AskUser = async (question) =>
    hasPerson("questions") ? pending.question(question) : { type: "nobody-there" };
  const kit = createTools({ world, tasks, findRipgrep, askUser, onJobs });
  const toolbox = createToolbox({
    ...offered(options, kit),
    hostTools: options.host?.tools() ?? [],
    tasks,
    gate: gate.gate,
    changed,
    mayLeaveMode: async (from, to) => (hasPerson("questions") ? mayLeave(pending, from, to) : undefined),
  });
  return { toolbox, jobs: openJobs(kit.jobs), stop: kit.stop };
}

/** Tools that were named for this run replace what a resumed session showed. */
function offered({ tools: wanted, known, safe }: OpenCoderOptions, { tools, core }: ToolKit) {
  const state = { ...known, ...(safe === undefined ? {} : { safe }) };
  // A session that becomes safe for this run shows less from its beginning; one that was safe goes on as it was.
  if (safe === true && known.safe !== true) delete state.advertised;
  if (wanted === undefined) return { tools, core, state };
  const chosen = tools.filter((tool) => [tool.name, ...tool.aliases].some((name) => wanted.includes(name)));
  const { advertised: _, ...rest } = state;
  return { tools: chosen, core: chosen.map((tool) => tool.name), state: rest };
}

async function mayLeave(pending: PendingAnswers, from: string, to: string): Promise<boolean> {
  const question = `The model wants to leave ${from} mode and go on in ${to} mode. May it?`;
  const answer = await pending.question({ question, options: ["yes", "no"], multi: false, about: "leave-mode" });
  return answer.type === "answer" && /^y(es)?$/i.test(answer.answers[0]?.trim() ?? "");
}
