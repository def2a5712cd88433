import { forbids, matchProtected, type Protection } from "./match-protected.ts";
import { namesIn, type OwnPlaces } from "./own-folders.ts";
import type { PathEnd } from "./path-ends.ts";
import type { PathTest } from "./path-globs.ts";
import type { LookedIn, ProtectedIdentities } from "./protected-identities.ts";
import { type PathResolution, partsOf } from "./resolve-safely.ts";
import { namesInside, namesWritten, type Workspace } from "./workspace.ts";

export interface ProtectionContext {
  workspace: Workspace;
  own: OwnPlaces;
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
  const same = identities.protectionOf(resolution, {
    roots: foldersToLookIn({ ...context, workspace: context.workspace.path }),
    skipped,
  });
  return same !== undefined && forbids(same, end.access)
    ? { name: same.name, reason: `${same.reason}, and this is the same file or folder under another name` }
    : undefined;
}

/** Below the workspace only the names inside count: where it stands is the user's choice. */
function protectionsOf(context: ProtectionContext, { folders }: PathEnd, path: string): (Protection | undefined)[] {
  const inside = namesWritten(context.workspace, path);
  const names = inside ?? partsOf(path);
  const isFromRoot = names.length === partsOf(path).length;
  return [matchProtected(names, { isFromRoot, folders }), ...ownProtections(context, folders, path)];
}

/** Ralph's own folders are protected wherever they were moved. Who works in its data gets at everything there but secrets. */
function ownProtections({ workspace, own }: ProtectionContext, folders: PathEnd["folders"], path: string) {
  const match = (names: string[]) => matchProtected(names, { isFromRoot: false, folders });
  const inData = namesIn(own.data, path).map(match);
  const worksInData = namesIn(own.data, workspace.path).length > 0;
  return [
    ...namesIn(own.config, path).map(match),
    ...(worksInData ? inData.filter((protection) => protection?.level === "secret") : inData),
  ];
}

/** Where protected names are looked for that other names may stand for. */
export function foldersToLookIn({
  workspace,
  own,
  home,
}: {
  workspace: string;
  own: OwnPlaces;
  home: string | undefined;
}): LookedIn[] {
  return [
    { path: workspace, isWhole: true },
    ...(home === undefined ? [] : [{ path: home, isWhole: false }]),
    ...[own.config[0], own.data[0]].flatMap((place) => (place === undefined ? [] : [{ ...place, isWhole: false }])),
  ];
}
