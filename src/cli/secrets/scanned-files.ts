import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { type GitRepository, runGit } from "../../sessions/undo/git-repository.ts";
import { fileFailure } from "../../system/file-failure.ts";
import { lookAt } from "../../system/look-at.ts";

// The texts `ralph secrets scan` looks at.

export interface ScannedText {
  /** As it is shown. */
  path: string;
  /** What it was before; empty for all but staged files. */
  before: string;
  text: string;
}

export interface ScanWorld {
  cwd: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Of this repository; undefined outside of one. */
  repository: GitRepository | undefined;
  /** For what could not be looked at. */
  note(line: string): void;
}

export const MAX_FILE_BYTES = 20_000_000;
const MOST_FILES = 200_000;
const GIT_MS = 60_000;
const GIT_BYTES = 500_000_000;
/** Never worth a look outside of a repository, where nothing says what belongs to the project. */
const SKIPPED_FOLDERS = new Set([".git", "node_modules", ".venv", "target", "dist"]);

/** Files below the paths: inside a repository those that git knows or would add, outside all. A file that is named is always read. */
export async function* filesBelow(paths: readonly string[], world: ScanWorld): AsyncGenerator<ScannedText> {
  for (const path of paths.map((given) => resolve(world.cwd, given))) {
    const files = isDirectory(path) ? await filesOf(path, world) : [path];
    for (const file of files) {
      const text = readText(file, world);
      if (text !== undefined) yield { path: relative(world.cwd, file) || file, before: "", text };
    }
  }
}

async function filesOf(folder: string, world: ScanWorld): Promise<Iterable<string>> {
  const { repository, environment, note } = world;
  if (repository === undefined) return walk(folder, world);
  const listed = await runGit(["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    root: folder,
    repository,
    environment,
    index: join(repository.gitDirectory, "index"),
    deadlineMs: GIT_MS,
    capBytes: GIT_BYTES,
  });
  if (listed.ok) {
    const names = Buffer.from(listed.output).toString("utf8").split("\0");
    return names.slice(0, MOST_FILES).flatMap((name) => (name === "" ? [] : [join(folder, name)]));
  }
  note(`${listed.why}; every file below ${folder} is looked at instead.`);
  return walk(folder, world);
}

function* walk(top: string, { note }: ScanWorld): Generator<string> {
  const open = [top];
  let count = 0;
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of entriesOf(folder, note)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) open.push(path);
      if (!entry.isFile()) continue;
      if (++count > MOST_FILES) return note(`Only ${MOST_FILES} files are looked at; name folders to see the others.`);
      yield path;
    }
  }
}

function entriesOf(folder: string, note: (line: string) => void) {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    note(fileFailure(folder, error, "read").message);
    return [];
  }
}

/** Links are not followed: what they lead to is looked at where it lies. */
function isDirectory(path: string): boolean {
  return lookAt(path)?.isDirectory() === true;
}

function readText(path: string, world: ScanWorld): string | undefined {
  try {
    const stats = lstatSync(path);
    if (!stats.isFile()) return undefined;
    if (stats.size > MAX_FILE_BYTES) {
      world.note(`${relative(world.cwd, path)} was not looked at: it is larger than ${MAX_FILE_BYTES} bytes.`);
      return undefined;
    }
    return textOf(readFileSync(path));
  } catch {
    // A file that git knows may be gone from the disk.
    return undefined;
  }
}

const LOOKED_AT_FOR_ZEROS = 8000;

/** Undefined for what is no text. */
function textOf(bytes: Buffer): string | undefined {
  return bytes.subarray(0, LOOKED_AT_FOR_ZEROS).includes(0) ? undefined : bytes.toString("utf8");
}

export type ChangedTexts = { ok: true; texts: ScannedText[] } | { ok: false; message: string };

/** What would be committed now, beside what is committed already. */
export async function stagedTexts(world: ScanWorld): Promise<ChangedTexts> {
  return world.repository === undefined
    ? { ok: false, message: "--staged needs a git repository; there is none here." }
    : changedTexts(world, world.repository, ["--cached"]);
}

/** The same, were every change of the work tree and every new file added first. */
export async function addableTexts(world: ScanWorld): Promise<ChangedTexts> {
  const { repository } = world;
  if (repository === undefined) return { ok: true, texts: [] };
  const changed = await changedTexts(world, repository, []);
  if (!changed.ok) return changed;
  const run = gitRun(world, repository);
  const listed = await runGit(["ls-files", "-z", "--others", "--exclude-standard"], run);
  if (!listed.ok) return { ok: false, message: `New files could not be listed: ${listed.why}.` };
  const names = Buffer.from(listed.output).toString("utf8").split("\0").slice(0, MOST_FILES);
  const added = names.flatMap((path) => {
    const text = path === "" ? undefined : readText(join(repository.top, path), world);
    return text === undefined ? [] : [{ path, before: "", text }];
  });
  return { ok: true, texts: [...changed.texts, ...added] };
}

async function changedTexts(world: ScanWorld, repository: GitRepository, which: string[]): Promise<ChangedTexts> {
  const run = gitRun(world, repository);
  const hasCommit = (await runGit(["rev-parse", "--verify", "--quiet", "HEAD^{tree}"], run)).ok;
  const diff = ["diff-index", ...which, "--raw", "-z", "--no-renames", "--no-abbrev", "--diff-filter=AMT"];
  const listed = await runGit([...diff, hasCommit ? "HEAD" : EMPTY_TREE, "--"], run);
  if (!listed.ok) return { ok: false, message: `What is staged could not be read: ${listed.why}.` };
  const changes = changesIn(Buffer.from(listed.output).toString("utf8"));
  const objects = [...new Set(changes.flatMap(({ before, after }) => [before, after]))].filter((id) => !isNone(id));
  const contents = await runGit(["cat-file", "--batch"], { ...run, stdin: `${objects.join("\n")}\n` });
  if (!contents.ok) return { ok: false, message: `What is staged could not be read: ${contents.why}.` };
  const texts = objectsIn(Buffer.from(contents.output));
  return {
    ok: true,
    texts: changes.flatMap(({ path, before, after }) => {
      // What is not in git yet stands in the work tree.
      const text = isNone(after) ? readText(join(repository.top, path), world) : texts.get(after);
      return text === undefined ? [] : [{ path, before: texts.get(before) ?? "", text }];
    }),
  };
}

function isNone(id: string): boolean {
  return /^0+$/.test(id);
}

function gitRun({ environment }: ScanWorld, repository: GitRepository) {
  const index = join(repository.gitDirectory, "index");
  return { root: repository.top, repository, environment, index, deadlineMs: GIT_MS, capBytes: GIT_BYTES };
}

/** Git knows this tree without having it. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/** `:mode mode id id status NUL path NUL`, over and over. */
function changesIn(raw: string): { path: string; before: string; after: string }[] {
  const fields = raw.split("\0");
  return fields.flatMap((field, index) => {
    const ids = /^:\d+ (?<mode>\d+) (?<before>[0-9a-f]+) (?<after>[0-9a-f]+) /.exec(field)?.groups;
    const path = fields[index + 1];
    // 160000 is a commit of another repository, which is no file.
    if (index % 2 === 1 || ids === undefined || path === undefined || ids.mode === "160000") return [];
    return [{ path, before: ids.before ?? "", after: ids.after ?? "" }];
  });
}

/** `id type size LF content LF`, over and over. Only texts are kept. */
function objectsIn(batch: Buffer): Map<string, string> {
  const texts = new Map<string, string>();
  for (let at = 0; at < batch.length; ) {
    const end = batch.indexOf(10, at);
    if (end === -1) break;
    const [id = "", type, size] = batch.toString("latin1", at, end).split(" ");
    at = end + 1;
    if (type !== "blob" || size === undefined) continue;
    const text = textOf(batch.subarray(at, at + Number(size)));
    if (text !== undefined && Number(size) <= MAX_FILE_BYTES) texts.set(id, text);
    at += Number(size) + 1;
  }
  return texts;
}
