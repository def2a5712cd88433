import { statSync } from "node:fs";
import { join } from "node:path";
import { matchProtected, type Protection } from "./match-protected.ts";
import { entriesIn, smallText } from "./read-quietly.ts";
import { isSamePlace, type Place, partsOf, placeOf, type SafeResolution } from "./resolve-safely.ts";

// Protected files under names that do not show it: hard links, bind mounts, and folders that a protected name links to.

export interface ProtectedIdentities {
  /** The protection of what stands at the end of the path, or on the way to it after its first `skipped` places. */
  protectionOf(
    resolution: SafeResolution,
    where: { roots: readonly LookedIn[]; skipped: number },
  ): Protection | undefined;
  /** The identities of the secrets that stand in these folders or that a name there links to; the same set while it is believed. */
  secretsIn(roots: readonly LookedIn[]): ReadonlySet<string>;
}

/** A folder in which protected files are looked for. */
export interface LookedIn {
  path: string;
  /** The names its entries are protected under, where they are not its own. */
  as?: readonly string[];
  /** Folders with ordinary names are searched too. */
  isWhole: boolean;
}

/** How long what was found is believed, and how far one look goes. */
const FRESH_MS = 30_000;
const MOST_ENTRIES = 5000;
const MOST_IN_FOLDER = 1000;
const DEEPEST = 4;
const PARENTS = 3;
const MOST_REMEMBERED = 200;

interface Found {
  at: number;
  places: { place: Place; protection: Protection }[];
}

/** `now` is the wall clock, which is what the disk writes down too. */
export function createProtectedIdentities(now: () => number): ProtectedIdentities {
  const remembered = new Map<string, Found>();
  let secrets: { found: Found["places"][]; identities: ReadonlySet<string> } = { found: [], identities: new Set() };

  /** A look is repeated when it is old, or older than the newest name of the file in question. */
  function look(root: LookedIn, depth: number, since: number): Found["places"] {
    const key = `${depth} ${root.isWhole} ${root.path}`;
    const known = remembered.get(key);
    if (known !== undefined && now() - known.at < FRESH_MS && now() >= known.at && known.at > since)
      return known.places;
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    // The clock of the disk is coarser than ours.
    const found = { at: now() - COARSENESS_MS, places: lookInto(root, depth) };
    remembered.set(key, found);
    return found.places;
  }

  return {
    protectionOf(resolution, { roots, skipped }) {
      const last = resolution.kind === "file" ? resolution.chain.at(-1) : undefined;
      const hasOtherNames = last !== undefined && last.names > 1n;
      const since = hasOtherNames ? last.changedAt : 0;
      const folders = hasOtherNames ? [...roots, ...parentsOf(resolution.names)] : roots;
      const depth = hasOtherNames ? DEEPEST : 1;
      const known = folders.flatMap((root) => look(root, depth, since));
      const places = resolution.chain.slice(skipped);
      const fitting = known.filter(({ place: protectedPlace }) =>
        places.some((place) => isSamePlace(place, protectedPlace)),
      );
      const strict = fitting.find(({ protection }) => protection.level === "secret");
      return (strict ?? fitting[0])?.protection;
    },
    secretsIn(roots) {
      const found = roots.map((root) => look(root, 1, 0));
      const isKnown = found.length === secrets.found.length && found.every((one, at) => one === secrets.found[at]);
      if (!isKnown)
        secrets = {
          found,
          identities: new Set(
            found
              .flat()
              .filter(isSecret)
              .map(({ place }) => identityOf(place)),
          ),
        };
      return secrets.identities;
    },
  };
}

const COARSENESS_MS = 20;

function isSecret({ protection }: Found["places"][number]): boolean {
  return protection.level === "secret";
}

export function identityOf({ device, inode }: Pick<Place, "device" | "inode">): string {
  return `${device}:${inode}`;
}

function parentsOf(names: readonly string[]): LookedIn[] {
  const levels = Array.from({ length: PARENTS }, (_, level) => names.slice(0, -1 - level));
  return levels.filter(({ length }) => length > 0).map((parent) => ({ path: `/${parent.join("/")}`, isWhole: false }));
}

/** Everything protected below a folder, nearest first, as far as the bounds allow. Links are followed to what they mean. */
function lookInto({ path: root, as = [], isWhole }: LookedIn, deepest: number): Found["places"] {
  const found = gitPlaces(root);
  const open: string[][] = [[]];
  let left = MOST_ENTRIES;
  for (let names = open.shift(); names !== undefined && left > 0; names = open.shift()) {
    const entries = entriesIn(join(root, ...names)).slice(0, Math.min(left, MOST_IN_FOLDER));
    left -= entries.length;
    for (const entry of entries) {
      const own = [...names, entry.name];
      const protection = matchProtected([...as, ...own], { isFromRoot: root === "/", folders: "none" });
      if (protection !== undefined) add(found, join(root, ...own), protection);
      if (entry.isDirectory() && isWorthOpening(own, { deepest, isWhole })) open.push(own);
    }
  }
  return found;
}

function isWorthOpening(
  names: readonly string[],
  { deepest, isWhole }: { deepest: number; isWhole: boolean },
): boolean {
  const name = names.at(-1) ?? "";
  if (names.length > deepest || SKIPPED.has(name)) return false;
  return (
    (isWhole && names.length < deepest) || matchProtected(names, { isFromRoot: false, folders: "all" }) !== undefined
  );
}

/** Folders of thousands of files that are nobody's settings. */
const SKIPPED = new Set(["node_modules", "objects", "lfs", "logs", "refs"]);

/** The folder git really uses for a work tree or a submodule, and the folder its hooks are in. */
function gitPlaces(root: string): Found["places"] {
  const found: Found["places"] = [];
  const pointed = /^gitdir: *(?<path>.+)$/m.exec(smallText(join(root, ".git")))?.groups?.path?.trim();
  const folder = pointed === undefined ? join(root, ".git") : absoluteFrom(root, pointed);
  const common = smallText(join(folder, "commondir")).trim();
  const shared = common === "" ? folder : absoluteFrom(folder, common);
  if (pointed !== undefined) add(found, folder, GIT_FOLDER);
  if (common !== "") add(found, shared, GIT_FOLDER);
  const hooks = /^\s*hooksPath\s*=\s*"?(?<path>[^"#;\n]+)"?/im.exec(smallText(join(shared, "config")))?.groups?.path;
  if (hooks !== undefined && partsOf(hooks.trim()).length > 0)
    add(found, absoluteFrom(root, hooks.trim()), HOOKS_FOLDER);
  return found;
}

const GIT_FOLDER: Protection = {
  level: "read-only",
  name: ".git",
  reason: "version control runs programs named there",
};
const HOOKS_FOLDER: Protection = { level: "read-only", name: "core.hooksPath", reason: "git runs the programs in it" };

function absoluteFrom(folder: string, path: string): string {
  return path.startsWith("/") ? path : join(folder, path);
}

function add(found: Found["places"], path: string, protection: Protection): void {
  try {
    found.push({ place: placeOf(statSync(path, { bigint: true })), protection });
  } catch {
    // A name without a file has no identity; the name itself is protected.
  }
}
