import { dirname } from "node:path";
import { ensureDirectory, writeFileAtomic } from "../../system/files.ts";
import { acquireLock } from "../../system/lock.ts";
import { readTextFile } from "../../system/text-file.ts";
import { setYamlValue } from "./edit-yaml.ts";

export interface Writing {
  path: string;
  /** The keys from the root of the file to the value. */
  keys: string[];
  value: unknown;
}

const MAX_BYTES = 1_000_000;

/** Sets one value of a YAML file and touches nothing else in it. Returns what went wrong, if anything did. */
export async function writeYamlValue(writing: Writing): Promise<string | undefined> {
  const folder = await ensureDirectory(dirname(writing.path), 0o700);
  if (!folder.ok) return folder.message;
  const lock = await acquireLock(`${writing.path}.lock`, { owner: "ralph setup", waitMs: LOCK_WAIT_MS });
  if (!lock.ok) return lock.message;
  try {
    return await edit(writing);
  } finally {
    await lock.release();
  }
}

const LOCK_WAIT_MS = 5000;

async function edit({ path, keys, value }: Writing): Promise<string | undefined> {
  const file = readTextFile(path, { maxBytes: MAX_BYTES });
  if (!file.ok && file.reason !== "missing") return file.message;
  const edited = setYamlValue(file.ok ? file.text : "", keys, value);
  if (edited === undefined)
    return `${path} could not be changed safely: correct it, or set ${keys.join(".")} there by hand, then try again.`;
  if (file.ok && edited === file.text) return undefined;
  const written = await writeFileAtomic(path, edited, file.ok ? {} : { mode: 0o600 });
  return written.ok ? undefined : written.message;
}
