import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { clientCode } from "../../scripts/build-client.ts";

const ROOT = resolve(import.meta.dir, "../..");

/**
 * Lays the client out in a folder outside the repository as npm does, so that programs there import `ralph/client`. Nothing else of
 * the repository is there. Gives the path of the code.
 */
export async function installClient(folder: string): Promise<string> {
  const installed = join(folder, "node_modules/ralph");
  mkdirSync(join(installed, "dist"), { recursive: true });
  copyFileSync(join(ROOT, "package.json"), join(installed, "package.json"));
  const path = join(installed, "dist/client.js");
  writeFileSync(path, await clientCode());
  return path;
}

/** A real Node, of which Bun is not one. */
export function findNode(): string | undefined {
  const candidates = (process.env.PATH ?? "").split(":").map((folder) => join(folder, "node"));
  return candidates.find((path) => Bun.which(path) !== null && isNode(path));
}

export function findPython(): string | undefined {
  const path = Bun.which("python3");
  if (path === null) return undefined;
  const { stdout } = Bun.spawnSync([path, "-c", "import sys; print(sys.version_info >= (3, 9))"]);
  return stdout.toString().trim() === "True" ? path : undefined;
}

function isNode(path: string): boolean {
  const { stdout } = Bun.spawnSync([path, "-p", "typeof Bun"]);
  return stdout.toString().trim() === "undefined";
}
