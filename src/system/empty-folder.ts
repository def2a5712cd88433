import { existsSync, readdirSync } from "node:fs";

/** Whether there is something: a file, or a folder with anything in it. An empty folder may only hold a name, so it says nothing. */
export function holdsSomething(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    return readdirSync(path).length > 0;
  } catch {
    return true;
  }
}
