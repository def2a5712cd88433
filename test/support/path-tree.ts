import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

// A workspace full of tricks, with a home and neighbours around it.

export interface PathTree {
  base: string;
  workspace: string;
  home: string;
  own: { config: string; data: string };
}

const FILES = [
  "ws/src/a.ts",
  "ws/src/deep/b.ts",
  "ws/README.md",
  "ws/.env",
  "ws/.env.example",
  "ws/config/.env.local",
  "ws/.git/config",
  "ws/.git/HEAD",
  "ws/.git/hooks/pre-commit",
  "ws/vs/tasks.json",
  "ws/myhooks/pre-push",
  "ws/docs/x.md",
  "wsx/file",
  "outside/secret",
  "outside/dir/file",
  "home/.ssh/id_rsa",
  "home/.bashrc",
  "home/notes.txt",
  "own/config/config.yml",
  "own/config/rules/a.md",
  "own/data/credentials.db",
  "own/data/artifacts/1.txt",
];

/** name → what it links to; relative to the base. */
const LINKS: [string, string][] = [
  ["ws/out", "../outside"],
  ["ws/outfile", "../outside/secret"],
  ["ws/alias.ts", "src/a.ts"],
  ["ws/dangling-out", "../outside/new"],
  ["ws/dangling-in", "src/new.ts"],
  ["ws/dangling-hook", ".git/hooks/post-commit"],
  ["ws/loop1", "loop2"],
  ["ws/loop2", "loop1"],
  ["ws/self", "self"],
  ["ws/chain1", "chain2"],
  ["ws/chain2", "src/../../outside"],
  ["ws/src/up", ".."],
  ["ws/src/upup", "../.."],
  ["ws/to-cwd", "/proc/self/cwd"],
  ["ws/to-root", "/"],
  ["ws/to-env", ".env"],
  ["ws/to-git", ".git"],
  ["ws/.vscode", "vs"],
  ["ws/roundabout", "../outside/back"],
  ["outside/back", "../ws/src"],
  ["outside/into", "../ws"],
  ["wslink", "ws"],
];

const HARD_LINKS: [string, string][] = [
  ["ws/.env", "ws/hard-env.txt"],
  ["ws/config/.env.local", "ws/docs/hard-nested.md"],
  ["ws/.git/hooks/pre-commit", "ws/hard-hook"],
  ["home/.ssh/id_rsa", "ws/hard-key.txt"],
  ["own/config/config.yml", "ws/hard-own.txt"],
  ["ws/src/a.ts", "ws/hard-plain.ts"],
];

export function makePathTree(base: string): PathTree {
  for (const file of FILES) {
    mkdirSync(dirname(join(base, file)), { recursive: true });
    writeFileSync(join(base, file), file);
  }
  writeFileSync(join(base, "ws/.git/config"), "[core]\n\thooksPath = myhooks\n");
  for (const [name, target] of LINKS) symlinkSync(target, join(base, name));
  symlinkSync(join(base, "outside"), join(base, "ws/absolute-out"));
  symlinkSync(join(base, "ws/src"), join(base, "ws/absolute-in"));
  for (const [file, name] of HARD_LINKS) linkSync(join(base, file), join(base, name));
  return {
    base,
    workspace: join(base, "ws"),
    home: join(base, "home"),
    own: { config: join(base, "own/config"), data: join(base, "own/data") },
  };
}
