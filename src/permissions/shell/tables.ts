import type { AnyTable } from "./program-table.ts";
import { BUILD_TOOLS } from "./programs/build-tools.ts";
import { FILE_TOOLS } from "./programs/file-tools.ts";
import { GIT } from "./programs/git.ts";
import { INTERPRETERS } from "./programs/interpreters.ts";
import { NETWORK_TOOLS } from "./programs/network-tools.ts";
import { RUNNERS } from "./programs/runners.ts";
import { SYSTEM_TOOLS } from "./programs/system-tools.ts";
import { TEXT_TOOLS } from "./programs/text-tools.ts";

const TABLES: readonly Readonly<Record<string, AnyTable>>[] = [
  SYSTEM_TOOLS,
  TEXT_TOOLS,
  FILE_TOOLS,
  { git: GIT },
  BUILD_TOOLS,
  INTERPRETERS,
  NETWORK_TOOLS,
  RUNNERS,
];

/** By name, or for a program given by its path by the last part of it. */
export function tableOf(program: string): AnyTable | undefined {
  return find(program) ?? (program.includes("/") ? find(program.slice(program.lastIndexOf("/") + 1)) : undefined);
}

function find(name: string): AnyTable | undefined {
  return TABLES.find((table) => Object.hasOwn(table, name))?.[name];
}
