import { accessSync, chmodSync, constants } from "node:fs";
import { type RipgrepPlace, ripgrepPlace } from "./embedded-ripgrep.ts";
import { unpackProgram } from "./unpack-program.ts";

/**
 * The path of our own `rg`, ready to be run; undefined where there is none for this platform or it cannot be unpacked. One on
 * the PATH is not used: nobody knows its version, and a project could have put it there.
 */
export async function findRipgrep(tools: string, place: RipgrepPlace = ripgrepPlace): Promise<string | undefined> {
  switch (place.type) {
    case "package":
      return packagedProgram(place.beside);
    case "embedded":
      return unpackProgram({ name: "rg", directory: tools, ...place });
    case "none":
      return undefined;
  }
}

function packagedProgram(beside: string): string | undefined {
  try {
    return executable(Bun.resolveSync(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`, beside));
  } catch {
    return undefined;
  }
}

/** npm does not always keep the executable bit of a file inside a package. */
function executable(path: string): string {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    chmodSync(path, 0o755);
  }
  return path;
}
