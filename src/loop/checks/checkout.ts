import { copyFileSync, existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { runProcess } from "../../system/run-process.ts";
import { type GitFailure, type GitResult, gitText } from "../git/git.ts";
import { type GitObject, writeLooseObjects } from "../git/git-objects.ts";
import type { Repository } from "../git/repository.ts";
import { linkFolders } from "./linked-folders.ts";

export interface Checkout {
  /** The top of it, absolute and without links. */
  directory: string;
  /** For temporary files of the checks; removed with it. */
  temporary: string;
  /** What was linked into it. */
  linked: readonly string[];
  close(): Promise<void>;
}

export interface CheckoutRequest {
  /** The folder all checkouts of a task are made in. */
  folder: string;
  /** What HEAD is; undefined for none. */
  commit: string | undefined;
  tree: string;
  /** What the tree needs and the person's repository does not have. */
  objects?: readonly GitObject[];
  /** What it has for branches and tags; one answer will do for several checkouts. */
  references: Promise<CopiedReferences>;
  /** Paths of the working tree to link in. */
  link: readonly string[];
}

/**
 * The files of a tree in a fresh repository of its own that only borrows the objects of the person's: it has copies of the
 * branches and tags, none of the settings, hooks or filters, and what happens to it happens to nobody else.
 */
export async function openCheckout(
  repository: Repository,
  request: CheckoutRequest,
): Promise<{ ok: true; checkout: Checkout } | GitFailure> {
  const home = join(request.folder, crypto.randomUUID());
  const directory = join(home, "work");
  const temporary = join(home, "tmp");
  const close = () => removeFolder(home);
  const filled = await fillCheckout(repository, { directory, temporary }, request).catch(notMade);
  if (!filled.ok) {
    await close();
    return filled;
  }
  const linked = linkFolders(repository, directory, request.link);
  return {
    ok: true,
    checkout: { directory: realpathSync(directory), temporary: realpathSync(temporary), linked, close },
  };
}

function notMade(error: unknown): GitFailure {
  const message = `No checkout could be made: ${error instanceof Error ? error.message : error}`;
  return { ok: false, reason: "failed", message };
}

/** Removes what an interrupted run left. To be called only by the one loop of a task. */
export async function removeStaleCheckouts(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) await removeFolder(join(folder, name));
}

async function fillCheckout(
  repository: Repository,
  { directory, temporary }: Pick<Checkout, "directory" | "temporary">,
  { commit, tree, references, objects = [] }: CheckoutRequest,
): Promise<GitResult> {
  const own = join(directory, ".git");
  for (const folder of [directory, temporary]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  layOut(repository, own, commit);
  borrowObjects(repository, own);
  writeLooseObjects(join(own, "objects"), objects);
  const [copied, files] = await Promise.all([
    references,
    repository.gitIn(directory, { arguments: ["read-tree", "--reset", "-u", tree] }),
  ]);
  if (!copied.ok) return copied;
  writeFileSync(join(own, "packed-refs"), copied.text);
  return files;
}

/** What `git init` and a detached HEAD would write, without two more processes for every round of checks. */
function layOut({ idLength }: Repository, own: string, commit: string | undefined): void {
  for (const folder of ["objects/info", "refs"]) mkdirSync(join(own, folder), { recursive: true });
  writeFileSync(join(own, "HEAD"), `${commit ?? "ref: refs/heads/checks"}\n`);
  const format = idLength === 40 ? "" : "[extensions]\n\tobjectformat = sha256\n";
  const version = idLength === 40 ? 0 : 1;
  const core = `[core]\n\trepositoryformatversion = ${version}\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n`;
  writeFileSync(join(own, "config"), core + format);
}

function borrowObjects({ commonDirectory }: Repository, own: string): void {
  writeFileSync(join(own, "objects", "info", "alternates"), `${join(commonDirectory, "objects")}\n`);
  const shallow = join(commonDirectory, "shallow");
  if (existsSync(shallow)) copyFileSync(shallow, join(own, "shallow"));
}

/** `packed-refs` of a checkout. */
export type CopiedReferences = { ok: true; text: string } | GitFailure;

/** Tags as they are, branches as those of `origin`. */
export async function copyReferences(repository: Repository): Promise<CopiedReferences> {
  const listed = await repository.git({
    arguments: ["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/", "refs/tags/"],
  });
  if (!listed.ok) return listed;
  const lines = gitText(listed)
    .split("\n")
    .filter(Boolean)
    .map((line) => line.replace(" refs/heads/", " refs/remotes/origin/"))
    .sort((first, second) =>
      Buffer.compare(Buffer.from(first.slice(first.indexOf(" "))), Buffer.from(second.slice(second.indexOf(" ")))),
    );
  return { ok: true, text: ["# pack-refs with: sorted", ...lines, ""].join("\n") };
}

/** Checks may leave folders nobody may write to; links are removed, never followed. */
async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    const environment = { PATH: "/usr/bin:/bin" };
    await runProcess({ argv: ["chmod", "-R", "u+rwx", path], environment, deadlineMs: 60_000 }).result;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
