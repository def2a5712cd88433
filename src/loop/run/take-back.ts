import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Task } from "../../protocol/loop-tasks.ts";
import { isAncestor } from "../git/land.ts";
import { findRepository, type Repository, readHead } from "../git/repository.ts";
import { openShadowRepository } from "../git/shadow-repository.ts";
import { planUndo, type UndoPlan, type UndoRequest, undoRun } from "../git/undo.ts";
import { readWorkspaceState } from "../git/workspace-state.ts";
import { closeWorktree } from "../git/worktree.ts";
import type { LoopState } from "../state/fold-journal.ts";
import type { LoopJournal } from "../state/loop-journal.ts";
import type { JsonDocument } from "../tasks/json-document.ts";
import { appendProgress } from "../tasks/progress-file.ts";
import { writeVerdict } from "../tasks/write-task.ts";
import { readBefore } from "./before-state.ts";
import { readLeft, stillThere } from "./left-behind.ts";
import { ownFiles } from "./own-files.ts";
import { runFolder } from "./run-folder.ts";

// The newest run of a task, taken back: its commits, what its agents left, its branch and worktree, and what it wrote into prd.json.

export interface TakeBackRequest {
  task: Task;
  document: JsonDocument | undefined;
  root: string;
  /** The loop's folder. */
  folder: string;
  journal: LoopJournal;
  environment: Readonly<Record<string, string | undefined>>;
}

export interface TakeBack {
  plan: UndoPlan;
  /** Does it. What a person should know beside it, or why it was not done. */
  go(): Promise<{ ok: true; notes: readonly string[] } | { ok: false; message: string }>;
}

export type TakeBackPlan = { ok: true; takeBack: TakeBack } | { ok: false; message: string };

/** What taking back would do; nothing is changed before `go`. */
export async function planTakeBack(request: TakeBackRequest): Promise<TakeBackPlan> {
  const { task, journal } = request;
  const { run } = journal.state();
  if (run?.tag === undefined)
    return {
      ok: false,
      message: `There is nothing to undo: no run of ${task.name} is known that could be taken back.`,
    };
  const places = await findPlaces(request, run);
  if (!places.ok) return places;
  const undo = await undoRequest(request, { run, tag: run.tag, ...places });
  const plan = await planUndo(places.repository, undo);
  return { ok: true, takeBack: { plan, go: () => takeBack(request, { run, ...places }, undo) } };
}

type Run = NonNullable<LoopState["run"]>;

interface Places {
  run: Run;
  /** Where the work is undone. */
  repository: Repository;
  home: Repository;
  isShadow: boolean;
}

type FoundPlaces = ({ ok: true } & Omit<Places, "run">) | { ok: false; message: string };

async function findPlaces({ root, folder, environment }: TakeBackRequest, { worktree }: Run): Promise<FoundPlaces> {
  const place = { environment, scratch: join(folder, "scratch") };
  const found = await findRepository({ ...place, directory: root });
  const shadow = join(folder, "shadow.git");
  const isShadow = !found.ok && found.reason === "no-repository" && existsSync(shadow);
  const home = isShadow ? await openShadowRepository({ ...place, directory: root }, shadow) : found;
  if (!home.ok) return home;
  if (worktree === undefined || !existsSync(worktree))
    return { ok: true, repository: home.repository, home: home.repository, isShadow };
  const own = await findRepository({ ...place, directory: worktree });
  return own.ok ? { ok: true, repository: own.repository, home: home.repository, isShadow } : own;
}

async function undoRequest(
  { task, root, document, folder, journal }: TakeBackRequest,
  { run, tag, repository, home, isShadow }: Places & { tag: string },
): Promise<UndoRequest> {
  const { passed } = journal.state();
  const own = runFolder(folder, run.run);
  const left = readLeft(own);
  const before = readBefore(own);
  const exclude = ownFiles(task, root, document !== undefined).inRoot;
  const now = before && (await readWorkspaceState(repository, { base: before.base, exclude }));
  const head = isShadow ? await readHead(repository) : undefined;
  const isWorktree = repository !== home;
  return {
    tag,
    branch: head?.ok ? head.head.branch : run.branch,
    ofRun: [
      ...[...passed.values()].flatMap(({ commit }) => commit ?? []),
      ...(left?.head === undefined ? [] : [left.head]),
    ],
    exclude,
    ...(before && now?.ok && { left: { paths: left ? stillThere(left, now.state, before) : [], before } }),
    ...(run.cameFrom !== undefined && !isWorktree && { returnTo: run.cameFrom }),
  };
}

async function takeBack(request: TakeBackRequest, places: Places, undo: UndoRequest) {
  const { task, document, root, journal } = request;
  const done = await undoRun(places.repository, undo);
  if (done.type !== "ready") return { ok: false as const, message: done.message };
  const notes = [
    ...(await reopenStories(request)),
    ...(await dropWorktree(places, undo)),
    ...(await mergedElsewhere(request, places, done.from)),
  ];
  const { run } = places;
  const { progress } = ownFiles(task, root, document !== undefined);
  if (existsSync(progress)) {
    const lines = [`- back at ${done.to.slice(0, 9)}`];
    await appendProgress(progress, { heading: `Run ${run.run} was taken back`, lines });
  }
  await journal.append({ type: "run-undone", run: run.run, to: done.to });
  return { ok: true as const, notes };
}

/** What the run wrote into prd.json is not true any more. */
async function reopenStories({ task, document, journal }: TakeBackRequest): Promise<string[]> {
  const landed = [...journal.state().passed].filter(([, { commit }]) => commit !== undefined);
  let trusted = document;
  const problems: string[] = [];
  for (const [story] of landed) {
    if (trusted === undefined) break;
    const written = await writeVerdict(task, { trusted, change: { story, passes: false } });
    if (written.ok) trusted = written.document;
    else problems.push(written.message);
  }
  return problems;
}

async function dropWorktree({ run, repository, home }: Places, { exclude }: UndoRequest): Promise<string[]> {
  if (repository === home || run.worktree === undefined) return [];
  const closed = await closeWorktree(home, run.worktree, exclude);
  if (closed.type === "kept") return [closed.reason];
  if (run.cameFrom === undefined || run.base === undefined) return [];
  await home.git({ arguments: ["update-ref", "-d", `refs/heads/${run.branch}`, run.base] });
  return [];
}

async function mergedElsewhere({ task }: TakeBackRequest, { home }: Places, tip: string): Promise<string[]> {
  const { mergeTarget } = task;
  if (mergeTarget === undefined || !(await isAncestor(home, tip, `refs/heads/${mergeTarget}`))) return [];
  return [`${mergeTarget} has the work too; take it off there with git.`];
}
