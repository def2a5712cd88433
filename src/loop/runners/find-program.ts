import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";

/** The file this name would run, looked for on the given PATH. Nothing is run, and an empty part of PATH does not mean "here". */
export function findProgram(name: string, path: string | undefined): string | undefined {
  for (const folder of (path ?? "").split(":")) {
    if (!isAbsolute(folder)) continue;
    const file = join(folder, name);
    if (isProgram(file)) return file;
  }
  return undefined;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
