import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunContext } from "../run-context.ts";

/** What a person was asked once and is not asked again. */
export function wasAsked({ paths }: RunContext, name: string): boolean {
  return existsSync(join(paths.data, "asked", name));
}

/** Where it cannot be kept, they are asked again; nothing else is lost. */
export async function rememberAsked({ paths, clock }: RunContext, name: string): Promise<void> {
  const folder = join(paths.data, "asked");
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(join(folder, name), `${new Date(clock.now()).toISOString()}\n`, { mode: 0o600 });
  } catch {}
}
