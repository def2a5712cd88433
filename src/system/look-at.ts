import { lstatSync, type PathLike, type Stats } from "node:fs";

/** What stands under this name, links not followed. Undefined where nothing does, also where a file stands in the place of a folder above it. */
export function lookAt(path: PathLike): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}
