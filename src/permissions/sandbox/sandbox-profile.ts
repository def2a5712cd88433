import type { ProtectedNames } from "../paths/protected-names.ts";
import { GIT_READ_ONLY } from "./sandbox-rows.ts";

// What a command may reach, decided from what was found on the disk. No platform's own words yet.

export type PlaceKind = "file" | "directory";

export interface FoundPlace {
  /** Absolute, links resolved. */
  path: string;
  kind: PlaceKind;
}

/** A protected name that exists below a folder the command may write to. */
export interface FoundName extends FoundPlace {
  /** Neither read nor written, as opposed to not written. For an empty folder it is the same, and cheaper to do. */
  isHidden: boolean;
}

/** A folder git uses. */
export interface FoundGitFolder {
  path: string;
  /** Cannot be renamed away. Only where no command can exchange a folder above it while the mounts are made. */
  isPinned: boolean;
  /** Which of `GIT_READ_ONLY` exist in it. */
  existing: readonly string[];
}

/** What the effect layer looked up. */
export interface SandboxFindings {
  secrets: readonly FoundPlace[];
  sockets: readonly FoundPlace[];
  /** Below secrets or sockets, and readable all the same. */
  kept: readonly string[];
  /** `source` is another folder where the sandbox has its own. */
  caches: readonly { path: string; source: string; way: "shared" | "own" | "read-only" }[];
  names: readonly FoundName[];
  gitFolders: readonly FoundGitFolder[];
  /** Folders that stay writable but must not be renamed away with the protected names in them. */
  pinned: readonly string[];
}

export interface ProfileInput {
  workspace: string;
  /** Further places the person lets commands write to. */
  writable: readonly string[];
  home: string;
  /** A folder of this session, used as the folder for temporary files. */
  temporary: string;
  /** A file with nothing in it. */
  emptyFile: string;
  /** The sandbox's own folders for caches. */
  ownCaches: string;
  network: boolean;
  platform: "linux" | "darwin";
  mostProcesses: number;
  protectedNames: readonly ProtectedNames[];
  findings: SandboxFindings;
}

/** What stands at a path for the command. A deeper path always counts more than the one it is in. */
export type Layer =
  | { type: "writable"; path: string; source: string }
  | { type: "read-only"; path: string }
  | { type: "hidden"; path: string; kind: PlaceKind };

export interface SandboxProfile {
  workspace: string;
  home: string;
  temporary: string;
  emptyFile: string;
  network: boolean;
  mostProcesses: number;
  /** In the order in which they are put over each other, beginning with everything read-only. */
  layers: readonly Layer[];
  /** Places whose contents are protected by name, also where a name does not exist yet. */
  roots: readonly string[];
  protectedNames: readonly ProtectedNames[];
}

export function sandboxProfile(input: ProfileInput): SandboxProfile {
  const { workspace, home, temporary, emptyFile, network, mostProcesses, protectedNames, findings } = input;
  const roots = [workspace, ...input.writable];
  const layers: Layer[] = [
    ...temporaryPlaces(input).map((path): Layer => ({ type: "writable", path, source: temporary })),
    ...homeLayers(input),
    ...[...findings.secrets, ...findings.sockets].map(({ path, kind }): Layer => ({ type: "hidden", path, kind })),
    ...findings.kept.map((path): Layer => ({ type: "read-only", path })),
    ...cacheLayers(input),
    ...[...roots, ...findings.pinned].map((path): Layer => ({ type: "writable", path, source: path })),
    ...findings.gitFolders.flatMap(gitLayers),
    ...findings.names.map(nameLayer),
  ];
  return {
    workspace,
    home,
    temporary,
    emptyFile,
    network,
    mostProcesses,
    layers: inOrder(layers),
    roots,
    protectedNames,
  };
}

/** Where nothing can be mounted, programs are told of the session's folder by a variable instead. */
function temporaryPlaces({ platform, temporary }: ProfileInput): string[] {
  return platform === "linux" ? ["/tmp", "/var/tmp"] : [temporary];
}

/** A home among the temporary files would be covered with them. */
function homeLayers(input: ProfileInput): Layer[] {
  const { home, workspace, writable } = input;
  const isCovered = temporaryPlaces(input).some((path) => home.startsWith(`${path}/`));
  return isCovered && ![workspace, ...writable].includes(home) ? [{ type: "read-only", path: home }] : [];
}

/** Where nothing can be mounted, variables lead programs to folders of the sandbox's own. */
function cacheLayers({ platform, ownCaches, findings: { caches } }: ProfileInput): Layer[] {
  const inPlace = platform === "linux" ? caches : caches.filter(({ way }) => way === "shared");
  return [
    ...inPlace.map(({ path, source, way }): Layer => {
      return way === "read-only" ? { type: "read-only", path } : { type: "writable", path, source };
    }),
    ...(platform === "linux" ? [] : [{ type: "writable", path: ownCaches, source: ownCaches } as const]),
  ];
}

/** A folder that is a layer itself cannot be renamed away and made anew. */
function gitLayers({ path, isPinned, existing }: FoundGitFolder): Layer[] {
  const readOnly = GIT_READ_ONLY.filter((name) => existing.includes(name));
  return [
    ...(isPinned ? [{ type: "writable", path, source: path } as const] : []),
    ...readOnly.map((name): Layer => ({ type: "read-only", path: `${path}/${name}` })),
  ];
}

function nameLayer({ path, kind, isHidden }: FoundName): Layer {
  return isHidden ? { type: "hidden", path, kind } : { type: "read-only", path };
}

const STRICTNESS = { writable: 0, "read-only": 1, hidden: 2 };

/** From the root down, and of several for one path only the strictest. */
function inOrder(layers: readonly Layer[]): Layer[] {
  const byPath = new Map<string, Layer>();
  for (const layer of layers) {
    const known = byPath.get(layer.path);
    if (known === undefined || STRICTNESS[layer.type] > STRICTNESS[known.type]) byPath.set(layer.path, layer);
  }
  return [...byPath.values()].sort((one, other) => depth(one.path) - depth(other.path));
}

function depth(path: string): number {
  return path.split("/").filter((part) => part !== "").length;
}
