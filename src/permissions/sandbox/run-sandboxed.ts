import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, release } from "node:os";
import { join } from "node:path";
import { fileFailure } from "../../system/file-failure.ts";
import { findProcess } from "../../system/process-table.ts";
import type { OwnFolders } from "../paths/find-protection.ts";
import { PROTECTED_NAMES } from "../paths/protected-names.ts";
import { bubblewrapArguments } from "./bubblewrap.ts";
import { gitDetours } from "./git-folders.ts";
import { createHeldNames, namesToHold } from "./held-names.ts";
import { lookAtPlaces } from "./look-at-places.ts";
import type { SandboxState } from "./probe-sandbox.ts";
import { sandboxEnvironment } from "./sandbox-environment.ts";
import { type SandboxProfile, sandboxProfile } from "./sandbox-profile.ts";
import { seatbeltArguments } from "./seatbelt.ts";
import { lookForNames, newNames } from "./workspace-names.ts";

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
}

export type SandboxedCommand =
  | {
      ok: true;
      argv: string[];
      environment: Record<string, string | undefined>;
      /** What the sandbox could not guard, in sentences. */
      notes: string[];
      /** To be called when the command and all its processes are gone. Says what it made that others will obey. */
      finish(): string[];
    }
  | { ok: false; message: string };

export interface Sandbox {
  wrap(command: SandboxCommand): Promise<SandboxedCommand>;
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
  const { state, workspace, home, folder } = options;
  const held = createHeldNames({ folder: join(folder, HELD) });
  const session = join(folder, "sessions", sessionName());
  const ownCaches = join(folder, "caches");
  let prepared: Promise<void> | undefined;

  return {
    async wrap(command) {
      prepared ??= removeAbandoned(folder);
      await prepared;
      const problem = makeSession(session);
      if (problem !== undefined) return { ok: false, message: problem };
      const writable = [...new Set([...options.writable, ...(command.writable ?? [])])].flatMap(realPlace);
      const roots = [workspace, ...writable];
      const needsHolding = state.type === "bubblewrap";
      const hold = await held.hold(needsHolding ? roots.flatMap((root) => namesToHold(root, home)) : []);
      if (!hold.ok) return hold;
      const { findings, names, notes } = lookAtPlaces({ ...options, roots, network: command.network, ownCaches });
      const profile = sandboxProfile({
        ...options,
        ...sessionPlaces(session),
        writable,
        ownCaches,
        network: command.network,
        platform: needsHolding ? "linux" : "darwin",
        mostProcesses: mostProcesses(),
        protectedNames: PROTECTED_NAMES,
        findings,
      });
      const detours = roots.flatMap(gitDetours);
      const ownPlaces = needsHolding
        ? { temporary: "/tmp", caches: undefined }
        : { temporary: profile.temporary, caches: ownCaches };
      return {
        ok: true,
        argv: wrapped(state, profile, command),
        environment: sandboxEnvironment(command.environment, ownPlaces),
        notes,
        finish() {
          const made = newNames(names, roots.flatMap(lookForNames));
          const detoured = roots.flatMap(gitDetours).filter((path) => !detours.includes(path));
          hold.release();
          return [
            ...made.map(({ path, protection }) => `${path}: ${protection.reason}`),
            ...detoured.map(detourInWords),
          ];
        },
      };
    },
    async close() {
      await held.close();
      removeQuietly(session);
    },
  };
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
  return `${process.pid}-${startOf(process.pid)}-${crypto.randomUUID().slice(0, 8)}`;
}

function startOf(pid: number): string {
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
    if (startOf(Number(pid)) === started) continue;
    removeQuietly(join(folder, name));
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
