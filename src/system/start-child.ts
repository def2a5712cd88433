import { closeSync } from "node:fs";
import { openPipes, type Pipe } from "./open-pipes.ts";
import { type ProcessTree, processTree } from "./process-tree.ts";

export interface ChildOptions {
  argv: readonly string[];
  cwd?: string;
  /** The whole environment. Only RALPH_RUN_ID is added, by which the children are found again. */
  environment: Readonly<Record<string, string | undefined>>;
  stdin?: string | Uint8Array;
  openableStreams?: boolean;
  /** What the program gets as its descriptors 3 and up. They stay ours to close. */
  descriptors?: readonly number[];
}

export interface Child {
  process: Bun.Subprocess;
  stdout: OutputSource;
  stderr: OutputSource;
  /** Everything that comes from it. */
  tree: ProcessTree;
}

export interface OutputSource {
  bytes: ReadableStream<Uint8Array>;
  /** Ours to close when the runtime did not open it. */
  descriptor?: number;
}

const RUN_ID = "RALPH_RUN_ID";

/** Starts a program in a session of its own. Throws where it cannot be started. */
export function startChild(options: ChildOptions): Child {
  const { environment } = options;
  const id = Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString("hex");
  // A Ralph inside a Ralph adds its own id, so that the outer one still finds the inner one's children.
  const runId = environment[RUN_ID] ? `${environment[RUN_ID]}:${id}` : id;
  const started = spawnWithStreams(options, { ...environment, [RUN_ID]: runId });
  return { ...started, tree: processTree({ pid: started.process.pid, marker: id }) };
}

function spawnWithStreams(options: ChildOptions, env: ChildOptions["environment"]): Omit<Child, "tree"> {
  const { argv, cwd, stdin, openableStreams = false, descriptors = [] } = options;
  const settings = { cwd, env: { ...env }, detached: true };
  const input = stdin === undefined ? ("ignore" as const) : Buffer.from(stdin);
  const [stdout, stderr] = (openableStreams ? openPipes(2) : undefined) ?? [];
  if (stdout === undefined || stderr === undefined) {
    const child = Bun.spawn([...argv], { ...settings, stdio: [input, "pipe", "pipe", ...descriptors] });
    return { process: child, stdout: { bytes: child.stdout }, stderr: { bytes: child.stderr } };
  }
  try {
    const child = Bun.spawn([...argv], { ...settings, stdio: [input, stdout.write, stderr.write, ...descriptors] });
    return { process: child, stdout: readingEnd(stdout), stderr: readingEnd(stderr) };
  } catch (error) {
    for (const { read } of [stdout, stderr]) closeSync(read);
    throw error;
  } finally {
    for (const { write } of [stdout, stderr]) closeSync(write);
  }
}

function readingEnd({ read }: Pipe): OutputSource {
  return { bytes: Bun.file(read).stream(), descriptor: read };
}
