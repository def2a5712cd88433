import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, release } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../system/clock.ts";
import { fileFailure } from "../../system/file-failure.ts";
import { argumentsContain, findProcess, listProcesses } from "../../system/process-table.ts";
import type { ProcessAhead } from "../../system/run-process.ts";
import { LONGEST_ORDER } from "../../system/start-ahead.ts";
import type { OwnFolders } from "../paths/own-folders.ts";
import { PROTECTED_NAMES } from "../paths/protected-names.ts";
import { bubblewrapArguments, orderFor, waitingArguments } from "./bubblewrap.ts";
import { gitDetours } from "./git-folders.ts";
import { createHeldNames, namesToHold } from "./held-names.ts";
import { lookAtPlaces } from "./look-at-places.ts";
import type { SandboxState } from "./probe-sandbox.ts";
import { sandboxEnvironment } from "./sandbox-environment.ts";
import { type SandboxProfile, sandboxProfile } from "./sandbox-profile.ts";
import { seatbeltArguments } from "./seatbelt.ts";
import { createWaitingSandbox, type SandboxStart, type WaitingSandbox } from "./waiting-sandbox.ts";
import { lookForNames, type NameOnDisk, newNames } from "./workspace-names.ts";

export interface SandboxOptions {
  /** A sandbox that works here; what to do where there is none is not decided here. */
  state: Exclude<SandboxState, { type: "none" }>;
  /** Fixed at start, absolute, links resolved. */
  workspace: string;
  /** Further places a person lets commands write to, absolute, links resolved. */
  writable: readonly string[];
  home: string;
  own: OwnFolders;
  /** Where the sandbox keeps what is its own: folders for caches and temporary files, and who holds which names. */
  folder: string;
}

export interface SandboxCommand {
  argv: readonly string[];
  cwd: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Given by a person or a rule, never by the model. */
  network: boolean;
  /** Files and folders this command may write to besides, absolute. Given in the same way. */
  writable?: readonly string[];
  /** The same, but open for every command at the moment. */
  places?: readonly string[];
}

export type SandboxedCommand =
  | {
      ok: true;
      argv: string[];
      environment: Record<string, string | undefined>;
      /** The same command in a sandbox that is made already, for `runProcess`. */
      ahead?: ProcessAhead;
      /** What the sandbox could not guard, in sentences. */
      notes: string[];
      /** To be called when the command and all its processes are gone, or it was not run. Says what it made that others will obey. */
      finish(): string[];
    }
  | { ok: false; message: string };

export interface Sandbox {
  wrap(command: SandboxCommand): Promise<SandboxedCommand>;
  /** A command is near: makes a sandbox like the one before ahead, unless one waits. */
  expectCommand(): Promise<void>;
  /** Removes the temporary files of the session and every name held. */
  close(): Promise<void>;
}

const HELD = "held";

/** Removes what a killed Ralph left, where there is something. `folder` is that of the sandbox. */
export async function removeAbandoned(folder: string): Promise<void> {
  await createHeldNames({ folder: join(folder, HELD) }).removeAbandoned();
  removeAbandonedSessions(join(folder, "sessions"));
}

/** Confines the commands of one session. Nothing is made before the first command. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { folder } = options;
  const waiting = createWaitingSandbox();
  const held = createHeldNames({ folder: join(folder, HELD), beforeLetGo: waiting.end });
  const session = join(folder, "sessions", sessionName());
  let prepared: Promise<void> | undefined;
  /** Of the last command without a grant of its own. */
  let usual: Plan | undefined;
  let expecting = Promise.resolve();
  let isClosed = false;

  const prepareNext = () => {
    if (!isClosed && usual?.start !== undefined) waiting.prepare(usual.start);
  };
  const expect = async () => {
    if (isClosed || usual?.start === undefined) return;
    const hold = await held.hold(usual.toHold);
    if (!hold.ok) return;
    prepareNext();
    hold.release();
  };
  return {
    async wrap(command) {
      prepared ??= removeAbandoned(folder);
      await prepared;
      const problem = makeSession(session);
      if (problem !== undefined) return { ok: false, message: problem };
      const roots = rootsOf(options, command);
      const toHold = namesToHoldIn(options, roots);
      const hold = await held.hold(toHold);
      if (!hold.ok) return hold;
      const plan = planFor(options, { command, session, roots, toHold });
      const ahead = await startOf(waiting, plan, command);
      return {
        ok: true,
        ...commandOf(plan, ahead),
        finish() {
          void ahead?.process.end();
          if (isUsual(command)) usual = plan;
          // Once the result is on its way: the next is made while the model thinks about it.
          systemClock.timer(0, prepareNext);
          hold.release();
          return madeSince(plan);
        },
      };
    },
    async expectCommand() {
      expecting = expecting.then(expect);
      await expecting;
    },
    async close() {
      isClosed = true;
      await expecting;
      await waiting.end();
      await held.close();
      removeQuietly(session);
    },
  };
}

/** The workspace first. */
function rootsOf({ workspace, writable }: SandboxOptions, command: SandboxCommand): string[] {
  const further = new Set([...writable, ...(command.places ?? []), ...(command.writable ?? [])]);
  return [workspace, ...[...further].flatMap(realPlace)];
}

function namesToHoldIn({ state, home }: SandboxOptions, roots: readonly string[]): string[] {
  return state.type === "bubblewrap" ? roots.flatMap((root) => namesToHold(root, home)) : [];
}

/** How one command is run, decided from what stands on the disk now. */
interface Plan {
  argv: string[];
  environment: Record<string, string | undefined>;
  /** Of the same sandbox, made before the command is known; undefined where that cannot be done. */
  start: SandboxStart | undefined;
  notes: string[];
  roots: readonly string[];
  toHold: readonly string[];
  /** What is there of protected names and of what leads git elsewhere. */
  names: readonly NameOnDisk[];
  detours: readonly string[];
}

interface Planning extends Pick<Plan, "roots" | "toHold"> {
  command: SandboxCommand;
  session: string;
}

function planFor(options: SandboxOptions, { command, session, roots, toHold }: Planning): Plan {
  const { state, folder } = options;
  const { cwd, network } = command;
  const ownCaches = join(folder, "caches");
  const { findings, names, notes } = lookAtPlaces({ ...options, roots, network, ownCaches });
  const isLinux = state.type === "bubblewrap";
  const profile = sandboxProfile({
    ...options,
    ...sessionPlaces(session),
    writable: roots.slice(1),
    ownCaches,
    network,
    platform: isLinux ? "linux" : "darwin",
    mostProcesses: mostProcesses(),
    protectedNames: PROTECTED_NAMES,
    findings,
  });
  const ownPlaces = isLinux
    ? { temporary: "/tmp", caches: undefined }
    : { temporary: profile.temporary, caches: ownCaches };
  const environment = sandboxEnvironment(command.environment, ownPlaces);
  const places = profile.layers.map(({ path }) => path);
  return {
    argv: wrapped(state, profile, command),
    environment,
    start: isLinux ? { argv: waitingArguments(state.program, profile, cwd), cwd, environment, places } : undefined,
    notes,
    roots,
    toHold,
    names,
    detours: roots.flatMap(gitDetours),
  };
}

async function startOf(
  waiting: WaitingSandbox,
  { start }: Plan,
  { argv }: SandboxCommand,
): Promise<ProcessAhead | undefined> {
  const order = orderFor(argv);
  if (start === undefined || Buffer.byteLength(order) > LONGEST_ORDER) return undefined;
  const process = await waiting.take(start);
  return process === undefined ? undefined : { process, order };
}

function commandOf({ argv, environment, notes }: Plan, ahead: ProcessAhead | undefined) {
  return { argv, environment, notes, ...(ahead === undefined ? {} : { ahead }) };
}

/** Whether it is given nothing but what every command has. */
function isUsual({ network, writable = [] }: SandboxCommand): boolean {
  return !network && writable.length === 0;
}

/** In words. */
function madeSince({ roots, names, detours }: Plan): string[] {
  const made = newNames(names, roots.flatMap(lookForNames));
  const detoured = roots.flatMap(gitDetours).filter((path) => !detours.includes(path));
  return [...made.map(({ path, protection }) => `${path}: ${protection.reason}`), ...detoured.map(detourInWords)];
}

/** A place that is not there cannot be opened. */
function realPlace(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

function wrapped(state: SandboxOptions["state"], profile: SandboxProfile, command: SandboxCommand): string[] {
  return state.type === "bubblewrap"
    ? bubblewrapArguments(state.program, profile, command)
    : seatbeltArguments(state.program, profile, command);
}

function detourInWords(path: string): string {
  return `${path}: git takes its configuration from another place because of it`;
}

/** Names one process for ever, so that what it left behind can be told from what is in use. */
function sessionName(): string {
  return `${process.pid}-${processStart(process.pid)}-${crypto.randomUUID().slice(0, 8)}`;
}

function processStart(pid: number): string {
  return (findProcess(pid)?.started ?? "").replace(/\W+/g, "_");
}

function sessionPlaces(session: string): { temporary: string; emptyFile: string } {
  return { temporary: join(session, "tmp"), emptyFile: join(session, "empty") };
}

function makeSession(session: string): string | undefined {
  const { temporary, emptyFile } = sessionPlaces(session);
  try {
    mkdirSync(temporary, { recursive: true, mode: 0o700 });
    if (!existsSync(emptyFile)) writeFileSync(emptyFile, "", { mode: 0o444 });
    return undefined;
  } catch (error) {
    return `The sandbox could not be prepared: ${fileFailure(session, error, "made").message}`;
  }
}

function removeAbandonedSessions(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const [pid = "", started] = name.split("-");
    if (processStart(Number(pid)) === started) continue;
    endAbandoned(join(folder, name));
    removeQuietly(join(folder, name));
  }
}

/**
 * bubblewrap ends with whoever started it, except in the moment after it has cloned itself: a Ralph killed then leaves one behind
 * that waits for ever, before it has run anything. Its words name the session that is gone.
 */
function endAbandoned(session: string): void {
  for (const { pid } of listProcesses()) {
    if (!argumentsContain(pid, session)) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** What cannot be removed now is tried again by the next Ralph. */
function removeQuietly(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // see above
  }
}

const FEWEST = 1024;
const PER_PROCESSOR = 32;
const WHERE_ALL_COUNT = 16_384;

/** Since Linux 5.14 only the processes of the sandbox count; before, and on macOS, all of the user's. */
function mostProcesses(): number {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  const countsOwn = process.platform === "linux" && (major > 5 || (major === 5 && minor >= 14));
  return countsOwn ? Math.max(FEWEST, PER_PROCESSOR * availableParallelism()) : WHERE_ALL_COUNT;
}
