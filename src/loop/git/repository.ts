import { realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { readTextFile } from "../../system/text-file.ts";
import { type GitCall, type GitFailure, type GitPlace, type GitResult, gitText, runGit } from "./git.ts";
import { splitNul } from "./path-bytes.ts";
import { rememberingCalls } from "./remembered-calls.ts";

export interface Repository {
  /** The top of the working tree, absolute and without links. */
  root: string;
  /** `.git`, or the folder a linked worktree has in the repository's. */
  gitDirectory: string;
  /** Where objects and branches are; the same for all worktrees of a repository. */
  commonDirectory: string;
  isLinkedWorktree: boolean;
  /** Length of an object's id: 40 or 64. */
  idLength: number;
  /** Where Ralph may put index files for a moment. */
  scratch: string;
  /** Runs git on exactly this repository, whatever its settings say about places. */
  git(call: GitCall): Promise<GitResult>;
  /** Runs git in another folder, as the same person. */
  gitIn(directory: string, call: GitCall): Promise<GitResult>;
}

export interface RepositoryPlace extends GitPlace {
  scratch: string;
}

export type FoundRepository = { ok: true; repository: Repository } | GitFailure;

/** The repository a directory belongs to. One without a working tree is refused. */
export async function findRepository(place: RepositoryPlace): Promise<FoundRepository> {
  const found = await runGit(place, {
    arguments: ["rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir", "--show-object-format"],
  });
  if (!found.ok) return explained(found, place.directory);
  const [root, gitDirectory, common, format] = gitText(found).split("\n");
  if (!root || !gitDirectory || !common || (format !== "sha1" && format !== "sha256")) {
    return { ok: false, reason: "failed", message: `git gave no usable paths for ${place.directory}.` };
  }
  const commonDirectory = resolve(place.directory, common);
  return { ok: true, repository: openRepository(place, { root, gitDirectory, commonDirectory, format }) };
}

interface RepositoryPaths {
  root: string;
  gitDirectory: string;
  commonDirectory: string;
  format: "sha1" | "sha256";
}

export function openRepository(place: RepositoryPlace, paths: RepositoryPaths): Repository {
  const root = realpathSync(paths.root);
  const where = [`--git-dir=${paths.gitDirectory}`, `--work-tree=${root}`];
  const idLength = paths.format === "sha1" ? 40 : 64;
  const run = (call: GitCall) =>
    runGit({ ...place, directory: root }, { ...call, arguments: [...where, ...call.arguments] });
  return {
    root,
    gitDirectory: paths.gitDirectory,
    commonDirectory: realpathSync(paths.commonDirectory),
    isLinkedWorktree: realpathSync(paths.gitDirectory) !== realpathSync(paths.commonDirectory),
    idLength,
    scratch: place.scratch,
    git: rememberingCalls(run, idLength),
    gitIn: (directory, call) => runGit({ ...place, directory }, call),
  };
}

export interface SafeSettings {
  /** For calls that read or write files of the working tree: filters of the repository's own settings are off. */
  settings: readonly string[];
  /** For calls that make commits, where the person has told git no name. */
  identity: Readonly<Record<string, string>>;
  /** Whether a file that can be run is one for git too: `core.fileMode`. */
  trustsModes: boolean;
}

/**
 * Filters named in `.gitattributes` are programs. Those a person has in their own settings (like git-lfs) stay; those that stand in
 * the repository's settings, where an agent can write, are replaced by nothing. Ask for it before each use.
 */
export async function readSafeSettings(repository: Repository): Promise<SafeSettings> {
  const stamp = settingsStamp(repository);
  const before = KNOWN_SETTINGS.get(repository);
  if (before !== undefined && before.stamp === stamp) return before.settings;
  const listed = await repository.git({ arguments: ["config", "--list", "--null", "--show-scope"] });
  if (!listed.ok) return { settings: [], identity: FALLBACK_IDENTITY, trustsModes: true };
  const settings = safeSettings(listed.stdout);
  if (!includesOthers(listed.stdout)) KNOWN_SETTINGS.set(repository, { stamp, settings });
  return settings;
}

const KNOWN_SETTINGS = new WeakMap<Repository, { stamp: string; settings: SafeSettings }>();

/** Changes with every change of the repository's own settings: nobody can set the time a file was last changed back. */
function settingsStamp({ commonDirectory, gitDirectory }: Repository): string {
  const files = [join(commonDirectory, "config"), join(gitDirectory, "config.worktree")];
  return files.map(fileStamp).join(" ");
}

/** A folder on the way may have become a file meanwhile. */
function fileStamp(path: string): string {
  try {
    const { ino, size, ctimeNs } = statSync(path, { bigint: true });
    return `${ino} ${size} ${ctimeNs}`;
  } catch {
    return "none";
  }
}

/** Settings the repository takes from files somewhere else have no stamp here. */
function includesOthers(list: Uint8Array): boolean {
  const texts = splitNul(list).map((part) => new TextDecoder("latin1").decode(part));
  return texts.some((text, at) => at % 2 === 1 && /^include(if)?\./i.test(text) && isOfRepository(texts[at - 1]));
}

function isOfRepository(scope: string | undefined): boolean {
  return scope === "local" || scope === "worktree";
}

const FALLBACK_IDENTITY = {
  GIT_AUTHOR_NAME: "Ralph",
  GIT_AUTHOR_EMAIL: "ralph@localhost",
  GIT_COMMITTER_NAME: "Ralph",
  GIT_COMMITTER_EMAIL: "ralph@localhost",
};

/** `list` is what `git config --list --null --show-scope` prints. */
export function safeSettings(list: Uint8Array): SafeSettings {
  const texts = splitNul(list).map((part) => new TextDecoder().decode(part));
  const known = new Set<string>();
  const filters = new Set<string>();
  let trustsModes = true;
  for (let at = 0; at + 1 < texts.length; at += 2) {
    const [key = "", value = ""] = (texts[at + 1] ?? "").split("\n", 2);
    if (key === "core.filemode") trustsModes = !/^(false|no|off|0)$/i.test(value);
    if (value !== "") known.add(key);
    const filter = /^filter\.(.+)\.[^.]+$/s.exec(key)?.[1];
    const isOwn = texts[at] === "system" || texts[at] === "global";
    if (filter !== undefined && !isOwn && texts[at] !== "command") filters.add(filter);
  }
  const hasIdentity = known.has("user.name") && known.has("user.email");
  return {
    settings: [...filters].flatMap((name) => [
      ...["clean", "smudge", "process"].map((key) => `filter.${name}.${key}=`),
      `filter.${name}.required=false`,
    ]),
    identity: hasIdentity ? {} : FALLBACK_IDENTITY,
    trustsModes,
  };
}

export interface Head {
  /** Undefined where HEAD is detached. */
  branch: string | undefined;
  /** Undefined in a repository, or on a branch, without commits. */
  commit: string | undefined;
}

export type HeadResult = { ok: true; head: Head } | GitFailure;

export async function readHead(repository: Repository): Promise<HeadResult> {
  const [named, commit] = await Promise.all([
    repository.git({ arguments: ["symbolic-ref", "--quiet", "HEAD"] }),
    resolveCommit(repository, "HEAD"),
  ]);
  if (!named.ok && named.reason !== "failed") return named;
  const branch = named.ok ? gitText(named).replace(/^refs\/heads\//, "") : undefined;
  if (branch === undefined && commit === undefined) {
    return { ok: false, reason: "failed", message: "HEAD names neither a branch nor a commit." };
  }
  return { ok: true, head: { branch, commit } };
}

/** The branch alone, without a git where HEAD is a plain file that names one. */
export async function readBranch(
  repository: Repository,
): Promise<{ ok: true; branch: string | undefined } | GitFailure> {
  const file = readTextFile(join(repository.gitDirectory, "HEAD"), { maxBytes: MAX_HEAD_BYTES });
  // Where references are kept in another way, the file names one that cannot be, with a dot in front.
  const [, branch] = /^ref: refs\/heads\/([^.\s]\S*)\n$/.exec(file.ok ? file.text : "") ?? [];
  if (branch !== undefined) return { ok: true, branch };
  const read = await readHead(repository);
  return read.ok ? { ok: true, branch: read.head.branch } : read;
}

const MAX_HEAD_BYTES = 4096;

export async function resolveCommit(repository: Repository, name: string): Promise<string | undefined> {
  const found = await repository.git({
    arguments: ["rev-parse", "--quiet", "--verify", "--end-of-options", `${name}^{commit}`],
  });
  return found.ok ? gitText(found) : undefined;
}

/** The tree of a commit; that of no commit is the empty one. */
export async function treeOf(repository: Repository, commit: string | undefined): Promise<string | undefined> {
  if (commit === undefined) return emptyTree(repository);
  const found = await repository.git({ arguments: ["rev-parse", "--verify", `${commit}^{tree}`] });
  return found.ok ? gitText(found) : undefined;
}

export function emptyTree({ idLength }: Repository): string {
  return new Bun.CryptoHasher(idLength === 40 ? "sha1" : "sha256").update("tree 0\0").digest("hex");
}

function explained(failure: GitFailure, directory: string): GitFailure {
  if (failure.reason === "no-repository") {
    return { ...failure, message: `${directory} is in no git repository. \`git init\` makes one.` };
  }
  if (failure.reason === "bare") {
    return { ...failure, message: `${directory} is a bare repository. Name a folder with a working tree.` };
  }
  return failure;
}
