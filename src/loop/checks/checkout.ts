import { copyFileSync, existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { runProcess } from "../../system/run-process.ts";
import { type GitFailure, type GitResult, gitText } from "../git/git.ts";
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
  try {
    for (const folder of [directory, temporary]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    return {
      ok: false,
      reason: "failed",
      message: `No checkout could be made: ${error instanceof Error ? error.message : error}`,
    };
  }
  const filled = await fillCheckout(repository, directory, request);
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

/** Removes what an interrupted run left. To be called only by the one loop of a task. */
export async function removeStaleCheckouts(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) await removeFolder(join(folder, name));
}

async function fillCheckout(
  repository: Repository,
  directory: string,
  { commit, tree }: CheckoutRequest,
): Promise<GitResult> {
  const own = join(directory, ".git");
  layOut(repository, own, commit);
  borrowObjects(repository, own);
  const [references, files] = await Promise.all([
    copyReferences(repository, own),
    repository.gitIn(directory, { arguments: ["read-tree", "--reset", "-u", tree] }),
  ]);
  return references.ok ? files : references;
}

/** What `git init` and a detached HEAD would write, without two more processes for every round of checks. */
function layOut({ idLength }: Repository, own: string, commit: string | undefined): void {
  for (const folder of ["objects", "refs/heads", "refs/tags"]) mkdirSync(join(own, folder), { recursive: true });
  writeFileSync(join(own, "HEAD"), `${commit ?? "ref: refs/heads/checks"}\n`);
  const format = idLength === 40 ? "" : "[extensions]\n\tobjectformat = sha256\n";
  const version = idLength === 40 ? 0 : 1;
  const core = `[core]\n\trepositoryformatversion = ${version}\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n`;
  writeFileSync(join(own, "config"), core + format);
}

function borrowObjects({ commonDirectory }: Repository, own: string): void {
  mkdirSync(join(own, "objects", "info"), { recursive: true });
  writeFileSync(join(own, "objects", "info", "alternates"), `${join(commonDirectory, "objects")}\n`);
  const shallow = join(commonDirectory, "shallow");
  if (existsSync(shallow)) copyFileSync(shallow, join(own, "shallow"));
}

/** Tags as they are, branches as those of `origin`. */
async function copyReferences(repository: Repository, own: string): Promise<GitResult> {
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
  writeFileSync(join(own, "packed-refs"), ["# pack-refs with: sorted", ...lines, ""].join("\n"));
  return listed;
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
