import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ServedResource, ServedResources } from "../../mcp/server/served-tools.ts";
import { readTextFile } from "../../system/text-file.ts";
import type { ServedRoots } from "./served-roots.ts";

const MOST_BYTES = 4_000_000;

interface ResourceRow extends Omit<ServedResource, "uri"> {
  file: string;
}

/** The files of the usual task folder. */
const ROWS: readonly ResourceRow[] = [
  {
    name: "prompt",
    title: "Prompt",
    description: "What every agent of the loop is told",
    mimeType: "text/markdown",
    file: "prompt.md",
  },
  {
    name: "prd",
    title: "Stories",
    description: "The stories of the task and which of them pass",
    mimeType: "application/json",
    file: "prd.json",
  },
  {
    name: "progress",
    title: "Progress",
    description: "What agents noted for those who come after them",
    mimeType: "text/plain",
    file: "progress.txt",
  },
  {
    name: "codebase_map",
    title: "Map of the project",
    description: "What ralph understand found",
    mimeType: "text/markdown",
    file: "codebase_map.md",
  },
];

/** `ralph://prompt` and the others: of `scripts/ralph` in the first served folder. */
export function taskResources({ folders: [root], holds }: ServedRoots): ServedResources {
  const place = ({ file }: ResourceRow) => join(root, "scripts", "ralph", file);
  const isThere = (row: ResourceRow) => existsSync(place(row)) && holds(place(row));
  return {
    list: async () => ROWS.filter(isThere).map(({ file: _, ...row }) => ({ uri: `ralph://${row.name}`, ...row })),
    async read(uri) {
      const row = ROWS.find(({ name }) => uri === `ralph://${name}`);
      if (row === undefined || !isThere(row)) return undefined;
      const read = readTextFile(place(row), { maxBytes: MOST_BYTES });
      return read.ok ? { text: read.text, mimeType: row.mimeType } : { message: read.message };
    },
  };
}
