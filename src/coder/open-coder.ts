import { relative } from "node:path";
import type { AgentEvent } from "../protocol/agent-events.ts";
import type { EntryDraft } from "../sessions/session.ts";
import { holdsSomething } from "../system/empty-folder.ts";
import type { AskUser } from "../tools/ask-user.ts";
import type { ToolWorld } from "../tools/tool-world.ts";
import type { CoderOptions } from "./agent.ts";
import type { ToolKit } from "./all-tools.ts";
import { type CommandSandbox, createCommandSandbox, type SandboxChoice } from "./command-sandbox.ts";
import { type Coder, createCoder } from "./create-coder.ts";
import { createPendingAnswers, type PendingAnswers } from "./pending-answers.ts";
import { type CoderGateOptions, createCoderGate } from "./permission-gate.ts";
import { keepChoice } from "./session-choices.ts";
import { createStoredQueue } from "./stored-queue.ts";
import type { Toolbox } from "./toolbox.ts";
import { openUndoRecord, type UndoRecord } from "./undo-record.ts";

export interface OpenCoderOptions
  extends Omit<CoderOptions, "toolbox" | "queue" | "pending" | "tell" | "undo" | "sandboxStanding"> {
  world: Omit<ToolWorld, "pin" | "seen" | "beforeChange" | "beforeShell" | "wrapCommand">;
  /** Where long texts and the contents of changed files are kept. */
  blobs: string;
  findRipgrep(): Promise<string | undefined>;
  /** Only these tools; an empty list for none. */
  tools?: readonly string[];
  /** Only tools that look; what a resumed session had, where it is left out. */
  safe?: boolean;
  gate: Omit<CoderGateOptions, "workspace" | "clock" | "askPerson" | "environment" | "tell" | "isSandboxed">;
  sandbox: SandboxChoice;
  /** Whether somebody listens who can answer asks and questions. Looked up when there is a question. */
  hasPerson(): boolean;
  waiting: Parameters<typeof createStoredQueue>[1];
}

export interface OpenCoder extends Coder {
  /** The listener gets every event, in order. Returns how to stop that. */
  subscribe(listener: (event: AgentEvent) => void): () => void;
  /** Stops the work and ends what tools left running. The session stays open: who opened it closes it. */
  close(): Promise<void>;
}

/** One working agent, assembled. */
export async function openCoder(options: OpenCoderOptions): Promise<OpenCoder> {
  const listeners = new Set<(event: AgentEvent) => void>();
  const tell = (event: AgentEvent) => {
    for (const listener of listeners) listener(event);
  };
  const pending = createPendingAnswers(tell, options.clock);
  const queue = createStoredQueue(options.session, options.waiting);
  const { session, blobs, clock, world } = options;
  const undo = await openUndoRecord({ session, blobs, clock, environment: world.environment });
  const { home, own } = options.gate;
  const sandbox = createCommandSandbox({ ...options.sandbox, workspace: world.root, home, own, tell });
  const { toolbox, stop } =
    options.tools?.length === 0 ? NO_TOOLS : await openToolbox(options, { pending, undo, sandbox, tell });
  listeners.add((event) => {
    const begun = begunCall(event);
    if (begun !== undefined && toolbox.findTool(begun)?.name === "shell") sandbox.expectCommand();
  });
  const sandboxStanding = sandbox.standing;
  const coder = createCoder({ ...options, toolbox, queue, pending, tell, undo, sandboxStanding });
  return {
    ...coder,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      await coder.call("abort", {});
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
  },
  stop: async () => {},
};

/** Commands carry the id of their session, so that those a killed Ralph left running are found when it is resumed. */
export const SESSION_MARK = "RALPH_SESSION";

interface ToolParts {
  tell(event: AgentEvent): void;
  pending: PendingAnswers;
  undo: UndoRecord;
  sandbox: CommandSandbox;
}

/** Tools are loaded only where some are offered. */
async function openToolbox(
  options: OpenCoderOptions,
  { pending, undo, sandbox, tell }: ToolParts,
): Promise<OpenToolbox> {
  const { createTools } = await import("./all-tools.ts");
  const { createToolbox } = await import("./toolbox.ts");
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
    askPerson: async (ask) => (hasPerson() ? pending.ask(ask) : undefined),
    isSandboxed: sandbox.isInForce,
    environment: () => commandEnvironment(environment, options.world.environmentNames),
    tell,
  });
  const environment = { ...options.world.environment, [SESSION_MARK]: session.header.id };
  const world: ToolWorld = {
    ...options.world,
    environment,
    pin: pinPlace,
    seen: createSeenFiles(),
    beforeChange,
    beforeShell,
    mayRead: (path) => gate.mayRead(path),
    wrapCommand: (command) => sandbox.wrap(command, gate.commandPlaces()),
    isPlaceholder: (path) => HELD_NAMES.includes(relative(options.world.root, path)) && !holdsSomething(path),
  };
  const askUser: AskUser = async (question) => (hasPerson() ? pending.question(question) : { type: "nobody-there" });
  const kit = createTools({ world, tasks, findRipgrep, askUser });
  const toolbox = createToolbox({
    ...offered(options, kit),
    tasks,
    gate: gate.gate,
    changed,
    mayLeaveMode: async (from, to) => (hasPerson() ? mayLeave(pending, from, to) : undefined),
  });
  return { toolbox, stop: kit.stop };
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
  const answer = await pending.question({ question, options: ["yes", "no"], multi: false });
  return answer.type === "answer" && /^y(es)?$/i.test(answer.answers[0]?.trim() ?? "");
}
