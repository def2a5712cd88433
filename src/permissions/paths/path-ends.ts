import type { PathAccess, PathRequest } from "./path-request.ts";

/** One path of an operation, and what is done there. */
export interface PathEnd {
  path: string;
  access: readonly PathAccess[];
  /** The name itself comes or goes, so it counts beside what it links to. */
  isEntry: boolean;
  /** Which folders count like the protected files they may hold. */
  folders: "none" | "of-secrets" | "all";
}

/** A copy reads its source and writes its destination; a move writes both; an edit reads and writes. */
export function endsOf({ op, path, dest }: PathRequest): [PathEnd, ...PathEnd[]] {
  const plain = { path, isEntry: false, folders: "none" } as const;
  switch (op) {
    case "read":
      return [{ ...plain, access: ["read"] }];
    case "write":
      return [{ ...plain, access: ["write"] }];
    case "edit":
      return [{ ...plain, access: ["read", "write"] }];
    case "delete":
      return [{ path, access: ["write"], isEntry: true, folders: "of-secrets" }];
    case "copy":
      return [{ path, access: ["read"], isEntry: false, folders: "of-secrets" }, ...destination(dest)];
    case "move":
      return [{ path, access: ["write"], isEntry: true, folders: "of-secrets" }, ...destination(dest)];
  }
}

function destination(dest: string | undefined): PathEnd[] {
  return dest === undefined ? [] : [{ path: dest, access: ["write"], isEntry: true, folders: "all" }];
}

/** A copy or move into a folder ends under the name of its source. */
export function endInFolder({ path, dest }: PathRequest): PathEnd | undefined {
  const name = path.split(/[/\\]/).findLast((part) => part !== "");
  if (dest === undefined || name === undefined || name === "." || name === "..") return undefined;
  return { path: `${dest}/${name}`, access: ["write"], isEntry: true, folders: "all" };
}
