import { type BigIntStats, lstatSync, readlinkSync } from "node:fs";
import { posix } from "node:path";
import { errorCode, fileFailure } from "../../system/file-failure.ts";

// The one way a path becomes a place: part by part, as the kernel walks it.

/** Something on the disk, by what it is and not by its name. */
export interface Place {
  device: bigint;
  inode: bigint;
  kind: "file" | "directory" | "link" | "other";
  /** How many names it has. */
  names: bigint;
  /** When it last got or lost a name, milliseconds since 1970. */
  changedAt: number;
}

export interface SafeResolution {
  ok: true;
  /** Absolute; no part of it that exists is a link. */
  path: string;
  /** Its names, from the root. */
  names: string[];
  kind: Place["kind"] | "missing";
  /** What stands at the root and at each name of the path, as far as it exists. */
  chain: Place[];
  /** Where the last given name itself stands: another place than `path` where it is a link. */
  entry: string;
  /** The same place under the names of the links that led to it. */
  aliases: string[];
  /** The way went over a link that means something else for every process. */
  isMagic: boolean;
}

/** A failure has the path as it was written, without `..`. */
export type PathResolution = SafeResolution | { ok: false; path: string; aliases: string[]; reason: string };

export const MAXIMUM_LINKS = 40;

/**
 * Where an absolute path leads: links are followed one by one, `..` goes up from where a link led, what does not exist is
 * placed under its nearest existing ancestor, and a link to nothing leads to where the file would be made. Reads names only.
 */
export function resolveSafely(absolute: string): PathResolution {
  return resolveWith(look, absolute);
}

/** The same by the text alone, for a place that is not on this disk. */
export function resolveByText(absolute: string): SafeResolution {
  const resolution = resolveWith(lookAtNothing, absolute);
  if (!resolution.ok) throw new Error(`${absolute} has links without a disk`);
  return resolution;
}

type Look = (path: string) => Place | "missing" | { reason: string };

interface Walk {
  look: Look;
  names: string[];
  chain: Place[];
  pending: string[];
  links: number;
  entry: string | undefined;
  aliases: string[];
  isMagic: boolean;
}

function resolveWith(look: Look, absolute: string): PathResolution {
  const walk: Walk = {
    look,
    names: [],
    chain: [],
    pending: partsOf(absolute),
    links: 0,
    entry: undefined,
    aliases: [],
    isMagic: false,
  };
  const root = look("/");
  if (root !== "missing" && !("reason" in root)) walk.chain.push(root);
  while (walk.pending.length > 0) {
    const reason = step(walk);
    if (reason !== undefined) {
      const aliases = [...walk.aliases, posix.normalize(textOf(walk, walk.pending))];
      return { ok: false, path: posix.normalize(absolute), aliases, reason };
    }
  }
  const path = textOf(walk, []);
  const { names, chain, aliases, isMagic, entry = path } = walk;
  return { ok: true, path, names, kind: topOf(walk)?.kind ?? "missing", chain, entry, aliases, isMagic };
}

/** Takes the next part; a reason says why nobody can know where the path leads. */
function step(walk: Walk): string | undefined {
  const part = walk.pending.shift() ?? ".";
  const top = topOf(walk);
  if (part === ".") return undefined;
  if (top !== undefined && top.kind !== "directory") return `${textOf(walk, [])} is not a directory`;
  if (part === "..") return stepUp(walk);
  const path = textOf(walk, [part]);
  if (walk.pending.length === 0) walk.entry ??= path;
  walk.isMagic ||= MAGIC.test(path);
  const found = top === undefined ? "missing" : walk.look(path);
  if (found !== "missing" && "reason" in found) return found.reason;
  if (found !== "missing" && found.kind === "link") return follow(walk, path);
  walk.names.push(part);
  if (found !== "missing") walk.chain.push(found);
  return undefined;
}

/** Links there depend on who asks: what they mean now says nothing about the process that opens them. */
const MAGIC = /^\/(proc|dev\/(fd|std(in|out|err)))(\/|$)/i;

/** From a place that does not exist yet the text decides, because the resolved path is what is used, never the given one. */
function stepUp(walk: Walk): undefined {
  walk.names.pop();
  walk.chain.length = Math.min(walk.chain.length, walk.names.length + 1);
}

function follow(walk: Walk, link: string): string | undefined {
  walk.links++;
  walk.aliases.push(posix.normalize(textOf({ names: partsOf(link) }, walk.pending)));
  if (walk.links > MAXIMUM_LINKS) return `${link} is behind more than ${MAXIMUM_LINKS} links; they may form a loop`;
  try {
    const target = readlinkSync(link);
    if (target.startsWith("/")) {
      walk.names = [];
      walk.chain.length = 1;
    }
    walk.pending.unshift(...partsOf(target));
    return undefined;
  } catch (error) {
    return fileFailure(link, error, "followed").message;
  }
}

/** What stands where the walk is; undefined where nothing does. */
function topOf({ names, chain }: Walk): Place | undefined {
  return chain.length === names.length + 1 ? chain.at(-1) : undefined;
}

function textOf({ names }: Pick<Walk, "names">, more: readonly string[]): string {
  return `/${[...names, ...more].join("/")}`;
}

export function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

function look(path: string): ReturnType<Look> {
  try {
    return placeOf(lstatSync(path, { bigint: true }));
  } catch (error) {
    return errorCode(error) === "ENOENT" ? "missing" : { reason: fileFailure(path, error, "reached").message };
  }
}

/** What stands under this name itself; undefined where nothing can be seen. */
export function placeAt(path: string): Place | undefined {
  const found = look(path);
  return found === "missing" || "reason" in found ? undefined : found;
}

/** Without a disk every name below the root is one that does not exist yet. */
function lookAtNothing(): "missing" {
  return "missing";
}

export function placeOf(stats: BigIntStats): Place {
  return {
    device: stats.dev,
    inode: stats.ino,
    kind: kindOf(stats),
    names: stats.nlink,
    changedAt: Number(stats.ctimeMs),
  };
}

function kindOf(stats: BigIntStats): Place["kind"] {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  return stats.isSymbolicLink() ? "link" : "other";
}

export function isSamePlace(one: Place | undefined, other: Place | undefined): boolean {
  return one !== undefined && other !== undefined && one.device === other.device && one.inode === other.inode;
}
