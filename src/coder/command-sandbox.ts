import { existsSync } from "node:fs";
import type { SandboxState } from "../permissions/sandbox/probe-sandbox.ts";
import type { Sandbox, SandboxOptions } from "../permissions/sandbox/run-sandboxed.ts";
import type { AgentEvent } from "../protocol/agent-events.ts";
import type { SandboxStanding } from "../protocol/agent-state.ts";
import type { CommandToWrap, WrappedCommand } from "../tools/tool-world.ts";

/** What the person chose. */
export interface SandboxChoice {
  mode: "auto" | "off";
  /** Finds out what this system can do. */
  probe(): Promise<SandboxState>;
  /** Where the sandbox keeps what is its own. */
  folder: string;
}

export interface CommandSandboxOptions extends SandboxChoice, Pick<SandboxOptions, "workspace" | "home" | "own"> {
  tell(event: AgentEvent): void;
}

/** The sandbox of one session. Nothing is loaded, tried or made before the first command is wanted. */
export interface CommandSandbox {
  /** Whether commands are confined. Once it said yes, no command runs outside without a grant for that. */
  isInForce(): Promise<boolean>;
  /** `places` are what rules open for every command. */
  wrap(command: CommandToWrap, places: readonly string[]): Promise<WrappedCommand>;
  /** The model is writing a command. */
  expectCommand(): void;
  standing(): SandboxStanding;
  /** After the last command has ended. */
  close(): Promise<void>;
}

export function createCommandSandbox(options: CommandSandboxOptions): CommandSandbox {
  let opening: Promise<Sandbox | undefined> | undefined;
  let standing: SandboxStanding = options.mode === "off" ? "off" : "untried";
  const wrapping = new Set<Promise<WrappedCommand>>();
  const open = async () => {
    const opened = await openSandbox(options);
    standing = opened.standing;
    if (opened.problem !== undefined) options.tell({ type: "notice", level: "warning", text: opened.problem });
    return opened.sandbox;
  };
  const sandbox = () => {
    opening ??= open();
    return opening;
  };
  return {
    isInForce: async () => (await sandbox()) !== undefined,
    async wrap(command, places) {
      const opened = await sandbox();
      if (opened === undefined || command.grant.unsandboxed === true) return asItIs(command);
      const wrapped = wrapWith(opened, { command, places, workspace: options.workspace });
      wrapping.add(wrapped);
      void wrapped.finally(() => wrapping.delete(wrapped));
      return wrapped;
    },
    expectCommand: () => void opening?.then((opened) => opened?.expectCommand()),
    standing: () => standing,
    async close() {
      await Promise.allSettled(wrapping);
      const opened = await opening;
      if (opened === undefined) await tidyUp(options.folder);
      else await opened.close();
    },
  };
}

/** A run without a command removes what a killed one left, too. */
async function tidyUp(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const { removeAbandoned } = await import("../permissions/sandbox/run-sandboxed.ts");
  await removeAbandoned(folder);
}

interface Opened {
  standing: SandboxStanding;
  sandbox?: Sandbox;
  /** Why there is none. */
  problem?: string;
}

async function openSandbox({ mode, probe, ...options }: CommandSandboxOptions): Promise<Opened> {
  if (mode === "off") return { standing: "off", problem: "The sandbox is off: commands run with all your rights." };
  const state = await probe();
  if (state.type === "none") {
    const problem = `There is no sandbox, so commands run with all your rights, and more of them are asked about. ${state.reason}`;
    return { standing: "missing", problem };
  }
  const { createSandbox } = await import("../permissions/sandbox/run-sandboxed.ts");
  return { standing: state.type, sandbox: createSandbox({ ...options, state, writable: [] }) };
}

function asItIs({ argv, environment }: CommandToWrap): WrappedCommand {
  return { ok: true, argv, environment, endsLeftovers: false, notes: [], finish: () => [], hint: () => undefined };
}

interface Wrapping {
  command: CommandToWrap;
  places: readonly string[];
  workspace: string;
}

async function wrapWith(sandbox: Sandbox, { command, places, workspace }: Wrapping): Promise<WrappedCommand> {
  const { grant, argv, cwd, environment } = command;
  const network = grant.network === true;
  const writable = grant.writable ?? [];
  const wrapped = await sandbox.wrap({ argv, cwd, environment, network, writable, places });
  if (!wrapped.ok) return wrapped;
  const { sandboxHint } = await import("../permissions/sandbox/sandbox-hint.ts");
  const { finish } = wrapped;
  return {
    ...wrapped,
    endsLeftovers: true,
    finish: () => finish().map((made) => `The command made something others obey: ${made}. Look at it first.`),
    hint: (output) => sandboxHint(output, { network, workspace }),
  };
}
