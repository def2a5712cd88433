import { isAbsolute, join, normalize } from "node:path";

// Paths by their text alone.

export function resolveFrom(cwd: string, path: string): string {
  const resolved = normalize(isAbsolute(path) ? path : join(cwd, path));
  return resolved.length > 1 && resolved.endsWith("/") ? resolved.slice(0, -1) : resolved;
}

/** Files of the kernel that hold nothing: reading and writing them changes nothing. */
export function isHarmlessDevice(path: string): boolean {
  return /^\/dev\/(null|zero|stdin|stdout|stderr|fd\/[0-2]|urandom|random)$/.test(path);
}

export function hasParentComponent(path: string): boolean {
  return path.split("/").includes("..");
}

/** The folder part of a pattern that holds no pattern itself; "" for the folder it is used in. */
export function fixedFolder(pattern: string): string {
  const parts = pattern.split("/");
  const first = parts.findIndex((part) => /[*?[]/.test(part));
  return parts.slice(0, Math.max(first, 0)).join("/") || (pattern.startsWith("/") ? "/" : "");
}

/** A pattern that starts with a dot, or looks into a hidden folder, may match protected files. */
export function matchesHidden(pattern: string, folder: string): boolean {
  const hidden = folder.split("/").some((part) => /^\.[^.]/.test(part) && !OPEN_FOLDERS.has(part));
  return hidden || pattern.split("/").some((part) => part.startsWith(".") && /[*?[]/.test(part));
}

/** Names of keys that are not hidden. A pattern that says little about the name (`*`, `a*`) is as broad as a recursive search, and no more. */
const SECRET_NAMES =
  "id_rsa id_dsa id_ecdsa id_ed25519 key.pem privkey.pem server-key.pem private.pem private.key a.p12 a.pfx a.ppk a.kdbx a.jks a.keystore authorized_keys _netrc".split(
    " ",
  );

/** A pattern that spells out enough of a name to mean a key. */
export function matchesSecret(pattern: string): boolean {
  const last = pattern.slice(pattern.lastIndexOf("/") + 1);
  const spelled = last.replace(/\[[^\]]*\]?|[*?.]/g, "");
  if (spelled.length < 3) return false;
  const escaped = last.replace(/[\\^$.|+(){}]/g, "\\$&");
  const source = escaped.replace(/\[[^\]]*\]?|\?/g, ".").replace(/\*+/g, ".*");
  return SECRET_NAMES.some((name) => new RegExp(`^${source}$`, "i").test(name));
}

const OPEN_FOLDERS = new Set([".github", ".circleci", ".storybook", ".changeset"]);
