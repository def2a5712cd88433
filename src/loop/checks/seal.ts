import { posix } from "node:path";
import type { Cheat } from "../../protocol/loop-entries.ts";
import type { Story } from "../../protocol/loop-tasks.ts";
import { type Candidate, commitTree } from "../git/candidate.ts";
import { editTree } from "../git/edit-tree.ts";
import type { GitFailure } from "../git/git.ts";
import { shownPath } from "../git/path-bytes.ts";
import { emptyTree, type Repository } from "../git/repository.ts";
import type { TreeValue } from "../git/temporary-index.ts";
import { readBlob, readTree, type TreeEntries, writeBlob } from "../git/tree-entries.ts";
import { sameValue } from "../git/workspace-state.ts";
import { readCommands } from "./command-words.ts";
import { type NamedScript, namedScript } from "./named-scripts.ts";
import { readScripts, withScripts } from "./package-scripts.ts";
import { programStamps } from "./program-stamps.ts";
import { sealedWords } from "./sealed-words.ts";

/** What may not change between the start of a run and its checks. */
export interface Seal {
  /** Of the checks of all stories and of all they rely on in the base. Absent where no story has checks. */
  digest: string | undefined;
  base: string | undefined;
  stories: ReadonlyMap<string, StorySeal>;
}

export interface StorySeal {
  files: ReadonlyMap<string, TreeValue>;
  scripts: readonly SealedScript[];
  /** What stood in the folders of installed programs under the names the checks start. */
  programs: ReadonlyMap<string, string>;
}

export interface SealedScript extends NamedScript {
  value: string | undefined;
}

type SealedStory = Pick<Story, "id" | "checks" | "sealed">;

/** Freezes the checks of stories at a commit. */
export async function sealChecks(
  repository: Repository,
  { base, stories }: { base: string | undefined; stories: readonly SealedStory[] },
): Promise<{ ok: true; seal: Seal } | GitFailure> {
  const read = base === undefined ? { ok: true as const, entries: new Map() } : await readTree(repository, base);
  if (!read.ok) return read;
  const withChecks = stories.filter(({ checks }) => checks.length > 0);
  const manifests = await readManifests(repository, read.entries, withChecks);
  const paths = [...read.entries.keys()];
  const sealed = new Map<string, StorySeal>();
  for (const story of withChecks) {
    const words = sealedWords({
      commands: commandsOf(story),
      patterns: story.sealed,
      paths,
      scriptsOf: (file) => manifests.get(file),
    });
    const files = [...words.paths].sort().flatMap((path) => {
      const value = read.entries.get(path);
      return value === undefined ? [] : [[path, value] as const];
    });
    const programs = await programStamps(repository.root, [...words.programs]);
    sealed.set(story.id, { files: new Map(files), scripts: [...words.scripts.values()], programs });
  }
  const digest = withChecks.length === 0 ? undefined : sealDigest(withChecks, sealed);
  return { ok: true, seal: { digest, base, stories: sealed } };
}

/** Installed programs are left out: they may change between two starts of one run. */
export function sealDigest(stories: readonly SealedStory[], sealed: ReadonlyMap<string, StorySeal>): string {
  const parts = stories.map(({ id, checks, sealed: patterns }) => {
    const { files = new Map(), scripts = [] } = sealed.get(id) ?? {};
    return [id, checks, patterns, [...files], scripts.map(({ file, name, value }) => [file, name, value ?? null])];
  });
  return `sha256:${new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest("hex")}`;
}

export interface SealedCandidate {
  ok: true;
  candidate: Candidate;
  cheats: Cheat[];
  /** Paths that were put back: the working tree still has the agent's version of them. */
  putBack: readonly string[];
}

export interface SealRequest {
  candidate: Candidate;
  /** Where the work on the story began; undefined where there was no commit. */
  since: string | undefined;
  seal: StorySeal;
  message: string;
}

/** The candidate with everything sealed as it was. What the checks see and what lands is this. */
export async function putSealBack(
  repository: Repository,
  { candidate, since, seal, message }: SealRequest,
): Promise<SealedCandidate | GitFailure> {
  const [read, earlier] = await Promise.all([
    readTree(repository, candidate.tree),
    readTree(repository, since ?? emptyTree(repository)),
  ]);
  if (!read.ok) return read;
  if (!earlier.ok) return earlier;
  const files = changedFiles(seal, read.entries);
  const scripts = await changedScripts(repository, { seal, entries: read.entries });
  const links = await linksOutside(repository, {
    paths: candidate.files.filter((path) => !files.edits.has(path)),
    entries: read.entries,
    earlier: earlier.entries,
  });
  const edits = new Map<string, TreeValue | undefined>([...links.edits, ...scripts.edits, ...files.edits]);
  const programs = await changedPrograms(repository, { seal, candidate });
  const cheats = [...files.cheats, ...scripts.cheats, ...links.cheats, ...programs];
  if (edits.size === 0) return { ok: true, candidate, cheats, putBack: [] };
  const edited = await editTree(repository, { tree: candidate.tree, edits });
  if (!edited.ok) return edited;
  const commit = await commitTree(repository, { tree: edited.tree, parent: candidate.parent, message });
  if (!commit.ok) return commit;
  const left = candidate.files.filter((path) => !files.edits.has(path) && !links.edits.has(path));
  return {
    ok: true,
    candidate: { ...candidate, commit: commit.commit, tree: edited.tree, files: left, isEmpty: left.length === 0 },
    cheats,
    putBack: [...edits.keys()].sort(),
  };
}

function commandsOf({ checks }: SealedStory): string[] {
  return checks.flatMap((check) => (check.type === "run" ? [check.run] : []));
}

/** Every package.json of the base outside of installed packages, where a check runs a script at all. */
async function readManifests(
  repository: Repository,
  entries: TreeEntries,
  stories: readonly SealedStory[],
): Promise<Map<string, Record<string, string>>> {
  const found = new Map<string, Record<string, string>>();
  const commands = stories.flatMap(commandsOf).flatMap((command) => readCommands(command));
  if (!commands.some((command) => namedScript(command) !== undefined)) return found;
  const files = [...entries].filter(
    ([path]) => /(^|\/)package\.json$/.test(path) && !/(^|\/)node_modules\//.test(path),
  );
  for (const [path, { id }] of files.slice(0, MOST_MANIFESTS)) {
    const bytes = await readBlob(repository, id);
    const scripts = bytes === undefined ? undefined : readScripts(new TextDecoder().decode(bytes));
    if (scripts !== undefined) found.set(path, scripts);
  }
  return found;
}

const MOST_MANIFESTS = 200;

interface Changed {
  edits: Map<string, TreeValue | undefined>;
  cheats: Cheat[];
}

/** What has to be put back in a tree so that everything sealed is as it was. */
export async function sealChanges(
  repository: Repository,
  seal: StorySeal,
  entries: TreeEntries,
): Promise<ReadonlyMap<string, TreeValue | undefined>> {
  const scripts = await changedScripts(repository, { seal, entries });
  return new Map([...scripts.edits, ...changedFiles(seal, entries).edits]);
}

export function changedFiles({ files }: StorySeal, entries: TreeEntries): Changed {
  const changed: Changed = { edits: new Map(), cheats: [] };
  for (const [path, value] of files) {
    const now = entries.get(path);
    if (sameValue(now, value)) continue;
    changed.edits.set(path, value);
    const how = now === undefined ? "was deleted" : now.mode === "120000" ? "was made a link" : "was changed";
    changed.cheats.push({
      kind: "sealed-file-edited",
      detail: `${shownPath(path)} ${how}; the checks ran with the original.`,
    });
  }
  return changed;
}

async function changedScripts(
  repository: Repository,
  { seal, entries }: { seal: StorySeal; entries: TreeEntries },
): Promise<Changed> {
  const changed: Changed = { edits: new Map(), cheats: [] };
  for (const [file, scripts] of Map.groupBy(seal.scripts, (script) => script.file)) {
    const entry = entries.get(file);
    const bytes = entry === undefined || entry.mode === "120000" ? undefined : await readBlob(repository, entry.id);
    const text = bytes === undefined ? "{}" : new TextDecoder().decode(bytes);
    const now = readScripts(text) ?? {};
    const edited = scripts.filter(({ name, value }) => now[name] !== value);
    if (edited.length === 0) continue;
    const values = new Map(edited.map(({ name, value }) => [name, value]));
    const fixed = withScripts(text, values) ?? withScripts("{}", values) ?? "{}";
    const id = await writeBlob(repository, Buffer.from(fixed));
    if (id !== undefined) changed.edits.set(file, { mode: entry?.mode === "100755" ? "100755" : "100644", id });
    for (const { name, value } of edited) changed.cheats.push(scriptCheat({ file, name, value }, now[name]));
  }
  return changed;
}

function scriptCheat({ file, name, value }: SealedScript, now: string | undefined): Cheat {
  const was = value === undefined ? "was not there" : `was \`${value}\``;
  const is = now === undefined ? "is gone" : `is \`${now}\``;
  return {
    kind: "script-edited",
    detail: `The script "${name}" of ${file} ${was} and now ${is}; the checks ran with the original.`,
  };
}

interface LinkRequest {
  paths: readonly string[];
  entries: TreeEntries;
  /** Before the work. */
  earlier: TreeEntries;
}

/**
 * Links of the work that lead out of the repository are taken out of it: what they lead to is in no commit. The file or the folder
 * they took the place of is there again.
 */
async function linksOutside(repository: Repository, { paths, entries, earlier }: LinkRequest): Promise<Changed> {
  const changed: Changed = { edits: new Map(), cheats: [] };
  for (const path of paths) {
    const entry = entries.get(path);
    if (entry?.mode !== "120000") continue;
    const target = new TextDecoder().decode((await readBlob(repository, entry.id)) ?? new Uint8Array());
    if (!leadsOut(path, target)) continue;
    changed.edits.set(path, earlier.get(path));
    for (const [inside, value] of earlier) if (inside.startsWith(`${path}/`)) changed.edits.set(inside, value);
    const detail = `${shownPath(path)} is a link to ${shownPath(target)}, which is in no commit; it was left out.`;
    changed.cheats.push({ kind: "link-outside", detail });
  }
  return changed;
}

/** Whether a link at a path of the repository leads out of it. */
export function leadsOut(path: string, target: string): boolean {
  if (posix.isAbsolute(target)) return true;
  const way = posix.normalize(posix.join(posix.dirname(path), target));
  return way === ".." || way.startsWith("../") || way === ".git" || way.startsWith(".git/");
}

/** A program under the name a check starts that is another one now, although nothing was installed. */
async function changedPrograms(
  repository: Repository,
  { seal, candidate }: { seal: StorySeal; candidate: Candidate },
): Promise<Cheat[]> {
  if (candidate.files.some((path) => MANIFESTS.test(path))) return [];
  const names = [...seal.programs.keys()].map((path) => path.slice(path.lastIndexOf("/") + 1));
  const now = await programStamps(repository.root, [...new Set(names)]);
  return [...seal.programs.keys()]
    .filter((path) => seal.programs.get(path) !== now.get(path))
    .map((path) => ({ kind: "script-edited", detail: `${path}, which a check starts, is not the program it was.` }));
}

const MANIFESTS =
  /(^|\/)(package\.json|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|pyproject\.toml|requirements[^/]*\.txt|poetry\.lock|uv\.lock|Pipfile(\.lock)?|composer\.(json|lock)|Gemfile(\.lock)?)$/;
