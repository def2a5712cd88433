import { join, relative } from "node:path";
import { readTextFile } from "../../system/text-file.ts";

const MAX_FILE_BYTES = 256_000;
const LONGEST = 32_000;

/** AGENTS.md of the project and of the task, for agents that do not read it themselves. What cannot be read is left out. */
export function readAgentsFiles({ root, task }: { root: string; task: string }): { path: string; text: string }[] {
  const files = new Set([root, task].map((folder) => join(folder, "AGENTS.md")));
  return [...files].flatMap((path) => {
    const file = readTextFile(path, { maxBytes: MAX_FILE_BYTES });
    if (!file.ok || file.text.trim() === "") return [];
    const text = file.text.replace(/^\uFEFF/, "");
    const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}\n[cut here: at most ${LONGEST} characters]` : text;
    return [{ path: relative(root, path) || path, text: shown }];
  });
}
