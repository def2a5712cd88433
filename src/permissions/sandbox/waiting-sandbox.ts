import { readFileSync, realpathSync } from "node:fs";
import { type StartedAhead, startAhead } from "../../system/start-ahead.ts";

// Making a sandbox takes ten times as long as a small command, so one is made ahead and waits, empty. It is exactly what would be
// made now, or it is not used: the same arguments, environment and folder, and mounts that nobody has touched since.

export interface SandboxStart {
  argv: readonly string[];
  cwd: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Where something is mounted. */
  places: readonly string[];
}

export interface WaitingSandbox {
  /** One that is ready for its only command. Undefined where none can wait on this system. */
  take(start: SandboxStart): Promise<StartedAhead | undefined>;
  /** Makes one ahead, unless one waits already. */
  prepare(start: SandboxStart): void;
  /** Ends the one that waits. */
  end(): Promise<void>;
}

interface Waiting {
  process: StartedAhead;
  key: string;
  /** As they stood when it was ready; undefined where it never was, or something is missing among them. */
  mounts: Promise<MountTable | undefined>;
}

export function createWaitingSandbox(): WaitingSandbox {
  let current: Waiting | undefined;
  return {
    async take(start) {
      const waiting = current;
      current = undefined;
      if (waiting !== undefined && waiting.key === keyOf(start) && (await isUntouched(waiting))) return waiting.process;
      void waiting?.process.end();
      const process = startAhead({ ...start, openableStreams: true });
      await process?.ready;
      return process;
    },
    prepare(start) {
      if (current !== undefined) return;
      const process = startAhead({ ...start, openableStreams: true });
      if (process !== undefined)
        current = { process, key: keyOf(start), mounts: mountsWhenReady(process, start.places) };
    },
    async end() {
      const waiting = current;
      current = undefined;
      await waiting?.process.end();
    },
  };
}

function keyOf({ argv, cwd, environment }: SandboxStart): string {
  return JSON.stringify([argv, cwd, environment]);
}

interface MountTable {
  /** Of a process that sees the mounts. */
  pid: number;
  text: string;
}

async function mountsWhenReady(process: StartedAhead, places: readonly string[]): Promise<MountTable | undefined> {
  if (!(await process.ready)) return undefined;
  const pid = process.first()?.pid;
  const text = pid === undefined ? "" : mountsOf(pid);
  const points = mountPoints(text);
  return pid !== undefined && places.every((place) => points.has(place) || points.has(realPath(place)))
    ? { pid, text }
    : undefined;
}

/** The kernel takes a mount away when what it stands on is replaced outside, and adds what is mounted there. */
async function isUntouched({ mounts }: Waiting): Promise<boolean> {
  const table = await mounts;
  return table !== undefined && mountsOf(table.pid) === table.text;
}

/** Empty when the process is gone. */
function mountsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/mountinfo`, "utf8");
  } catch {
    return "";
  }
}

/** A folder for temporary files may be a link. */
function realPath(place: string): string {
  try {
    return realpathSync(place);
  } catch {
    return place;
  }
}

const POINT = 4;

/** The fifth field of each line; blanks, line ends and backslashes stand there as octal numbers. */
function mountPoints(table: string): Set<string> {
  const points = table.split("\n").map((line) => line.split(" ")[POINT] ?? "");
  return new Set(
    points.map((point) => point.replace(/\\(\d{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8)))),
  );
}
