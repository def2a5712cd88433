import { describe, expect, test } from "bun:test";
import { linkSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createLinkedSecrets } from "../../src/coder/linked-secrets.ts";
import { createFileProtection } from "../../src/coder/protected-files.ts";
import { createReadFilter } from "../../src/coder/read-filter.ts";
import { createPathClassifier } from "../../src/permissions/paths/classify-path.ts";
import { temporaryDirectories } from "../support/temporary-directory.ts";

const directory = temporaryDirectories();

/** A workspace, a home, and folders of Ralph's own that are reached through a link. */
function place() {
  const base = realpathSync(directory());
  const at = (path: string) => join(base, path);
  const write = (path: string) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), path);
  };
  for (const folder of ["ws", "home", "real/config", "real/data"]) mkdirSync(at(folder), { recursive: true });
  symlinkSync("real", at("own"));
  let time = Date.now();
  const now = () => time;
  const workspace = at("ws");
  const home = at("home");
  const own = { config: at("own/config"), data: at("own/data") };
  const mayRead = createReadFilter({
    workspace,
    classify: createPathClassifier({ home, own, now }),
    protectionOf: createFileProtection(own),
    isSecret: createLinkedSecrets({ workspace, home, own, now }),
  });
  const later = () => {
    time += 60_000;
  };
  return { at, write, later, readable: (...paths: string[]) => paths.filter((path) => mayRead(at(path))) };
}

describe("what a search may show", () => {
  test("are files with ordinary names, and nothing secret in Ralph's own folders, wherever they are", () => {
    const { write, readable } = place();
    const paths = ["credentials.db", "credentials.key", "blobs/ab", "sessions/s.jsonl"].map(
      (name) => `real/data/${name}`,
    );
    const all = [
      ...paths,
      "real/config/config.yml",
      "real/config/rules/a.md",
      "ws/a.txt",
      "ws/.env",
      "ws/credentials.key",
    ];
    // What comes after a look at the disk is known by its name.
    expect(readable("ws/a.txt")).toEqual([]);
    for (const path of all) write(path);
    expect(readable(...all)).toEqual([
      "real/data/sessions/s.jsonl",
      "real/config/rules/a.md",
      "ws/a.txt",
      "ws/credentials.key",
    ]);
  });

  test("is not what a protected name links to, hard or soft, nor what is in a folder one links to", () => {
    const { at, write, readable } = place();
    const all = [
      "ws/env/dev",
      "ws/env/other",
      "home/dotfiles/ssh/deep/key",
      "home/dotfiles/vim/rc",
      "ws/same",
      "ws/twice",
    ];
    for (const path of all) write(path);
    write("ws/.npmrc");
    symlinkSync("env/dev", at("ws/.env"));
    symlinkSync("dotfiles/ssh", at("home/.ssh"));
    linkSync(at("ws/.npmrc"), at("ws/hard"));
    linkSync(at("ws/twice"), at("ws/harmless"));
    expect(readable(...all, "ws/hard", "ws/harmless", "ws/missing")).toEqual([
      "ws/env/other",
      "home/dotfiles/vim/rc",
      "ws/same",
      "ws/twice",
      "ws/harmless",
    ]);
  });

  test("is looked at anew after a while", () => {
    const { at, write, later, readable } = place();
    write("ws/folder/a");
    write("ws/.env");
    expect(readable("ws/folder/a")).toEqual(["ws/folder/a"]);
    symlinkSync("folder", at("ws/.aws"));
    later();
    expect(readable("ws/folder/a")).toEqual([]);
  });
});
