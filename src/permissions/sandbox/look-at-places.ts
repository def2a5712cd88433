import { accessSync, constants, existsSync, mkdirSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { foldName } from "../paths/fold-name.ts";
import type { OwnFolders } from "../paths/own-folders.ts";
import { PROTECTED_NAMES } from "../paths/protected-names.ts";
import { gitFoldersOf, isGitFolder, obeyedByGit } from "./git-folders.ts";
import type { FoundGitFolder, FoundPlace, SandboxFindings } from "./sandbox-profile.ts";
import { CACHE_ROWS, HELD_IN_HOME, KEPT_PLACES, READABLE_DATA, SECRET_PLACES, SOCKET_PLACES } from "./sandbox-rows.ts";
import { foundName, lookForNames, type NameOnDisk } from "./workspace-names.ts";

export interface LookOptions {
  /** The workspace first, then what else is writable. */
  roots: readonly string[];
  home: string;
  own: OwnFolders;
  network: boolean;
  /** Where the sandbox keeps folders of its own for what it may not write in place. */
  ownCaches: string;
}

export interface Looked {
  findings: SandboxFindings;
  /** Everything protected by name that exists in the roots. */
  names: NameOnDisk[];
  /** What was left out because there is too much of it. */
  notes: string[];
}

/** Each costs a mount, which is half a millisecond before every command. */
const MOST_NAMES = 60;

/** What the profile needs to know of the disk. Reads names, makes only folders of the sandbox's own. */
export function lookAtPlaces(options: LookOptions): Looked {
  const { roots, home, own } = options;
  const names = roots.flatMap(lookForNames);
  const gitFolders = gitFoldersIn(roots, names);
  const isGit = new Set(gitFolders.map(({ path }) => path));
  const inside = roots.flatMap((root) => [
    ...names.flatMap((name) => foundName(name, root)).filter(({ path }) => !isGit.has(path)),
    ...obeyedByGit(root).flatMap((path) => foundName(asName(path), root)),
  ]);
  const findings: SandboxFindings = {
    secrets: uncovered(secretPlaces(home, own), roots),
    sockets: SOCKET_PLACES.flatMap((path) => placeAt(resolve(home, path), home)),
    kept: keptPlaces(options),
    caches: cachesOf(options),
    names: inside.slice(0, MOST_NAMES),
    gitFolders,
    pinned: roots.includes(home) ? pinnedIn(home) : [],
  };
  const notes =
    inside.length > MOST_NAMES
      ? [`Only the first ${MOST_NAMES} of ${inside.length} protected names in the workspace are guarded for commands.`]
      : [];
  return { findings, names, notes };
}

/** Elsewhere deeper folders are not pinned: programs move files between them all the time. */
function pinnedIn(home: string): string[] {
  const parents = HELD_IN_HOME.filter((name) => name.includes("/")).map((name) => dirname(name));
  const paths = [...new Set(parents)].map((name) => join(home, name));
  return paths.filter((path) => placeAt(path, home).some((place) => place.path === path));
}

function gitFoldersIn(roots: readonly string[], names: readonly NameOnDisk[]): FoundGitFolder[] {
  const inside = names.filter(({ path }) => path.endsWith("/.git")).map(({ path }) => dirname(path));
  const nested = inside.filter((tree) => !roots.includes(tree) && isGitFolder(join(tree, ".git")));
  return [...roots.flatMap((root) => gitFoldersOf(root, true)), ...nested.flatMap((tree) => gitFoldersOf(tree, false))];
}

function asName(path: string): NameOnDisk {
  const [place] = placeAt(path, "/");
  const protection = { level: "read-only", name: path, reason: "git obeys it" } as const;
  return { path, protection, identity: "", target: place };
}

/** Whole secrets below the home, wherever they link to, and of Ralph's own folders what no command needs. */
function secretPlaces(home: string, own: OwnFolders): FoundPlace[] {
  const rows = PROTECTED_NAMES.filter(({ level }) => level === "secret");
  const listed = listedOnce();
  const byName = rows.flatMap(({ names, except = [] }) =>
    names
      .flatMap((name) => expand(home, name.split("/"), listed))
      .filter((path) => !except.some((other) => fits(other, lastOf(path)))),
  );
  const ownSecrets = ["config*", "models.yml", "secrets.yml", "mcp.json"].flatMap((name) =>
    expand(own.config, [name], listed),
  );
  // Where somebody works in the data folder itself, it is not hidden as a whole.
  const dataSecrets = ["credentials*", "blobs"].flatMap((name) => expand(own.data, [name], listed));
  const places = SECRET_PLACES.map((path) => resolve(home, path));
  const paths = [...byName, ...places, ...ownSecrets, own.data, ...dataSecrets];
  return uniqueByPath(paths.flatMap((path) => placeAt(path, home)));
}

/** A root stays in sight. What stands in a hidden folder needs no mount of its own, unless a root may bring it back. */
function uncovered(places: readonly FoundPlace[], roots: readonly string[]): FoundPlace[] {
  const hidden = places.filter(({ path }) => !roots.includes(path));
  const isBelow = (path: string) => (folder: string) => path.startsWith(`${folder}/`);
  const folders = hidden.map(({ path }) => path);
  return hidden.filter(({ path }) => !folders.some(isBelow(path)) || roots.some(isBelow(path)));
}

/** The existing paths a name with stars stands for. */
function expand(folder: string, [first, ...rest]: readonly string[], listed: Listing): string[] {
  if (first === undefined) return [folder];
  const names = first.includes("*") ? listed(folder).filter((name) => fits(first, name)) : [first];
  return names.flatMap((name) => expand(`${folder}/${name}`, rest, listed));
}

function fits(pattern: string, name: string): boolean {
  const known = expressions.get(pattern);
  const expression = known ?? expressionOf(pattern);
  if (known === undefined) expressions.set(pattern, expression);
  return expression.test(foldName(name));
}

/** Of the patterns of the tables, so that there are no more than those. */
const expressions = new Map<string, RegExp>();

function expressionOf(pattern: string): RegExp {
  const source = pattern
    .toLowerCase()
    .split("*")
    .map((piece) => piece.replace(/[.$^+?()[\]{}|\\]/g, "\\$&"));
  return new RegExp(`^${source.join(".*")}$`, "su");
}

type Listing = (folder: string) => readonly string[];

/** Many patterns are looked for in the same few folders. */
function listedOnce(): Listing {
  const known = new Map<string, string[]>();
  return (folder) => {
    const names = known.get(folder) ?? namesIn(folder);
    known.set(folder, names);
    return names;
  };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** What exists there and can be read. A place that holds the whole home is nobody's secret. */
function placeAt(path: string, home: string): FoundPlace[] {
  // Most do not exist, and an exception for each would cost more than all the rest.
  if (!existsSync(path)) return [];
  try {
    const real = realpathSync(path);
    const stats = statSync(real);
    accessSync(real, constants.R_OK);
    if (real === "/" || home === real || home.startsWith(`${real}/`)) return [];
    if (!stats.isFile() && !stats.isDirectory()) return [];
    return [{ path: real, kind: stats.isDirectory() ? "directory" : "file" }];
  } catch {
    return [];
  }
}

function keptPlaces({ network, own, home }: LookOptions): string[] {
  const system = KEPT_PLACES.filter(({ onlyWithNetwork }) => network || !onlyWithNetwork).map(({ path }) => path);
  const data = READABLE_DATA.map((name) => join(own.data, name));
  return uniqueByPath([...system, ...data].flatMap((path) => placeAt(path, home))).map(({ path }) => path);
}

function cachesOf({ home, ownCaches }: LookOptions): SandboxFindings["caches"] {
  return CACHE_ROWS.flatMap(({ path, way }) => {
    const [place] = placeAt(join(home, path), home);
    if (place?.kind !== "directory") return [];
    const source = way === "own" ? join(ownCaches, path.replaceAll("/", "-")) : place.path;
    return way === "own" && !made(source) ? [] : [{ path: place.path, source, way }];
  });
}

function made(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return true;
  } catch {
    return false;
  }
}

function uniqueByPath<T extends { path: string }>(places: readonly T[]): T[] {
  return [...new Map(places.map((place) => [place.path, place])).values()];
}
