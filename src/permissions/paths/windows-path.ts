import { foldName, shortNameBase } from "./fold-name.ts";

// Paths of a Windows workspace, judged by their text alone.

export interface WindowsPath {
  ok: true;
  /** `c:` or `//server/share`, folded. */
  volume: string;
  names: string[];
  /** Why it is never taken for a path of the workspace. */
  doubts: string[];
}

export type WindowsResolution = WindowsPath | { ok: false; reason: string };

export function isWindowsPath(text: string): boolean {
  return /^([a-z]:([\\/]|$)|\\\\)/i.test(text);
}

/** Where `text` leads when relative paths begin at `base`. */
export function resolveWindowsPath(text: string, base: WindowsPath | undefined): WindowsResolution {
  const slashes = text.replaceAll("\\", "/");
  if (/^\/\/[?.]\/|^\/\?\?\//.test(slashes)) return refused("it names a device, or a path nobody checks");
  const share = /^\/\/(?<server>[^/]+)\/(?<share>[^/]+)(?<rest>.*)$/s.exec(slashes)?.groups;
  if (share !== undefined) return placed(`//${share.server}/${share.share}`.toLowerCase(), [], share.rest ?? "");
  const drive = /^(?<letter>[a-z]):(?<rest>.*)$/is.exec(slashes)?.groups;
  if (drive !== undefined) {
    if (!/^(\/|$)/.test(drive.rest ?? "")) return refused("it counts from wherever that drive is");
    return placed(`${drive.letter?.toLowerCase()}:`, [], drive.rest ?? "");
  }
  if (base === undefined) return refused("it is not absolute");
  return placed(base.volume, slashes.startsWith("/") ? [] : base.names, slashes);
}

export function windowsText({ volume, names }: WindowsPath): string {
  const start = volume.startsWith("//") ? volume.replaceAll("/", "\\") : volume.toUpperCase();
  return `${start}\\${names.join("\\")}`;
}

/** The names of `path` below `folder`; undefined where it is not inside. */
export function windowsNamesBelow(folder: WindowsPath, path: WindowsPath): string[] | undefined {
  const isInside =
    folder.volume === path.volume &&
    folder.names.every((name, at) => foldName(name) === foldName(path.names[at] ?? ""));
  return isInside ? path.names.slice(folder.names.length) : undefined;
}

function placed(volume: string, start: readonly string[], rest: string): WindowsPath {
  const names = [...start];
  const doubts: string[] = [];
  for (const part of rest.split("/").filter((name) => name !== "" && name !== ".")) {
    if (part === "..") names.pop();
    else {
      names.push(part);
      doubts.push(...DOUBTS.filter(({ fits }) => fits(part)).map(({ reason }) => reason));
    }
  }
  return { ok: true, volume, names, doubts };
}

const DOUBTS: { reason: string; fits: (name: string) => boolean }[] = [
  { reason: "it names a stream of a file", fits: (name) => name.includes(":") },
  { reason: "it holds a short name, which may stand for any file", fits: (name) => shortNameBase(name) !== undefined },
  { reason: "Windows drops dots and blanks at the end of a name", fits: (name) => /[. ]$/.test(name) },
  {
    reason: "it names a device",
    fits: (name) => /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i.test(name.trim()),
  },
];

function refused(reason: string): WindowsResolution {
  return { ok: false, reason };
}
