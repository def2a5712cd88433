import { dirname } from "node:path";
import { ensureDirectory, writeFileAtomic } from "../../system/files.ts";
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
export async function writeYamlValue({ path, keys, value }: Writing): Promise<string | undefined> {
  const file = readTextFile(path, { maxBytes: MAX_BYTES });
  if (!file.ok && file.reason !== "missing") return file.message;
  const edited = setYamlValue(file.ok ? file.text : "", keys, value);
  if (edited === undefined)
    return `${path} could not be changed safely. Set ${keys.join(".")} there by hand: ${JSON.stringify(value)}`;
  const folder = await ensureDirectory(dirname(path), 0o700);
  if (!folder.ok) return folder.message;
  const written = await writeFileAtomic(path, edited);
  return written.ok ? undefined : written.message;
}
