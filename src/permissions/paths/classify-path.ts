import { classifyWindowsPath } from "./classify-windows-path.ts";
import { forbids, matchProtected, type Protection } from "./match-protected.ts";
import { endInFolder, endsOf, type PathEnd } from "./path-ends.ts";
import { type GlobPlaces, type PathTest, protectedGlob } from "./path-globs.ts";
import { grantsFor } from "./path-grants.ts";
import { type PathRequest, type PathVerdict, strictest } from "./path-request.ts";
import { type PathReading, readPathText } from "./path-text.ts";
import { createProtectedIdentities, type LookedIn, type ProtectedIdentities } from "./protected-identities.ts";
import { type PathResolution, partsOf, resolveByText, resolveSafely } from "./resolve-safely.ts";
import { isWindowsPath } from "./windows-path.ts";
import { namesInside, namesWritten, openWorkspace, type Workspace } from "./workspace.ts";

export interface ClassifierOptions {
  /** What `~` stands for where a request does not say. */
  home: string | undefined;
  /** Where Ralph keeps what belongs to the user, absolute. */
  own: { config: string; data: string };
  /** The wall clock. */
  now: () => number;
}

export type PathClassifier = (request: PathRequest) => PathVerdict;

/**
 * Says where the paths of a request lead: the strictest class of all ends and of all ways to read them. What cannot be
 * resolved is never inside. It remembers for a while which files are protected, so one is made for a whole run.
 */
export function createPathClassifier({ home, own, now }: ClassifierOptions): PathClassifier {
  const identities = createProtectedIdentities(now);
  return (given) => {
    const request = { ...given, home: absoluteHome(given.home ?? home) };
    if (isWindowsPath(request.workspace)) return classifyWindowsPath(request);
    const workspace = openWorkspace(request.workspace, request.home);
    if (!workspace.ok) return { class: "external", resolved: "", reason: workspace.reason };
    return classifyEnds({ request, workspace, own, identities, ...globsOf(request, workspace) });
  };
}

/** A home that counts from somewhere would make `~` another place for everyone who asks. */
function absoluteHome(home: string | undefined): string | undefined {
  if (home === undefined || /\p{Cc}/u.test(home)) return undefined;
  return home.startsWith("/") || isWindowsPath(home) ? home : undefined;
}

interface Context {
  request: PathRequest;
  workspace: Workspace;
  own: ClassifierOptions["own"];
  identities: ProtectedIdentities;
  globs: GlobPlaces;
  further: { glob: string; fits: PathTest }[];
}

function globsOf(request: PathRequest, { path, place }: Workspace): Pick<Context, "globs" | "further"> {
  const globs = { root: path, home: request.home, isOnDisk: place !== undefined };
  return { globs, further: (request.protected ?? []).map((glob) => ({ glob, fits: protectedGlob(glob, globs) })) };
}

function classifyEnds(context: Context): PathVerdict {
  const { request } = context;
  const [first, ...others] = endsOf(request);
  const inFolder = leadsIntoFolder(context, request.dest) ? endInFolder(request) : undefined;
  const ends = [...others, ...(inFolder === undefined ? [] : [inFolder])];
  const verdicts: [PathVerdict, ...PathVerdict[]] = [
    classifyEnd(context, first),
    ...ends.map((end) => classifyEnd(context, end)),
  ];
  return withGrantsOfAll(strictest(...verdicts), verdicts);
}

/** What one end was granted says nothing about the other. */
function withGrantsOfAll(verdict: PathVerdict, ends: readonly PathVerdict[]): PathVerdict {
  if (verdict.class !== "external") return verdict;
  const external = ends.filter((end) => end.class === "external");
  const missing = external.find(({ grants }) => grants === undefined);
  return missing ?? { ...verdict, grants: [...new Set(external.flatMap(({ grants }) => grants ?? []))] };
}

function leadsIntoFolder(context: Context, dest: string | undefined): boolean {
  if (dest === undefined) return false;
  if (/(^|[/\\])\.{0,2}$/.test(dest) || dest === "~") return true;
  const text = readPathText(dest, context.request.home);
  if (!text.ok) return false;
  const resolution = resolve(context, text.readings[0].text);
  return resolution.ok && resolution.kind === "directory";
}

function classifyEnd(context: Context, end: PathEnd): PathVerdict {
  const text = readPathText(end.path, context.request.home);
  if (!text.ok) return { class: text.class, resolved: "", reason: `${text.reason}, so nobody can say where it leads` };
  const [plain, ...others] = text.readings;
  const verdict = classifyReading(context, end, plain);
  const otherwise = others.map((reading) => withoutGrants(classifyReading(context, end, reading)));
  const doubts = [...text.doubts, ...text.windowsDoubts].map(
    (doubt): PathVerdict => ({
      class: "external",
      resolved: verdict.resolved,
      reason: `it is not taken for a path of the workspace: ${doubt}`,
    }),
  );
  const worst = strictest(verdict, ...otherwise, ...doubts);
  // Of two that are equally strict, the one without a grant counts.
  return worst.class === "external"
    ? ([...otherwise, ...doubts].find((other) => other.class === "external") ?? worst)
    : worst;
}

/** A grant is for the place that is opened, not for what somebody else might make of the text. */
function withoutGrants({ class: kind, resolved, reason }: PathVerdict): PathVerdict {
  return { class: kind, resolved, reason };
}

function classifyReading(context: Context, end: PathEnd, { text, how }: PathReading): PathVerdict {
  const resolution = resolve(context, text);
  const verdict = classifyResolution(context, end, resolution);
  return how === undefined ? verdict : { ...verdict, reason: `${verdict.reason} (read ${how})` };
}

function resolve({ request, workspace }: Context, text: string): PathResolution {
  const find = workspace.place === undefined ? resolveByText : resolveSafely;
  if (text.startsWith("/")) return find(text);
  const cwd = request.cwd === undefined ? undefined : readPathText(request.cwd, request.home);
  if (cwd?.ok === false)
    return { ok: false, path: text, aliases: [], reason: `in the working directory, ${cwd.reason}` };
  const start = cwd?.readings[0].text ?? workspace.path;
  return find(`${start.startsWith("/") ? start : `${workspace.path}/${start}`}/${text}`);
}

function classifyResolution(context: Context, end: PathEnd, resolution: PathResolution): PathVerdict {
  const { path: resolved } = resolution;
  const protection = protectionFor(context, end, resolution);
  if (protection !== undefined)
    return { class: "protected", resolved, reason: `${protection.name} is protected: ${protection.reason}` };
  const outside = outsideBecause(context, end, resolution);
  if (outside === undefined) return { class: "inside", resolved, reason: "it is in the workspace" };
  if (!resolution.ok || resolution.isMagic) return { class: "external", resolved, reason: outside };
  return withGrants(context, end, { class: "external", resolved, reason: outside });
}

function withGrants({ request, globs }: Context, { access }: PathEnd, verdict: PathVerdict): PathVerdict {
  const grants = grantsFor(verdict.resolved, access, { rules: request.grants ?? [], places: globs });
  return grants === undefined
    ? verdict
    : { ...verdict, reason: `${verdict.reason}; ${grants.join(" and ")} allows it`, grants };
}

/** Undefined for what is inside. */
function outsideBecause({ workspace }: Context, { isEntry }: PathEnd, resolution: PathResolution): string | undefined {
  if (!resolution.ok) return `nobody can say where it leads: ${resolution.reason}`;
  if (resolution.isMagic) return "it goes over a link that every process sees otherwise";
  if (resolution.kind === "other") return "it is a pipe, a socket or a device";
  const names = namesInside(workspace, resolution);
  if (names === undefined) return "it leads out of the workspace";
  if (isEntry && names.length === 0) return "it is the workspace itself, whose name stands in the folder above";
  if (isEntry && namesWritten(workspace, resolution.entry) === undefined)
    return "it is a link outside of the workspace";
  return undefined;
}

function protectionFor(
  context: Context,
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
  const same = identities.protectionOf(resolution, foldersToLookIn(context));
  return same !== undefined && forbids(same, end.access)
    ? { name: same.name, reason: `${same.reason}, and this is the same file or folder under another name` }
    : undefined;
}

/** Below the workspace only the names inside count: where it stands is the user's choice. */
function protectionsOf({ workspace, own }: Context, { folders }: PathEnd, path: string): (Protection | undefined)[] {
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
function ownNames(workspace: Workspace, own: ClassifierOptions["own"], path: string): string[][] {
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

function foldersToLookIn({ workspace, own, request }: Context): LookedIn[] {
  return [
    { path: workspace.path, isWhole: true },
    ...(request.home === undefined ? [] : [{ path: request.home, isWhole: false }]),
    { path: own.config, as: STANDARD_CONFIG, isWhole: false },
    { path: own.data, as: STANDARD_DATA, isWhole: false },
  ];
}
