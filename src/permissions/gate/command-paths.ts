import type { PathClassifier } from "../paths/classify-path.ts";
import type { PathVerdict } from "../paths/path-request.ts";
import type { PathUseKind } from "../shell/command-analysis.ts";

/** Where a path of a command leads, for what the command does with it. Each is looked at once. */
export function commandPaths(classify: PathClassifier, workspace: string) {
  const known = new Map<string, PathVerdict>();
  const find = (path: string, kind: PathUseKind): PathVerdict => {
    // What runs in a folder takes its configuration from there, so a folder nobody may write to is not entered either.
    const entered = kind === "enter" ? classify({ workspace, op: "write", path }) : undefined;
    if (entered?.class === "protected") return entered;
    return classify({ workspace, op: kind === "write" ? "write" : "read", path });
  };
  return (path: string, kind: PathUseKind): PathVerdict => {
    const key = `${kind} ${path}`;
    const found = known.get(key) ?? find(path, kind);
    known.set(key, found);
    return found;
  };
}
