import { foldName } from "./fold-name.ts";
import {
  isSamePlace,
  type Place,
  partsOf,
  placeAt,
  resolveByText,
  resolveSafely,
  type SafeResolution,
} from "./resolve-safely.ts";

/** The folder the user chose, resolved like any other path. */
export interface Workspace {
  ok: true;
  path: string;
  names: string[];
  /** As it was named; another text than `path` where it is reached through a link. */
  givenNames: string[];
  /** Undefined where it is not on this disk, and everything is judged by its text. */
  place: Place | undefined;
}

type OpenedWorkspace = Workspace | { ok: false; reason: string };
type OpenWorkspace = (given: string, home: string | undefined) => OpenedWorkspace;

/**
 * Opens the same folder again and again. One that is named without a link is not resolved anew while the same folder stands there:
 * were a part of the way to it moved and linked to, paths through it would only count as outside.
 */
export function createWorkspaceOpener(): OpenWorkspace {
  let known: { given: string; workspace: Workspace } | undefined;
  return (given, home) => {
    if (known?.given === given && isSamePlace(placeAt(given), known.workspace.place)) return known.workspace;
    const opened = openWorkspace(given, home);
    known = opened.ok && opened.path === given ? { given, workspace: opened } : undefined;
    return opened;
  };
}

function openWorkspace(given: string, home: string | undefined): OpenedWorkspace {
  const text = home !== undefined && /^~(\/|$)/.test(given) ? `${home}${given.slice(1)}` : given;
  if (!text.startsWith("/"))
    return { ok: false, reason: "the workspace is not an absolute path, so nothing is inside" };
  if (/\p{Cc}/u.test(text)) return { ok: false, reason: "the name of the workspace holds a control character" };
  const givenNames = resolveByText(text).names;
  const found = resolveSafely(text);
  if (!found.ok) return { ok: false, reason: `the workspace cannot be resolved: ${found.reason}` };
  if (found.isMagic)
    return { ok: false, reason: "the workspace is reached through a link that every process sees otherwise" };
  if (found.kind === "missing")
    return { ok: true, path: `/${givenNames.join("/")}`, names: givenNames, givenNames, place: undefined };
  if (found.kind !== "directory") return { ok: false, reason: "the workspace is not a directory" };
  return { ok: true, path: found.path, names: found.names, givenNames, place: found.chain.at(-1) };
}

/**
 * The names of a resolved path below the workspace; undefined where it is outside. Another spelling of the workspace counts
 * only where the disk says that it is the same folder.
 */
export function namesInside(workspace: Workspace, { names, chain }: SafeResolution): string[] | undefined {
  const depth = workspace.names.length;
  if (startsWith(names, workspace.names)) return names.slice(depth);
  const isSpelling = startsWith(names.map(foldName), workspace.names.map(foldName));
  return isSpelling && isSamePlace(chain[depth], workspace.place) ? names.slice(depth) : undefined;
}

/** The same for a path that was only written down. */
export function namesWritten(workspace: Workspace, path: string): string[] | undefined {
  const names = partsOf(path);
  const start = [workspace.names, workspace.givenNames].find((folder) => startsWith(names, folder));
  return start === undefined ? undefined : names.slice(start.length);
}

function startsWith(names: readonly string[], start: readonly string[]): boolean {
  return start.length <= names.length && start.every((name, at) => name === names[at]);
}
