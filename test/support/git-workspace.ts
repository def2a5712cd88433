import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findRepository, type Repository } from "../../src/loop/git/repository.ts";
import { readWorkspaceState, type WorkspaceState } from "../../src/loop/git/workspace-state.ts";

/** A real repository with a person's own settings, in a temporary folder. */
export interface GitWorkspace {
  root: string;
  home: string;
  environment: Record<string, string>;
  repository: Repository;
  git(...words: string[]): string;
  write(path: string, content: string | Uint8Array, mode?: number): void;
  remove(path: string): void;
  /** Commits everything and gives the commit. */
  commit(message?: string): string;
  state(base: string | undefined, exclude?: string[]): Promise<WorkspaceState>;
}

export async function gitWorkspace(folder: string, files: Record<string, string> = {}): Promise<GitWorkspace> {
  const root = join(folder, "project");
  const home = join(folder, "home");
  for (const path of [root, home]) mkdirSync(path, { recursive: true });
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Person\n\temail = person@example.com\n");
  const environment = { PATH: process.env.PATH ?? "", HOME: home };
  const git = (...words: string[]) =>
    execFileSync("git", words, { cwd: root, env: { ...environment, LC_ALL: "C" }, encoding: "utf8", stdio: "pipe" });
  git("init", "--quiet", "--initial-branch=main");
  const found = await findRepository({ directory: root, environment, scratch: join(folder, "scratch") });
  if (!found.ok) throw new Error(found.message);
  const write = (path: string, content: string | Uint8Array, mode?: number) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    if (mode !== undefined) chmodSync(join(root, path), mode);
  };
  const commit = (message = "work") => {
    git("add", "--all");
    git("commit", "--quiet", "--allow-empty", "--message", message);
    return git("rev-parse", "HEAD").trim();
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  if (Object.keys(files).length > 0) commit("base");
  return {
    root,
    home,
    environment,
    repository: found.repository,
    git,
    write,
    remove: (path) => rmSync(join(root, path), { recursive: true, force: true }),
    commit,
    async state(base, exclude = []) {
      const read = await readWorkspaceState(found.repository, { base, exclude });
      if (!read.ok) throw new Error(read.message);
      return read.state;
    },
  };
}
