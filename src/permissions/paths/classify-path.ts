import { classifyWindowsPath } from "./classify-windows-path.ts";
import { findProtection, type ProtectionContext } from "./find-protection.ts";
import { type OwnFolders, ownPlaces } from "./own-folders.ts";
import { endInFolder, endsOf, type PathEnd } from "./path-ends.ts";
import { type GlobPlaces, protectedGlob } from "./path-globs.ts";
import { grantsFor } from "./path-grants.ts";
import { type PathRequest, type PathVerdict, strictest } from "./path-request.ts";
import { type PathReading, readPathText } from "./path-text.ts";
import { createProtectedIdentities } from "./protected-identities.ts";
import { type PathResolution, resolveByText, resolveSafely, type SafeResolution } from "./resolve-safely.ts";
import { isWindowsPath } from "./windows-path.ts";
import { createWorkspaceOpener, namesInside, namesWritten, type Workspace } from "./workspace.ts";

export interface ClassifierOptions {
  /** What `~` stands for where a request does not say. */
  home: string | undefined;
  own: OwnFolders;
  /** The wall clock. */
  now: () => number;
}

export type PathClassifier = (request: PathRequest) => PathVerdict;

/**
 * Says where the paths of a request lead: the strictest class of all ends and of all ways to read them. What cannot be
 * resolved is never inside. It remembers for a while which files are protected, so one is made for a whole run.
 */
export function createPathClassifier({ home, own: folders, now }: ClassifierOptions): PathClassifier {
  const own = ownPlaces(folders);
  const identities = createProtectedIdentities(now);
  const openWorkspace = createWorkspaceOpener();
  return (given) => {
    const request = { ...given, home: absoluteHome(given.home ?? home) };
    if (isWindowsPath(request.workspace)) return classifyWindowsPath(request);
    const workspace = openWorkspace(request.workspace, request.home);
    if (!workspace.ok) return { class: "external", resolved: "", reason: workspace.reason };
    return classifyEnds({ request, workspace, own, home: request.home, identities, ...globsOf(request, workspace) });
  };
}

/** A home that counts from somewhere would make `~` another place for everyone who asks. */
function absoluteHome(home: string | undefined): string | undefined {
  if (home === undefined || /\p{Cc}/u.test(home)) return undefined;
  return home.startsWith("/") || isWindowsPath(home) ? home : undefined;
}

interface Context extends ProtectionContext {
  request: PathRequest;
  globs: GlobPlaces;
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
  const doubts = [...text.doubts, ...text.windowsDoubts, ...doubtsOfStart(context, plain.text)].map(
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

/** A working directory that can be read in several ways makes every relative path doubtful. */
function doubtsOfStart({ request }: Context, text: string): string[] {
  if (text.startsWith("/") || request.cwd === undefined) return [];
  const cwd = readPathText(request.cwd, request.home);
  if (!cwd.ok) return [];
  const isDoubtful = cwd.readings.length > 1 || cwd.doubts.length > 0 || cwd.windowsDoubts.length > 0;
  return isDoubtful ? ["its working directory can be read in several ways"] : [];
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
  const protection = findProtection(context, end, resolution);
  if (protection !== undefined)
    return { class: "protected", resolved, reason: `${protection.name} is protected: ${protection.reason}` };
  const outside = outsideBecause(context, end, resolution);
  if (outside === undefined) return { class: "inside", resolved, reason: "it is in the workspace" };
  if (!resolution.ok || resolution.isMagic) return { class: "external", resolved, reason: outside };
  const grants = grantsOf(context, end, resolution);
  const verdict: PathVerdict = { class: "external", resolved, reason: outside };
  return grants === undefined
    ? verdict
    : { ...verdict, reason: `${outside}; ${grants.join(" and ")} allows it`, grants };
}

/** Where the name itself comes or goes, it needs its own grant beside what it links to. */
function grantsOf(
  { request, workspace, globs }: Context,
  end: PathEnd,
  resolution: SafeResolution,
): string[] | undefined {
  const { path, entry } = resolution;
  const places = new Set([
    ...(namesInside(workspace, resolution) === undefined ? [path] : []),
    ...(end.isEntry && namesWritten(workspace, entry) === undefined ? [entry] : []),
  ]);
  const grants = [...places].map((place) =>
    grantsFor(place, end.access, { rules: request.grants ?? [], places: globs }),
  );
  if (grants.length === 0 || grants.includes(undefined)) return undefined;
  return [...new Set(grants.flatMap((rules) => rules ?? []))];
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
