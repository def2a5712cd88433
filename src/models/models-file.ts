import { existsSync } from "node:fs";
import { extname, join } from "node:path";
import type { Memo } from "../system/memo.ts";
import type { ModelsFile } from "./models-file-schema.ts";
import type { ModelsFileState } from "./models-file-state.ts";

// Reads models.yml. Nothing is loaded for a file that is not there, which is the usual start.

const MAX_FILE_BYTES = 1_048_576;
const MEMO_NAME = "models-yml";

/** `models.yml` of the configuration directory; a lone `models.json` is turned into it. */
export async function loadModelsFile(configDirectory: string, memo?: Memo): Promise<ModelsFileState> {
  const path = join(configDirectory, "models.yml");
  if (existsSync(path)) return readModelsFile(path, memo);
  const old = join(configDirectory, "models.json");
  if (!existsSync(old)) return { type: "none", path };
  const { migrateModelsJson } = await import("./models-file-migration.ts");
  return migrateModelsJson({ from: old, to: path, maxBytes: MAX_FILE_BYTES, read: readModelsFile });
}

/** A file with any name; `.json` and `.jsonc` are read as JSON with comments. A text that was found good once is not checked again. */
export async function readModelsFile(path: string, memo?: Memo): Promise<ModelsFileState> {
  const { readTextFile } = await import("../system/text-file.ts");
  const read = readTextFile(path, { maxBytes: MAX_FILE_BYTES });
  if (!read.ok) {
    if (read.reason === "missing") return { type: "none", path };
    const remedy = "Make it a readable text file of at most 1 MB.";
    return {
      type: "broken",
      path,
      problems: [{ file: path, line: 1, key: "", message: read.message, remedy }],
      notices: [],
    };
  }
  const known = memo?.find(MEMO_NAME, read.text);
  if (known !== undefined) return { type: "loaded", path, file: known.value as ModelsFile, notices: [] };
  const { parseModelsFile } = await import("./models-file-parse.ts");
  const format = [".json", ".jsonc"].includes(extname(path)) ? "json" : "yaml";
  const parsed = parseModelsFile(read.text, { file: path, format });
  if (!parsed.ok) return { type: "broken", path, problems: parsed.problems, notices: [] };
  await memo?.keep(MEMO_NAME, read.text, parsed.value);
  return { type: "loaded", path, file: parsed.value, notices: [] };
}
