// Where the shell may stand at a point of a command: a set of folders, because a `cd` may have failed.

/** Possible working folders; undefined: anybody's guess. */
export type Folders = readonly string[] | undefined;

/** Where the shell may stand after success and after failure. */
export interface Outcome {
  ok: Folders;
  failed: Folders;
}

export function stay({ folders }: { folders: Folders }): Outcome {
  return { ok: folders, failed: folders };
}

const MAXIMUM_FOLDERS = 8;

export function either(...choices: Folders[]): Folders {
  const all = new Set<string>();
  for (const choice of choices) {
    if (choice === undefined) return undefined;
    for (const folder of choice) all.add(folder);
  }
  return all.size > MAXIMUM_FOLDERS ? undefined : [...all];
}

/** What never runs is judged as if it ran where it stands. */
export function reachable(folders: Folders, otherwise: Folders): Folders {
  return folders?.length === 0 ? otherwise : folders;
}

export function together(outcomes: readonly Outcome[]): Outcome {
  return { ok: either(...outcomes.map(({ ok }) => ok)), failed: either(...outcomes.map(({ failed }) => failed)) };
}
