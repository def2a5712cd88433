import { realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { asObject } from "../../protocol/json.ts";
import { readTextFile } from "../../system/text-file.ts";

// The folders whose files a person decided to obey. A folder below a trusted one is trusted; the one above is not. A folder counts
// by its real path and its inode, so one that was put in its place does not inherit the trust.

export interface TrustedFolder {
  /** Real and absolute. */
  path: string;
  inode: string;
  /** ISO 8601. */
  at: string;
  /** Digest of what the project's files allowed when a person was shown it; absent where nothing was shown. */
  allows?: string;
}

export type TrustResult = { ok: true; folder: TrustedFolder } | { ok: false; message: string };

export interface TrustStore {
  isTrusted(folder: string): boolean;
  list(): { ok: true; folders: TrustedFolder[] } | { ok: false; message: string };
  /** What the files of exactly this folder may allow, as it was shown; undefined where the folder is not trusted by itself. */
  allowsOf(folder: string): string | undefined;
  trust(folder: string, allows?: string): Promise<TrustResult>;
  /** Of exactly this folder. A path that is not there any more can be forgotten too. */
  forget(folder: string): Promise<TrustResult>;
}

export interface TrustStoreOptions {
  /** The file; it need not exist. */
  path: string;
  /** Wall clock, milliseconds. */
  now(): number;
}

export function createTrustStore({ path, now }: TrustStoreOptions): TrustStore {
  return {
    isTrusted(folder) {
      const known = read(path);
      return known.ok && known.folders.length > 0 && isBelow(folder, known.folders);
    },
    list: () => read(path),
    allowsOf(folder) {
      const real = identity(folder);
      const known = real === undefined ? undefined : read(path);
      if (known?.ok !== true) return undefined;
      return known.folders.find(({ path: at, inode }) => at === real?.path && inode === real.inode)?.allows;
    },
    trust: (folder, allows) =>
      change(path, (folders) => {
        const real = identity(folder);
        if (real === undefined) return `${folder} is not there, so it cannot be trusted.`;
        const trusted = { ...real, at: new Date(now()).toISOString(), ...(allows === undefined ? {} : { allows }) };
        return { folder: trusted, folders: [...folders.filter((known) => known.path !== real.path), trusted] };
      }),
    forget: (folder) =>
      change(path, (folders) => {
        const real = identity(folder)?.path ?? folder;
        const found = folders.find((known) => known.path === real);
        if (found === undefined) return `${real} is not in the list of trusted folders. See: ralph trust --list`;
        return { folder: found, folders: folders.filter((known) => known !== found) };
      }),
  };
}

function isBelow(folder: string, folders: readonly TrustedFolder[]): boolean {
  const real = identity(folder)?.path;
  for (let at = real; at !== undefined; at = dirname(at)) {
    const known = folders.find(({ path }) => path === at);
    if (known !== undefined && identity(at)?.inode === known.inode) return true;
    if (at === dirname(at)) return false;
  }
  return false;
}

function identity(folder: string): Pick<TrustedFolder, "path" | "inode"> | undefined {
  try {
    const path = realpathSync(folder);
    const stats = statSync(path, { bigint: true });
    return stats.isDirectory() ? { path, inode: String(stats.ino) } : undefined;
  } catch {
    return undefined;
  }
}

const VERSION = 1;
const MAX_BYTES = 4_000_000;
const LOCK_WAIT_MS = 5000;

function read(path: string): ReturnType<TrustStore["list"]> {
  const file = readTextFile(path, { maxBytes: MAX_BYTES });
  if (!file.ok) return file.reason === "missing" ? { ok: true, folders: [] } : file;
  try {
    const document = asObject(JSON.parse(file.text));
    if (document?.version === VERSION && Array.isArray(document.folders))
      return { ok: true, folders: document.folders.filter(isTrustedFolder) };
  } catch {
    // Told below, like any other file that is not ours.
  }
  return {
    ok: false,
    message: `${path} is damaged or of another version, so no folder is trusted. Correct it, or remove it and trust anew.`,
  };
}

function isTrustedFolder(value: unknown): value is TrustedFolder {
  const folder = asObject(value);
  return ["path", "inode", "at"].every((name) => typeof folder?.[name] === "string");
}

type Change = (
  folders: readonly TrustedFolder[],
) => string | { folder: TrustedFolder; folders: readonly TrustedFolder[] };

async function change(path: string, changed: Change): Promise<TrustResult> {
  const { ensureDirectory, writeFileAtomic } = await import("../../system/files.ts");
  const { acquireLock } = await import("../../system/lock.ts");
  const directory = await ensureDirectory(dirname(path), 0o700);
  if (!directory.ok) return directory;
  const lock = await acquireLock(`${path}.lock`, { owner: "ralph trust", waitMs: LOCK_WAIT_MS });
  if (!lock.ok) return { ok: false, message: lock.message };
  try {
    const known = read(path);
    if (!known.ok) return known;
    const result = changed(known.folders);
    if (typeof result === "string") return { ok: false, message: result };
    const text = `${JSON.stringify({ version: VERSION, folders: result.folders }, null, 2)}\n`;
    const written = await writeFileAtomic(path, text, { mode: 0o600 });
    return written.ok ? { ok: true, folder: result.folder } : written;
  } finally {
    await lock.release();
  }
}
