import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { CustomCommand } from "../../../interactive/services.ts";
import { asObject } from "../../../protocol/json.ts";
import { readTextFile } from "../../../system/text-file.ts";
import type { RunContext } from "../../run-context.ts";
import { projectRoot } from "../../settings/load-settings.ts";

const MOST_COMMANDS = 500;
const MOST_BYTES = 256 * 1024;
const DEEPEST = 4;

/** The person's own commands, and those of a project they trust. The first of a name counts. */
export async function customCommands(context: RunContext): Promise<CustomCommand[]> {
  const root = projectRoot(context.cwd);
  const folders = [
    join(context.paths.config, "commands"),
    ...(context.isTrusted() ? [join(root, ".ralph", "commands"), join(root, ".claude", "commands")] : []),
    join(context.home, ".claude", "commands"),
  ];
  const found = (await Promise.all(folders.map((folder) => commandsIn(folder, "", 0)))).flat();
  return found.filter(({ name }, index) => found.findIndex((other) => other.name === name) === index);
}

/** Folders become parts of the name: `git/commit.md` is `git:commit`. */
async function commandsIn(folder: string, prefix: string, depth: number): Promise<CustomCommand[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: CustomCommand[] = [];
  for (const entry of entries.toSorted((one, other) => one.name.localeCompare(other.name)).slice(0, MOST_COMMANDS)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth < DEEPEST)
      found.push(...(await commandsIn(path, `${prefix}${entry.name}:`, depth + 1)));
    const name = /^([A-Za-z][\w.-]*)\.md$/.exec(entry.name)?.[1];
    if (entry.isDirectory() || name === undefined) continue;
    const file = readTextFile(await realpath(path).catch(() => path), { maxBytes: MOST_BYTES });
    if (file.ok) found.push(readCommandFile(`${prefix}${name}`, file.text));
  }
  return found;
}

/** A Markdown text with an optional head: `description`, `argument-hint`. Pure. */
export function readCommandFile(name: string, text: string): CustomCommand {
  const match = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  const head = match === null ? undefined : headOf(match[1] ?? "");
  const body = head === undefined ? text : text.slice(match?.[0].length ?? 0);
  const first =
    body
      .split("\n")
      .find((line) => line.trim() !== "")
      ?.replace(/^#+\s*/, "") ?? "";
  return {
    name,
    description: textIn(head?.description) ?? first.slice(0, SHOWN),
    argumentHint: textIn(head?.["argument-hint"]) ?? (/\$(ARGUMENTS|\d)/.test(body) ? "[arguments]" : ""),
    expand: (rest) => expand(body.trim(), rest),
  };
}

const SHOWN = 80;

function headOf(yaml: string): Record<string, unknown> | undefined {
  try {
    return asObject(Bun.YAML.parse(yaml));
  } catch {
    return undefined;
  }
}

function textIn(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map((part) => `[${part}]`).join(" ");
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** `$ARGUMENTS` is everything behind the name, `$1` its first word; what no sign takes stands behind the text. */
function expand(body: string, rest: string): string {
  const words = [...rest.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
  let isTaken = false;
  const filled = body.replace(/\$(ARGUMENTS|[1-9])(?!\w)/g, (_, sign: string) => {
    isTaken = true;
    return sign === "ARGUMENTS" ? rest : (words[Number(sign) - 1] ?? "");
  });
  return isTaken || rest === "" ? filled : `${filled}\n\n${rest}`;
}
