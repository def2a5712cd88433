import { forbids, matchProtected } from "./match-protected.ts";
import { endInFolder, endsOf, type PathEnd } from "./path-ends.ts";
import { protectedGlob } from "./path-globs.ts";
import { type PathRequest, type PathVerdict, strictest } from "./path-request.ts";
import { readPathText } from "./path-text.ts";
import { resolveWindowsPath, type WindowsPath, windowsNamesBelow, windowsText } from "./windows-path.ts";

/** For a workspace such as `C:\project`: by the text alone, and without grants, whose globs are for slashes. */
export function classifyWindowsPath(request: PathRequest): PathVerdict {
  const workspace = resolveWindowsPath(request.workspace, undefined);
  if (!workspace.ok) return { class: "external", resolved: "", reason: `in the workspace, ${workspace.reason}` };
  const cwd = request.cwd === undefined ? workspace : resolveWindowsPath(request.cwd, workspace);
  if (!cwd.ok) return { class: "external", resolved: "", reason: `in the working directory, ${cwd.reason}` };
  const [first, ...others] = endsOf(request);
  const inFolder = /(^|[/\\])\.{0,2}$/.test(request.dest ?? "x") ? endInFolder(request) : undefined;
  const ends = inFolder === undefined ? others : [...others, inFolder];
  const classify = (end: PathEnd) => classifyEnd({ request, workspace, cwd }, end);
  return strictest(classify(first), ...ends.map(classify));
}

interface Places {
  request: PathRequest;
  workspace: WindowsPath;
  cwd: WindowsPath;
}

function classifyEnd(places: Places, end: PathEnd): PathVerdict {
  const text = readPathText(end.path, places.request.home);
  if (!text.ok) return { class: text.class, resolved: "", reason: `${text.reason}, so nobody can say where it leads` };
  const [plain, ...others] = text.readings.map((reading) => classifyText(places, end, reading.text));
  const doubts = text.doubts.map((doubt) => doubted(plain?.resolved ?? "", doubt));
  return strictest(plain ?? doubted("", "it is empty"), ...others, ...doubts);
}

function classifyText({ request, workspace, cwd }: Places, end: PathEnd, text: string): PathVerdict {
  const found = resolveWindowsPath(text, cwd);
  if (!found.ok) return { class: "external", resolved: "", reason: `nobody can say where it leads: ${found.reason}` };
  const resolved = windowsText(found);
  const inside = windowsNamesBelow(workspace, found);
  const protection = matchProtected(inside ?? found.names, { isFromRoot: false, folders: end.folders });
  if (protection !== undefined && forbids(protection, end.access))
    return { class: "protected", resolved, reason: `${protection.name} is protected: ${protection.reason}` };
  const further = request.protected?.find((glob) => fitsBelow(glob, inside));
  if (further !== undefined)
    return { class: "protected", resolved, reason: `${further} is protected: it was added to the protected names` };
  const [doubt] = found.doubts;
  if (doubt !== undefined) return doubted(resolved, doubt);
  if (inside === undefined) return { class: "external", resolved, reason: "it leads out of the workspace" };
  if (end.isEntry && inside.length === 0)
    return { class: "external", resolved, reason: "it is the workspace itself, whose name stands in the folder above" };
  return { class: "inside", resolved, reason: "it is in the workspace" };
}

function doubted(resolved: string, doubt: string): PathVerdict {
  return { class: "external", resolved, reason: `it is not taken for a path of the workspace: ${doubt}` };
}

function fitsBelow(glob: string, names: readonly string[] | undefined): boolean {
  if (names === undefined) return false;
  return protectedGlob(glob.replaceAll("\\", "/"), { root: "", home: undefined, isOnDisk: false })(
    `/${names.join("/")}`,
  );
}
