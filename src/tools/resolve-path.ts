import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { errorCode, fileFailure } from "../system/file-failure.ts";
import type { ToolWorld } from "./tool-world.ts";

export type PathKind = "file" | "directory" | "link" | "missing";

export interface ResolvedPath {
  ok: true;
  /** Absolute; no part of it that exists is a link, save the last one where links are kept. */
  path: string;
  kind: PathKind;
  /** Decided by where the path leads, never by how it is written. */
  isInside: boolean;
  /** For people and models: relative to the workspace where it is inside. */
  shown: string;
}

export type PathResolution = ResolvedPath | { ok: false; message: string };

export interface ResolveOptions {
  /** The entry itself is meant, not what it links to: for removing and moving. */
  keepsLastLink?: boolean;
}

const MAXIMUM_LINKS = 40;

/**
 * Where a model's path leads, part by part as the system itself would walk. New files are placed under their nearest
 * existing ancestor. Pipes, sockets and devices are refused without opening them. Reads only names, never content.
 */
export function resolvePath(
  world: Pick<ToolWorld, "root" | "environment" | "addresses">,
  given: string,
  { keepsLastLink = false }: ResolveOptions = {},
): PathResolution {
  if (given.trim() === "")
    return refused("The path is empty: give a path relative to the workspace, or an absolute one.");
  if (given.includes("\0")) return refused("The path contains a zero byte.");
  if (world.addresses?.isHosted(given))
    return refused(`${given} is an address, not a path of a file. Only read_file and write_file take it.`);
  const expanded = withHome(given, world.environment.HOME);
  const start = isAbsolute(expanded) ? expanded : `${world.root}${sep}${expanded}`;
  const walk: Walk = { at: "/", kind: "directory", pending: partsOf(start), links: 0 };
  while (walk.pending.length > 0) {
    const problem = step(walk, { given, keepsLastLink });
    if (problem !== undefined) return refused(problem);
  }
  const isInside = isWithin(world.root, walk.at);
  const shown = isInside ? relative(world.root, walk.at) || "." : walk.at;
  return { ok: true, path: walk.at, kind: walk.kind, isInside, shown };
}

export function isWithin(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

interface Walk {
  at: string;
  kind: PathKind;
  pending: string[];
  links: number;
}

/** Takes the next part; a message says why the walk ends here. */
function step(walk: Walk, { given, keepsLastLink }: { given: string; keepsLastLink: boolean }): string | undefined {
  const part = walk.pending.shift() ?? ".";
  if (part === ".") return undefined;
  if (part === "..") return stepUp(walk, given);
  if (walk.kind === "file") return `${given} cannot be reached: ${walk.at} is a file, not a directory.`;
  const next = join(walk.at, part);
  const found = walk.kind === "missing" ? "missing" : look(next);
  if (typeof found === "object" && "message" in found) return found.message;
  if (typeof found === "object" && found.isSymbolicLink() && !(keepsLastLink && walk.pending.length === 0)) {
    walk.links++;
    return follow(walk, next);
  }
  const kind = found === "missing" ? "missing" : kindOf(found);
  if (kind === undefined)
    return `${given} is a pipe, a socket or a device. File tools work on files and directories only.`;
  walk.at = next;
  walk.kind = kind;
  return undefined;
}

/** Going up from a place that is not there could end anywhere once it is made, so it is refused. */
function stepUp(walk: Walk, given: string): string | undefined {
  if (walk.kind !== "directory")
    return `${given} goes up from ${walk.at}, which is not a directory. Give the path without "..".`;
  walk.at = dirname(walk.at);
  return undefined;
}

function follow(walk: Walk, link: string): string | undefined {
  if (walk.links > MAXIMUM_LINKS)
    return `${link} is behind more than ${MAXIMUM_LINKS} symbolic links; they may form a loop.`;
  try {
    const target = readlinkSync(link);
    if (isAbsolute(target)) walk.at = "/";
    walk.pending.unshift(...partsOf(target));
    walk.kind = "directory";
    return undefined;
  } catch (error) {
    return fileFailure(link, error, "followed").message;
  }
}

function look(path: string): Stats | "missing" | { message: string } {
  try {
    return lstatSync(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "missing";
    return { message: fileFailure(path, error, "reached").message };
  }
}

function kindOf(stats: Stats): PathKind | undefined {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  return stats.isSymbolicLink() ? "link" : undefined;
}

function partsOf(path: string): string[] {
  return path.split(sep).filter((part) => part !== "");
}

function withHome(path: string, home: string | undefined): string {
  if (home === undefined || !isAbsolute(home)) return path;
  if (path === "~") return home;
  return path.startsWith("~/") ? join(home, path.slice(2)) : path;
}

function refused(message: string): PathResolution {
  return { ok: false, message };
}
