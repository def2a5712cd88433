import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

// A directory of its own for every test, with a home and a RALPH_HOME that nobody else sees.

export interface TempWorkspace {
  root: string;
  /** Where a child process works; the project of the test. */
  project: string;
  /** The value of RALPH_HOME; holds config/ and data/. */
  home: string;
  /** For child processes: nothing of the machine's keys, proxies or settings. */
  environment: Record<string, string>;
  /** Paths are relative to the root. Folders are made on the way. Returns the full path. */
  write(path: string, text: string): string;
  read(path: string): string;
  /** The files a glob pattern finds below the root, sorted. */
  find(pattern: string): string[];
  stop(): void;
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export function tempWorkspace(): TempWorkspace {
  // On macOS the temporary directory is a link; what children print about their paths is not.
  const root = realpathSync(mkdtempSync(join(tmpdir(), "ralph-test-")));
  const home = join(root, "ralph-home");
  const project = join(root, "project");
  const userHome = join(root, "user");
  for (const folder of [join(home, "config"), join(home, "data"), project, userHome]) {
    mkdirSync(folder, { recursive: true });
  }
  const stop = () => rmSync(root, { recursive: true, force: true });
  return {
    root,
    project,
    home,
    environment: cleanEnvironment(root, userHome, home),
    write: (path, text) => {
      const full = join(root, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, text);
      return full;
    },
    read: (path) => readFileSync(join(root, path), "utf8"),
    find: (pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root, dot: true })].sort(),
    stop,
    [Symbol.dispose]: stop,
    [Symbol.asyncDispose]: async () => stop(),
  };
}

function cleanEnvironment(root: string, userHome: string, home: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    HOME: userHome,
    TMPDIR: root,
    RALPH_HOME: home,
    LANG: "C.UTF-8",
    TZ: "UTC",
    TERM: "dumb",
    NO_COLOR: "1",
    // A test never talks to anything but loopback, and no proxy may stand in between.
    NO_PROXY: "*",
    no_proxy: "*",
  };
}
