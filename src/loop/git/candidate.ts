import { editTree } from "./edit-tree.ts";
import { type GitFailure, gitText } from "./git.ts";
import { type GitObject, gitObject } from "./git-objects.ts";
import { knownTreeId, rememberCommit } from "./known-trees.ts";
import { encodePath, foldersOf, shownPath } from "./path-bytes.ts";
import { emptyTree, type Repository, readSafeSettings, type SafeSettings, treeOf } from "./repository.ts";
import type { TreeValue } from "./temporary-index.ts";
import { compareTrees, readTree } from "./tree-entries.ts";
import { readWorkingFile } from "./working-file.ts";
import { isUnder, type PathState, sameValue, type WorkspaceState } from "./workspace-state.ts";

/** A commit that exists but that no branch names yet. */
export interface Candidate {
  commit: string;
  tree: string;
  /** The agent's HEAD: what the branch names now. */
  parent: string | undefined;
  /** What it changes since `since`, sorted; without the task's own files. */
  files: readonly string[];
  heldOut: readonly HeldOut[];
  warnings: readonly string[];
  /** Nothing changed but the task's own files. */
  isEmpty: boolean;
}

export interface HeldOut {
  path: string;
  why: string;
  /** What a person can do, where it is not to commit their own changes. */
  advice?: string;
}

export interface CandidateRequest {
  /** The person's state: at the start of the run. What was dirty there is never committed. */
  before: WorkspaceState;
  /** The state after the agent ended, with the same base. */
  after: WorkspaceState;
  /** What the branch named when the iteration began. */
  since: string | undefined;
  /** The task's own files. They are never taken from the working tree. */
  exclude: readonly string[];
  /** What the harness writes there instead, where the file was tracked at the base. */
  overrides: ReadonlyMap<string, string | Uint8Array>;
  message: string;
}

export type CandidateResult = { ok: true; candidate: Candidate } | GitFailure;

/** The agent's HEAD with its changed and new files on top, made without touching the person's index, files or branches. */
export async function makeCandidate(repository: Repository, request: CandidateRequest): Promise<CandidateResult> {
  const { after, since, exclude } = request;
  const safe = await readSafeSettings(repository);
  const plan = planCandidate(request);
  const [taken, own] = await Promise.all([
    storeFiles(repository, { taken: plan.taken, after, safe }),
    ownFiles(repository, request),
  ]);
  if (!taken.ok) return taken;
  if (!own.ok) return own;
  const edits = new Map([...taken.edits, ...plan.putBack, ...own.edits]);
  const blobs = [...taken.blobs, ...own.blobs];
  const edited = await editTree(repository, { tree: after.head.commit, edits, blobs });
  if (!edited.ok) return edited;
  const commit = await commitTree(repository, {
    tree: edited.tree,
    parent: after.head.commit,
    message: request.message,
  });
  if (!commit.ok) return commit;
  const changed = await compareTrees(repository, since ?? emptyTree(repository), edited.tree);
  if (!changed.ok) return changed;
  const files = [...changed.differences.keys()].filter((path) => !isUnder(path, exclude)).sort();
  return {
    ok: true,
    candidate: {
      commit: commit.commit,
      tree: edited.tree,
      parent: after.head.commit,
      files,
      heldOut: [...plan.heldOut, ...taken.heldOut, ...edited.refused.map(refusedByGit)],
      warnings: taken.warnings,
      isEmpty: files.length === 0,
    },
  };
}

function refusedByGit(path: string): HeldOut {
  return { path, why: "git takes no file of that name", advice: "Give it another name." };
}

/** `US-003: Title`, then what proves it. */
export function commitMessage(story: { id: string; title: string }, body: readonly string[]): string {
  const subject = `${story.id}: ${story.title}`.replace(/\s+/g, " ").trim();
  const short = subject.length > SUBJECT_LENGTH ? `${subject.slice(0, SUBJECT_LENGTH - 1)}…` : subject;
  return `${[short, ...(body.length > 0 ? ["", ...body] : [])].join("\n")}\n`;
}

const SUBJECT_LENGTH = 100;

interface CandidatePlan {
  /** From the working tree. */
  taken: string[];
  /** To the version of the base. */
  putBack: Map<string, TreeValue | undefined>;
  heldOut: HeldOut[];
}

export function planCandidate({ before, after }: Pick<CandidateRequest, "before" | "after">): CandidatePlan {
  const plan: CandidatePlan = { taken: [], putBack: new Map(), heldOut: [] };
  for (const [path, entry] of after.entries) {
    const earlier = before.entries.get(path);
    if (earlier?.isDirty) keepOut(plan, { path, entry, earlier });
    else if (entry.problem !== undefined) plan.heldOut.push({ path, why: entry.problem });
    else if (entry.isDirty) plan.taken.push(path);
  }
  for (const [path, earlier] of before.entries) {
    if (!earlier.isDirty || after.entries.has(path)) continue;
    plan.heldOut.push({ path, why: "your own changes to it are gone from the working tree" });
  }
  return { ...plan, putBack: withRoom(plan.putBack, before, after) };
}

/**
 * Without those the work has taken the place of: of a file by a folder, or the other way round. A tree cannot have both, and what
 * the agent did stays.
 */
function withRoom(putBack: CandidatePlan["putBack"], before: WorkspaceState, after: WorkspaceState) {
  if (putBack.size === 0) return putBack;
  const files = new Set<string>();
  for (const [path, { now, problem }] of after.entries)
    if (now !== undefined && problem === undefined && !before.entries.get(path)?.isDirty) files.add(path);
  const folders = new Set([...files].flatMap(foldersOf));
  const hasRoom = (path: string) => !folders.has(path) && !foldersOf(path).some((folder) => files.has(folder));
  return new Map([...putBack].filter(([path, value]) => value === undefined || hasRoom(path)));
}

interface PersonsPath {
  path: string;
  entry: PathState;
  earlier: PathState;
}

/** What a person had changed and not committed is theirs to commit, also where the agent has committed it already. */
function keepOut(plan: CandidatePlan, { path, entry, earlier }: PersonsPath): void {
  if (entry.isCommitted) plan.putBack.set(path, entry.base);
  if (!sameValue(entry.now, earlier.now)) {
    plan.heldOut.push({ path, why: "it had changes of yours before the run and was changed by the agent" });
  }
}

interface StoreRequest {
  taken: readonly string[];
  after: WorkspaceState;
  safe: SafeSettings;
}

/** Changes of a tree, and contents of them that are still to be stored. */
interface Edits {
  ok: true;
  edits: Map<string, TreeValue | undefined>;
  blobs: GitObject[];
}

type Stored = (Edits & { heldOut: HeldOut[]; warnings: string[] }) | GitFailure;

const LARGE_BYTES = 5 * 1024 * 1024;

async function storeFiles(repository: Repository, { taken, after, safe }: StoreRequest): Promise<Stored> {
  const edits = new Map<string, TreeValue | undefined>();
  const blobs: GitObject[] = [];
  const heldOut: HeldOut[] = [];
  const warnings: string[] = [];
  const files: { path: string; mode: string }[] = [];
  for (const path of taken) {
    const { now: known, addedAs } = after.entries.get(path) ?? {};
    if (known === undefined || known.mode === "160000") {
      edits.set(path, known);
      continue;
    }
    const file = readWorkingFile(repository, path, known.mode);
    if (file.type === "file") files.push({ path, mode: addedAs ?? file.value.mode });
    else if (file.type === "link") {
      edits.set(path, file.value);
      blobs.push(gitObject(repository, "blob", file.target));
    } else heldOut.push({ path, why: "it changed while it was being read" });
    if (file.type === "file" && file.bytes > LARGE_BYTES) warnings.push(largeWarning(path, file.bytes));
  }
  const ids = await storeContents(repository, files, safe);
  if (!ids.ok) return ids;
  for (const [at, { path, mode }] of files.entries()) edits.set(path, { mode, id: ids.ids[at] ?? "" });
  return { ok: true, edits, blobs, heldOut, warnings };
}

/** Line endings and the person's own filters are applied, as `git add` would. */
async function storeContents(
  repository: Repository,
  files: readonly { path: string }[],
  { settings }: SafeSettings,
): Promise<{ ok: true; ids: string[] } | GitFailure> {
  if (files.length === 0) return { ok: true, ids: [] };
  const stored = await repository.git({
    arguments: ["hash-object", "-w", "--stdin-paths"],
    stdin: Buffer.concat(files.map(({ path }) => quotedPath(encodePath(path)))),
    settings: [...settings, "core.safecrlf=false"],
  });
  if (!stored.ok) return stored;
  const ids = gitText(stored).split("\n");
  if (ids.length === files.length) return { ok: true, ids };
  return { ok: false, reason: "failed", message: "git did not store all files; something changes them meanwhile." };
}

/** A line as git reads it: in quotes, with every byte that is not a plain letter written in octal. */
export function quotedPath(path: Uint8Array): Buffer {
  const letters = [...path].map((byte) =>
    byte < 0x20 || byte >= 0x7f || byte === 0x22 || byte === 0x5c
      ? `\\${byte.toString(8).padStart(3, "0")}`
      : String.fromCharCode(byte),
  );
  return Buffer.from(`"${letters.join("")}"\n`);
}

function largeWarning(path: string, bytes: number): string {
  return `${shownPath(path)} has ${(bytes / 1024 ** 2).toFixed(1)} MB and becomes part of the history.`;
}

/** Where a file of the task is tracked it gets the harness's content; where the agent added it, it goes again. */
async function ownFiles(repository: Repository, { after, overrides }: CandidateRequest): Promise<Edits | GitFailure> {
  const edits = new Map<string, TreeValue | undefined>();
  const blobs: GitObject[] = [];
  if (overrides.size === 0 || after.head.commit === undefined) return { ok: true, edits, blobs };
  const [base, head] = [after.base, after.head.commit];
  const [atHead, other] = await Promise.all([
    readTree(repository, head),
    base === undefined || base === head ? undefined : readTree(repository, base),
  ]);
  const atBase = other ?? atHead;
  if (!atHead.ok) return atHead;
  if (!atBase.ok) return atBase;
  for (const [path, content] of overrides) {
    const known = base === undefined ? undefined : atBase.entries.get(path);
    if (known !== undefined) {
      const blob = gitObject(repository, "blob", Buffer.from(content));
      edits.set(path, { mode: known.mode, id: blob.id });
      blobs.push(blob);
    } else if (atHead.entries.has(path)) edits.set(path, undefined);
  }
  return { ok: true, edits, blobs };
}

export interface CommitRequest {
  tree: string;
  parent: string | undefined;
  message: string;
}

/** The commit of a tree on top of its parent; the parent itself where that has the same tree already. */
export async function commitTree(
  repository: Repository,
  { tree, parent, message }: CommitRequest,
): Promise<{ ok: true; commit: string } | GitFailure> {
  const [parentTree, { identity }] = await Promise.all([
    knownTreeId(repository, parent ?? "") ?? treeOf(repository, parent),
    readSafeSettings(repository),
  ]);
  if (parent !== undefined && parentTree === tree) return { ok: true, commit: parent };
  const made = await repository.git({
    arguments: ["commit-tree", tree, ...(parent === undefined ? [] : ["-p", parent]), "-F", "-"],
    stdin: message,
    variables: identity,
  });
  if (!made.ok) return made;
  const commit = gitText(made);
  rememberCommit(repository, commit, tree);
  return { ok: true, commit };
}
