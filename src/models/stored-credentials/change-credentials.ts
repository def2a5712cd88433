import { unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { fileFailure } from "../../system/file-failure.ts";
import { ensureDirectory, writeFileAtomic } from "../../system/files.ts";
import { acquireLock } from "../../system/lock.ts";
import { removeStaleTemporaries } from "../../system/temporary-names.ts";
import {
  type CredentialEntries,
  MAX_CREDENTIAL_BYTES,
  printCredentialFile,
  readCredentialFile,
  type SealedEntry,
} from "./credential-file.ts";
import { type EncryptionKey, makeEncryptionKey, readEncryptionKey } from "./encryption-key.ts";
import { type EntryAbout, seal } from "./seal.ts";

// Every change of the store: one process at a time, whole or not at all. A file that cannot be read is never written over.

export type Changed = { ok: true } | { ok: false; message: string };

const LOCK_WAIT_MS = 10_000;

export interface NewEntry {
  about: EntryAbout;
  text: string;
  /** Asked under the lock about what stands there now; a no leaves it. */
  mayReplace?(existing: SealedEntry | undefined): boolean;
}

export async function putCredential(path: string, { about, text, mayReplace }: NewEntry): Promise<Changed> {
  return changed(path, async (entries) => {
    if (mayReplace?.(entries.get(about.provider)) === false) return entries;
    const key = await keyFor(path, entries);
    if (!key.ok) return { ok: false, message: key.message };
    return new Map([...entries, [about.provider, await seal(key.key, about, text)]]);
  });
}

export async function removeCredential(path: string, provider: string): Promise<Changed & { wasThere?: boolean }> {
  let wasThere = false;
  const done = await changed(path, async (entries) => {
    wasThere = entries.has(provider);
    return wasThere ? new Map([...entries].filter(([name]) => name !== provider)) : entries;
  });
  return done.ok ? { ok: true, wasThere } : done;
}

type Change = (entries: CredentialEntries) => Promise<CredentialEntries | { ok: false; message: string }>;

async function changed(path: string, change: Change): Promise<Changed> {
  const folder = await ensureDirectory(dirname(path), 0o700);
  if (!folder.ok) return folder;
  const lock = await acquireLock(`${path}.lock`, { owner: "ralph login", waitMs: LOCK_WAIT_MS });
  if (!lock.ok) return { ok: false, message: lock.message };
  try {
    const state = readCredentialFile(path);
    if (state.type === "unusable") return { ok: false, message: state.message };
    const before = state.type === "loaded" ? state.entries : new Map();
    const after = await change(before);
    if ("ok" in after) return after;
    return after === before ? { ok: true } : await write(path, after);
  } finally {
    await lock.release();
  }
}

/** A key is made only where nothing is stored yet: another one would not open what is. */
async function keyFor(path: string, entries: CredentialEntries): Promise<EncryptionKey> {
  const key = await readEncryptionKey(path);
  return !key.ok && key.reason === "missing" && entries.size === 0 ? makeEncryptionKey(path) : key;
}

async function write(path: string, entries: CredentialEntries): Promise<Changed> {
  removeStaleTemporaries(dirname(path), Date.now());
  if (entries.size === 0) return removed(path);
  const text = printCredentialFile(entries);
  if (text.length > MAX_CREDENTIAL_BYTES)
    return { ok: false, message: `${path} would become larger than ${MAX_CREDENTIAL_BYTES} bytes. Log out somewhere.` };
  return writeFileAtomic(path, text, { mode: 0o600 });
}

async function removed(path: string): Promise<Changed> {
  try {
    await unlink(path);
    return { ok: true };
  } catch (error) {
    return fileFailure(path, error, "removed");
  }
}
