import { rename } from "node:fs/promises";
import { writeFileAtomic } from "../system/files.ts";
import { readTextFile } from "../system/text-file.ts";
import { parseText } from "./models-file-parse.ts";
import type { ModelsFileState } from "./models-file-state.ts";

export interface Migration {
  from: string;
  to: string;
  maxBytes: number;
  read: (path: string) => Promise<ModelsFileState>;
}

/**
 * Writes the content of models.json as models.yml and keeps the old file as models.json.migrated. A file that is not JSON
 * stays where it is and is reported; where the directory cannot be written, the old file is used as it is.
 */
export async function migrateModelsJson({ from, to, maxBytes, read }: Migration): Promise<ModelsFileState> {
  const old = readTextFile(from, { maxBytes });
  const parsed = old.ok ? parseText(old.text, "json") : undefined;
  if (parsed?.ok !== true) return read(from);
  const written = await writeFileAtomic(to, asYaml(parsed.value), { mode: 0o600 });
  if (!written.ok) return withNotice(await read(from), `${from} is used as it is: ${written.message}`);
  // Another process may have been faster; then the name is already gone.
  await rename(from, `${from}.migrated`).catch(() => undefined);
  return withNotice(await read(to), `${from} was turned into ${to}; the original is kept as ${from}.migrated.`);
}

/** JSON is YAML, so that is what is written where the block form would not read back the same. */
function asYaml(value: unknown): string {
  const block = `${Bun.YAML.stringify(value, null, 2)}\n`;
  const again = parseText(block, "yaml");
  return again.ok && Bun.deepEquals(again.value, value, true) ? block : `${JSON.stringify(value, null, 2)}\n`;
}

function withNotice(state: ModelsFileState, notice: string): ModelsFileState {
  return state.type === "none" ? state : { ...state, notices: [notice, ...state.notices] };
}
