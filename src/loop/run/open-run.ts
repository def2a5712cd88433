import { existsSync } from "node:fs";
import { join } from "node:path";
import type { LoopEntry } from "../../protocol/loop-entries.ts";
import { ensureDirectory } from "../../system/files.ts";
import { sealChecks } from "../checks/seal.ts";
import { watchFileSignals } from "../control/file-signals.ts";
import { statusOfVerdict } from "../control/loop-controls.ts";
import { type ControlServer, serveControl } from "../control/serve-control.ts";
import { iterationsFolder, loopFolder } from "../state/loop-folder.ts";
import { type LoopJournal, openJournal } from "../state/loop-journal.ts";
import { type LoopRegistry, openRegistry } from "../state/registry.ts";
import { parseTask } from "../tasks/read-task.ts";
import { readBefore, readStoredTask } from "./before-state.ts";
import { beginRun } from "./begin-run.ts";
import { clearRemains } from "./clear-remains.ts";
import { createControls } from "./controls.ts";
import { invokeOptions } from "./employ-agent.ts";
import { documentOf } from "./land-story.ts";
import { type LeftBehind, ofAgents, readLeft } from "./left-behind.ts";
import type { LiveRun } from "./live-run.ts";
import { ownFiles } from "./own-files.ts";
import { runFolder } from "./run-folder.ts";
import type { RunRequest, RunWorld } from "./run-request.ts";
import { createSteering } from "./steering.ts";
import { createPersonAtWork, type PersonAtWork } from "./take-over.ts";
import { lockTask, type TaskLock } from "./task-lock.ts";
import { findWorkspace } from "./workspace.ts";

export type OpenedRun =
  | {
      ok: true;
      run: LiveRun;
      /** Whoever has taken over is sent away: the verdict comes last. */
      leave(): Promise<void>;
      over(verdict: Extract<LoopEntry, { type: "verdict" }>): Promise<void>;
      close(): Promise<void>;
    }
  | { ok: false; message: string };

interface Failure {
  ok: false;
  message: string;
}

/** Takes the task, goes on with a run that was cut off or begins a new one, and opens the doors through which it is watched. */
export async function openRun(request: RunRequest, world: RunWorld): Promise<OpenedRun> {
  const folder = loopFolder(world.paths.loops, request.task);
  for (const path of [iterationsFolder(folder), join(folder, "checkouts")]) {
    const made = await ensureDirectory(path, 0o700);
    if (!made.ok) return made;
  }
  const locked = await lockTask(join(folder, "lock"), `ralph run ${request.task.name}`);
  if (!locked.ok)
    return locked.holder === undefined ? locked : { ok: false, message: alreadyRuns(request, locked.holder.pid) };
  const { lock } = locked;
  const closers: (() => unknown)[] = [() => lock.release()];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  const opened = await openLocked(request, { world, folder, lock, closers });
  if (!opened.ok) await close();
  return opened.ok ? { ...opened, close } : opened;
}

function alreadyRuns({ task }: RunRequest, pid: number): string {
  return `A loop works on ${task.name} already (process ${pid}). Watch it with \`ralph attach ${task.name}\`, end it with \`ralph stop ${task.name}\`.`;
}

interface Opening {
  world: RunWorld;
  folder: string;
  lock: TaskLock;
  /** What has to be done in the end, last first. */
  closers: (() => unknown)[];
}

async function openLocked(request: RunRequest, opening: Opening) {
  const { world, folder, closers } = opening;
  const listeners = new Set<(entry: LoopEntry) => void>();
  const journal = await openJournal({
    folder,
    clock: world.clock,
    onEntry: (entry) => {
      for (const listener of listeners) listener(entry);
    },
  });
  if (!journal.ok) return journal;
  closers.push(() => journal.journal.close());
  listeners.add((entry) => world.tell({ type: "entry", entry }));
  const reaped = await clearRemains(request, { world, folder, state: journal.journal.state() });
  const prepared = await prepareRun(request, { ...opening, journal: journal.journal, reaped });
  if (!prepared.ok) return prepared;
  const { run } = prepared;
  const doors = await openDoors(run, { closers, listeners });
  if (!doors.ok) return doors;
  return { ok: true as const, run, leave: doors.leave, over: doors.over };
}

interface Preparing extends Opening {
  journal: LoopJournal;
  /** What a killed run left running and was ended. */
  reaped: number[];
}

async function prepareRun(request: RunRequest, preparing: Preparing): Promise<{ ok: true; run: LiveRun } | Failure> {
  const { world, folder, lock, journal, reaped } = preparing;
  const { run: last, verdict } = journal.state();
  const isOpen = last !== undefined && (verdict === undefined || verdict.verdict === "checkpointed");
  const resumes = isOpen && !request.fresh && last.root === request.root && existsSync(runFolder(folder, last.run));
  const id = resumes ? last.run : crypto.randomUUID().slice(0, 8);
  const worktree = resumes ? last.worktree : request.worktree ? join(folder, "worktrees", id) : undefined;
  const workspace = await findWorkspace(request, { world, folder, worktree, resumes, branch: last?.branch });
  if (!workspace.ok) return workspace;
  const own = ownFiles(request.task, request.root, request.document !== undefined);
  const steering = createSteering(journal, world.signal);
  const shared = {
    id,
    request,
    world,
    root: workspace.repository.root,
    folder,
    runFolder: runFolder(folder, id),
    repository: workspace.repository,
    home: workspace.home,
    isRepository: workspace.isRepository,
    own,
    lock,
    journal,
    steering,
    feedback: new Map(),
    checked: new Map(),
    latest: undefined,
  };
  const isSamePlace = last?.root === request.root && last.worktree === workspace.worktree;
  const left = last !== undefined && isSamePlace ? leftByAgents(runFolder(folder, last.run)) : undefined;
  if (!resumes) return beginRun(shared, { ...workspace, ...(left && { left }) });
  const resumed = await resumeRun(shared);
  if (resumed.ok)
    await journal.append({ type: "run-resumed", run: id, iteration: journal.state().records.length, reaped });
  return resumed;
}

function leftByAgents(ofRun: string): LeftBehind | undefined {
  const left = readLeft(ofRun);
  return left && ofAgents(left, readBefore(ofRun));
}

type Shared = Omit<LiveRun, "before" | "seal" | "trusted">;

async function resumeRun(shared: Shared): Promise<{ ok: true; run: LiveRun } | Failure> {
  const { repository, request, runFolder: own } = shared;
  const before = readBefore(own);
  if (before === undefined)
    return { ok: false, message: `What the run needs to go on is gone from ${own}. Begin anew with --fresh.` };
  const text = readStoredTask(own);
  const document = text === undefined ? request.document : documentOf(text);
  const parsed = text === undefined ? undefined : parseTask(text, request.task);
  const task = parsed?.ok ? parsed.task : request.task;
  const base = shared.journal.state().run?.sealedAt ?? before.base;
  const sealed = await sealChecks(repository, { base, stories: task.stories });
  if (!sealed.ok) return sealed;
  return { ok: true, run: { ...shared, before, seal: sealed.seal, trusted: { task, document } } };
}

interface Doors {
  closers: (() => unknown)[];
  listeners: Set<(entry: LoopEntry) => void>;
}

async function openDoors(run: LiveRun, { closers, listeners }: Doors) {
  const { world, steering, request } = run;
  const { name } = request.task;
  let server: ControlServer | undefined;
  const person = personFor(run, () => server);
  const leave = () => {
    steering.close();
    return person.stop();
  };
  closers.push(leave);
  const controls = controlsFor(run, person);
  const served = await serveControl({ directory: world.paths.sockets, name, controls, clock: world.clock });
  if (!served.ok) return served;
  server = served.server;
  closers.push(() => served.server.stop());
  const registry = await openRegistry({ database: world.paths.database, now: () => world.clock.now() });
  if (!registry.ok) return registry;
  closers.push(() => registry.registry.close());
  await registerRun(run, registry.registry, served.server.path);
  listeners.add((entry) => {
    served.server.entry(entry);
    served.server.stateChanged();
    void keepRegistered(run, registry.registry, entry);
  });
  const { tell } = world;
  run.world = {
    ...world,
    tell: (news) => {
      tell(news);
      if (news.type === "line" && news.line.text !== "") served.server.output(news.line.text);
    },
  };
  const stopWatching = await obeySignals(run, person);
  closers.push(stopWatching);
  const over = async ({ verdict, reason }: Extract<LoopEntry, { type: "verdict" }>) => {
    await registry.registry.change(run.folder, { status: statusOfVerdict(verdict), verdict, reason });
  };
  return { ok: true as const, leave, over };
}

function personFor(run: LiveRun, server: () => ControlServer | undefined): PersonAtWork {
  const { journal, steering, world, root, request, id } = run;
  return createPersonAtWork({
    journal,
    steering,
    root,
    environment: { ...world.environment, RALPH_LOOP_MARK: id, RALPH_TASK_DIR: request.task.directory },
    program: () => programFor(run),
    onBytes: (bytes) => server()?.pty(bytes),
    onChange: () => server()?.stateChanged(),
  });
}

function controlsFor(run: LiveRun, person: PersonAtWork) {
  const { journal, steering, world, request } = run;
  return createControls({
    task: () => run.trusted.task,
    journal,
    steering,
    person,
    maxIterations: request.limits.iterations,
    startedAt: Date.parse(journal.state().run?.time ?? "") || world.clock.now(),
    now: () => world.clock.now(),
  });
}

/** Where no signals can be watched, the socket still answers. */
async function obeySignals({ world, request, steering }: LiveRun, person: PersonAtWork): Promise<() => void> {
  const signals = await watchFileSignals({
    directory: world.paths.signals,
    name: request.task.name,
    // A person who has taken over is not to be interrupted by what was meant for the agent.
    onSignal: (signal) => {
      if (!person.isOn) void (signal === "stop" ? steering.stop() : steering.checkpoint());
    },
  });
  return signals.ok ? () => signals.stop() : () => undefined;
}

function programFor(run: LiveRun) {
  const { latest, request, trusted } = run;
  if (latest !== undefined)
    return latest.runner.takeOver({
      ...latest.options,
      ...(latest.session !== undefined && { session: latest.session }),
    });
  const story = trusted.task.stories.find(({ passes }) => !passes) ?? trusted.task.stories[0];
  const order = story === undefined ? undefined : request.runnersFor(story);
  const runner = order?.ok ? request.runners[order.runners[0]] : undefined;
  if (story === undefined || runner === undefined) return { argv: ["bash"], environment: {} };
  return runner.takeOver(invokeOptions(run, { story, runner: runner.name, iteration: 0, injected: [] }));
}

async function registerRun(run: LiveRun, registry: LoopRegistry, socket: string): Promise<void> {
  const { journal, request, folder } = run;
  await registry.begin({
    folder,
    taskName: request.task.name,
    taskDirectory: request.task.directory,
    agent: journal.state().run?.runners[0] ?? "",
    startedAt: Date.parse(journal.state().run?.time ?? "") || run.world.clock.now(),
    iteration: journal.state().records.length,
    maxIterations: request.limits.iterations,
    socket,
  });
}

async function keepRegistered({ folder }: LiveRun, registry: LoopRegistry, entry: LoopEntry): Promise<void> {
  if (entry.type !== "iteration-started") return;
  const { iteration, runner, story } = entry;
  await registry.change(folder, { iteration, agent: runner, ...(story !== undefined && { currentStory: story }) });
}
