import { existsSync } from "node:fs";
import { gitText, runGit } from "./git.ts";
import {
  type FoundRepository,
  openRepository,
  type RepositoryPlace,
  readSafeSettings,
  resolveCommit,
} from "./repository.ts";

// A folder that is no repository gets one of Ralph's own, kept beside the loop's other files: the folder itself stays as it is,
// and candidates, clean checkouts, receipts and undo work as everywhere else.

const MOST_BYTES = 1024 ** 3;
const MOST_FILES = 20_000;

/** `gitDirectory` is where it is kept; made and filled with what is there now where it is missing. */
export async function openShadowRepository(place: RepositoryPlace, gitDirectory: string): Promise<FoundRepository> {
  if (!existsSync(gitDirectory)) {
    const made = await runGit(place, {
      arguments: ["init", "--quiet", "--bare", "--initial-branch=main", gitDirectory],
    });
    if (!made.ok) return made;
  }
  const root = place.directory;
  const repository = openRepository(place, { root, gitDirectory, commonDirectory: gitDirectory, format: "sha1" });
  if ((await resolveCommit(repository, "HEAD")) !== undefined) return { ok: true, repository };
  const tooMuch = await whatIsTooMuch(place, gitDirectory);
  if (tooMuch !== undefined) return { ok: false, reason: "too-much", message: tooMuch };
  const { settings, identity } = await readSafeSettings(repository);
  const added = await repository.git({ arguments: ["add", "--all", "."], settings });
  if (!added.ok) return added;
  const committed = await repository.git({
    arguments: ["commit", "--quiet", "--allow-empty", "--message", "What was there before the loop"],
    settings,
    variables: identity,
  });
  return committed.ok ? { ok: true, repository } : committed;
}

async function whatIsTooMuch(place: RepositoryPlace, gitDirectory: string): Promise<string | undefined> {
  const listed = await runGit(place, {
    arguments: [
      `--git-dir=${gitDirectory}`,
      `--work-tree=${place.directory}`,
      "ls-files",
      "--others",
      "--exclude-standard",
      "-z",
    ],
  });
  if (!listed.ok) return listed.message;
  const paths = gitText(listed).split("\0").filter(Boolean);
  const advice = "Make it a repository with a .gitignore first: git init";
  if (paths.length > MOST_FILES)
    return `${place.directory} is no git repository and holds more than ${MOST_FILES} files. ${advice}`;
  let bytes = 0;
  for (const path of paths) bytes += Bun.file(`${place.directory}/${path}`).size;
  return bytes > MOST_BYTES ? `${place.directory} is no git repository and holds more than 1 GB. ${advice}` : undefined;
}
