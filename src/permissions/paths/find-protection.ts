import { forbids, matchProtected, type Protection } from "./match-protected.ts";
import type { PathEnd } from "./path-ends.ts";
import type { PathTest } from "./path-globs.ts";
import type { LookedIn, ProtectedIdentities } from "./protected-identities.ts";
import { type PathResolution, partsOf } from "./resolve-safely.ts";
import { namesInside, namesWritten, type Workspace } from "./workspace.ts";

/** Where Ralph keeps what belongs to the user, absolute. */
export interface OwnFolders {
  config: string;
  data: string;
}

export interface ProtectionContext {
  workspace: Workspace;
  own: OwnFolders;
  home: string | undefined;
  identities: ProtectedIdentities;
  /** Names that are protected beside those of the table. */
  further: { glob: string; fits: PathTest }[];
}

/** Why nobody may do this there: by the names of the path, by the names of the links to it, or because it is the same file. */
export function findProtection(
  context: ProtectionContext,
  end: PathEnd,
  resolution: PathResolution,
): Omit<Protection, "level"> | undefined {
  const { further, identities } = context;
  const written = [resolution.path, ...resolution.aliases, ...(resolution.ok && end.isEntry ? [resolution.entry] : [])];
  const byName = written.flatMap((path) => protectionsOf(context, end, path));
  const found = byName.find((protection) => protection !== undefined && forbids(protection, end.access));
  if (found !== undefined) return found;
  const extra = further.find(({ fits }) => written.some((path) => fits(path)));
  if (extra !== undefined) return { name: extra.glob, reason: "it was added to the protected names" };
  if (!resolution.ok || context.workspace.place === undefined) return undefined;
  const isInside = namesInside(context.workspace, resolution) !== undefined;
  const skipped = isInside ? context.workspace.names.length + 1 : 0;
  const same = identities.protectionOf(resolution, { roots: foldersToLookIn(context), skipped });
  return same !== undefined && forbids(same, end.access)
    ? { name: same.name, reason: `${same.reason}, and this is the same file or folder under another name` }
    : undefined;
}

/** Below the workspace only the names inside count: where it stands is the user's choice. */
function protectionsOf(
  { workspace, own }: ProtectionContext,
  { folders }: PathEnd,
  path: string,
): (Protection | undefined)[] {
  const inside = namesWritten(workspace, path);
  const names = inside ?? partsOf(path);
  const isFromRoot = names.length === partsOf(path).length;
  return [
    matchProtected(names, { isFromRoot, folders }),
    ...ownNames(workspace, own, path).map((own) => matchProtected(own, { isFromRoot: false, folders })),
  ];
}

const STANDARD_CONFIG = [".config", "ralph"];
const STANDARD_DATA = [".local", "share", "ralph"];

/** Ralph's own folders are protected wherever they were moved, under the names they usually have. */
function ownNames(workspace: Workspace, own: OwnFolders, path: string): string[][] {
  const inConfig = below(own.config, path);
  const inData = below(own.data, path);
  const worksInData = below(own.data, workspace.path) !== undefined;
  return [
    ...(inConfig === undefined ? [] : [[...STANDARD_CONFIG, ...inConfig]]),
    ...(inData === undefined || worksInData ? [] : [[...STANDARD_DATA, ...inData]]),
  ];
}

function below(folder: string, path: string): string[] | undefined {
  const start = partsOf(folder);
  const names = partsOf(path);
  return start.every((name, at) => name === names[at]) ? names.slice(start.length) : undefined;
}

function foldersToLookIn({ workspace, own, home }: ProtectionContext): LookedIn[] {
  return [
    { path: workspace.path, isWhole: true },
    ...(home === undefined ? [] : [{ path: home, isWhole: false }]),
    { path: own.config, as: STANDARD_CONFIG, isWhole: false },
    { path: own.data, as: STANDARD_DATA, isWhole: false },
  ];
}
