import { existsSync } from "node:fs";
import { join } from "node:path";
import { createKeyMap, type KeyMapResult } from "../../interactive/keys/key-map.ts";
import { readTextFile } from "../../system/text-file.ts";
import type { RunContext } from "../run-context.ts";

const MOST_BYTES = 1_000_000;

/** The keys as `keybindings.json` wants them. One with old names is written back with those of today. */
export async function loadKeys({ paths }: RunContext): Promise<KeyMapResult> {
  const path = join(paths.config, "keybindings.json");
  if (!existsSync(path)) return createKeyMap({ preset: "default", bindings: {} });
  const file = readTextFile(path, { maxBytes: MOST_BYTES });
  if (!file.ok) return { ...createKeyMap({ preset: "default", bindings: {} }), warnings: [file.message] };
  const { readBindings } = await import("../../interactive/keys/read-bindings.ts");
  const { warnings, migrated, ...wishes } = readBindings(file.text);
  if (migrated !== undefined) await (await import("../../system/files.ts")).writeFileAtomic(path, migrated);
  return { keys: createKeyMap(wishes).keys, warnings };
}
