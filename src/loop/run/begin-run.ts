import { sealChecks } from "../checks/seal.ts";
import { uncommittedChecks } from "../checks/uncommitted-checks.ts";
import { shownPath } from "../git/path-bytes.ts";
import { saveContents } from "../git/restore-paths.ts";
import { tagRun } from "../git/undo.ts";
import { readWorkspaceState, type WorkspaceState } from "../git/workspace-state.ts";
import { storeBefore, storeTask } from "./before-state.ts";
import { carrySeal } from "./carry-seal.ts";
import { type LeftBehind, withoutLeft } from "./left-behind.ts";
import type { LiveRun } from "./live-run.ts";
import type { Workspace } from "./workspace.ts";

type Shared = Omit<LiveRun, "before" | "seal" | "trusted">;

/** Remembers how things are before anything is done: the person's uncommitted work, the checks, the place to go back to. */
export async function beginRun(
  shared: Shared,
  workspace: Workspace & { left?: LeftBehind },
): Promise<{ ok: true; run: LiveRun } | { ok: false; message: string }> {
  const { id, repository, request, own, runFolder, journal } = shared;
  const { task, document } = request;
  const first = await readWorkspaceState(repository, { base: undefined, exclude: own.inRoot });
  const base = first.ok ? first.state.head.commit : undefined;
  const read = await readWorkspaceState(repository, { base, exclude: own.inRoot });
  if (!read.ok) return read;
  const before = workspace.left === undefined ? read.state : withoutLeft(read.state, workspace.left);
  const saved = await saveContents(repository, before);
  if (!saved.ok) return saved;
  const { sealedAt, notice } = await carrySeal(shared, base);
  const sealed = await sealChecks(repository, { base: sealedAt ?? base, stories: task.stories });
  if (!sealed.ok) return sealed;
  const stored = await storeBefore(runFolder, before);
  if (!stored.ok) return stored;
  if (document !== undefined) {
    const kept = await storeTask(runFolder, document.text);
    if (!kept.ok) return kept;
  }
  const tagged = base === undefined ? undefined : await tagRun(repository, { task: task.name, run: id, commit: base });
  await journal.append({
    type: "run-started",
    version: 1,
    run: id,
    task: task.name,
    directory: task.directory,
    root: request.root,
    runners: runnersOf(shared),
    limits: request.limits,
    ...(sealed.seal.digest !== undefined && { seal: sealed.seal.digest }),
    ...(workspace.branch !== undefined && { branch: workspace.branch }),
    ...(workspace.cameFrom !== undefined && { cameFrom: workspace.cameFrom }),
    ...(base !== undefined && { base }),
    ...(sealedAt !== undefined && { sealedAt }),
    ...(tagged?.ok && { tag: tagged.tag }),
    ...(workspace.worktree !== undefined && { worktree: workspace.worktree }),
  });
  const warnings = [
    ...workspace.warnings,
    ...(notice === undefined ? [] : [notice]),
    ...notSeen(uncommittedChecks(task.stories, dirtyPaths(before))),
  ];
  for (const message of warnings) await journal.append({ type: "notice", level: "warning", message });
  return { ok: true, run: { ...shared, before, seal: sealed.seal, trusted: { task, document } } };
}

function dirtyPaths({ entries }: WorkspaceState): string[] {
  return [...entries].flatMap(([path, { isDirty }]) => (isDirty ? [path] : []));
}

function notSeen(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const more = paths.length > LISTED ? ` and ${paths.length - LISTED} more` : "";
  const names = paths.slice(0, LISTED).map(shownPath).join(", ") + more;
  return [
    `The checks use ${names}, but what you have there is not committed, so they do not see it. Commit it and start again.`,
  ];
}

const LISTED = 5;

/** Every runner some story may be given to, in the order they come. */
function runnersOf({ request }: Shared): string[] {
  const orders = request.task.stories.map((story) => request.runnersFor(story));
  return [...new Set(orders.flatMap((order) => (order.ok ? order.runners : [])))];
}
