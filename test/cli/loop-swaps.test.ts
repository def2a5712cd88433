import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { outcomeOf } from "../support/front-door.ts";
import { type LoopRun, type LoopWorld, loopWorld, TASK } from "../support/loop-world.ts";
import { runRalph } from "../support/run-ralph.ts";

// Agents that put files where folders were and folders where files were, and do things to the index behind Ralph's back.

setDefaultTimeout(60_000);

const FILES = { "a.txt": "a\n", "d/c.txt": "c\n", "d/e/b.txt": "b\n" };
const TWO = [{ checks: ["test -e done1"] }, { checks: ["test -e done2"] }];
const DONE = { code: 0, verdict: "done", iterations: 2 };

/** An agent that does something for the first story, and something else for the second. */
const agentOf = (first: string, second = "") =>
  `case $RALPH_STORY in S-1) ${first}\n touch done1;; S-2) ${second || ":"}\n touch done2;; esac\n`;
const undo = async ({ workspace }: LoopWorld) =>
  outcomeOf(await runRalph(["run", TASK, "--undo", "--yes"], { workspace }));
const tree = (world: LoopWorld, commit = "HEAD") =>
  world
    .git("ls-tree", "-r", "--name-only", commit)
    .split("\n")
    .filter((path) => path !== "" && path !== "README.md" && !path.startsWith("tasks/"));
const inTheWay = ({ notices }: LoopRun) => notices.filter((message) => message.includes("which the agent made"));

describe("a person's uncommitted file", () => {
  const swaps = [
    { title: "is there again where the agent made a file of its folder", path: "d/c.txt", after: "" },
    { title: "is there again where the agent committed that", path: "d/c.txt", after: "git add -A; git commit -qm x" },
    { title: "that is new is there again too", path: "u/mine", after: "" },
    { title: "is there again where the agent made a link of its folder", path: "d/c.txt", link: true, after: "" },
  ];
  test.concurrent.each(swaps)("$title, and undo leaves it alone", async ({ path, after, link }) => {
    using world = loopWorld({ stories: TWO, files: FILES });
    world.write(path, "mine\n");
    const before = world.status();
    const folder = path.slice(0, path.indexOf("/"));
    const make = link ? `mkdir e; echo other >e/c.txt; ln -s e ${folder}` : `echo file >${folder}`;
    const run = await world.run({ script: agentOf(`rm -rf ${folder}; ${make}; ${after}`) });
    expect(run.outcome).toMatchObject(DONE);
    const [notice = "", ...more] = inTheWay(run);
    expect([notice.split(",")[0], more, world.read(path), world.status()]).toEqual([folder, [], "mine\n", before]);
    const [, id = ""] = /`git cat-file blob (\w+)`/.exec(notice) ?? [];
    expect(world.git("cat-file", "blob", id)).toBe(link ? "e" : "file\n");
    const kept = folder === "d" ? ["a.txt", "d/c.txt"] : Object.keys(FILES);
    expect(tree(world)).toEqual([...kept, "done1", "done2", ...(link ? ["e/c.txt"] : [])]);
    expect((await undo(world)).code).toBe(0);
    const now = Object.keys(FILES).map((name) => world.read(name).trim());
    expect([world.read(path), world.status(), now]).toEqual([
      "mine\n",
      before,
      path === "d/c.txt" ? ["a", "mine", "b"] : ["a", "c", "b"],
    ]);
  });

  test.concurrent("comes back by undo where the run ended with the agent's commit on top", async () => {
    using world = loopWorld({ stories: TWO, files: FILES });
    world.write("d/c.txt", "mine\n");
    world.write("a.txt", "mine too\n");
    world.write("d/new.txt", "mine as well\n");
    const script = "rm -rf d; echo file >d; echo x >>a.txt; git add -A; git commit -qm agent\n";
    const run = await world.run({ script }, { flags: ["--max-iterations", "1"] });
    expect(run.outcome.verdict).toBe("budget");
    expect((await undo(world)).code).toBe(0);
    expect([world.status(), ...["d/c.txt", "a.txt", "d/new.txt"].map(world.read)]).toEqual([
      [" M a.txt", " M d/c.txt", "?? d/new.txt"],
      "mine\n",
      "mine too\n",
      "mine as well\n",
    ]);
  });

  test.concurrent("that became a folder is put back by undo, unless the person has put something in there", async () => {
    using world = loopWorld({ stories: TWO, files: FILES });
    world.write("u", "mine\n");
    world.write("a.txt", "mine too\n");
    const swap = (name: string) => `rm ${name}; mkdir ${name}; echo x >${name}/x`;
    const run = await world.run({ script: agentOf(`${swap("u")}; ${swap("a.txt")}`) });
    expect(run.outcome).toMatchObject(DONE);
    expect(tree(world)).toEqual(["a.txt/x", "d/c.txt", "d/e/b.txt", "done1", "done2", "u/x"]);
    world.write("u/later", "mine now\n");
    expect(await undo(world)).toEqual({
      code: 1,
      stdout: "",
      stderr: "ralph: Files of the run have uncommitted changes: u/later. Commit or stash them, then undo again.\n",
    });
    await Bun.$`rm ${join(world.project, "u/later")}`.quiet();
    expect((await undo(world)).code).toBe(0);
    expect([world.status(), world.read("u"), world.read("a.txt")]).toEqual([
      [" M a.txt", "?? u"],
      "mine\n",
      "mine too\n",
    ]);
  });

  test.concurrent("that was deleted and became a folder stays one for later stories; undo deletes it again", async () => {
    using world = loopWorld({ stories: TWO, files: FILES });
    for (const path of ["a.txt", "d/c.txt"]) await Bun.$`rm ${join(world.project, path)}`.quiet();
    const before = world.status();
    const run = await world.run({ script: agentOf("mkdir a.txt; echo x >a.txt/x; rm -rf d; echo file >d") });
    expect(run.outcome).toMatchObject(DONE);
    expect([tree(world), world.status()]).toEqual([["a.txt/x", "d", "done1", "done2"], []]);
    expect((await undo(world)).code).toBe(0);
    expect([world.status(), readdirSync(join(world.project, "d"))]).toEqual([before, ["e"]]);
  });
});

test.concurrent("what cannot be part of a commit is told of, and the file or the folder whose place a link took stays", async () => {
  using world = loopWorld({ stories: TWO, files: FILES });
  const links = "rm -rf a.txt d; ln -s /etc/passwd a.txt; ln -s /etc d; ln -s /etc n";
  const refused = "mkdir -p GIT~1 s/.Git; echo >GIT~1/config; echo >s/.Git/config";
  const run = await world.run({ script: agentOf(`${links}; ${refused}`, "rm -rf GIT~1 s") });
  expect(run.outcome).toMatchObject(DONE);
  expect(run.cheats.map((cheat) => cheat.slice(0, cheat.indexOf(" is ")))).toEqual([
    "link-outside: a.txt",
    "link-outside: d",
    "link-outside: n",
  ]);
  const told = (path: string) =>
    `${path} is not part of the work that is checked: git takes no file of that name. Give it another name.`;
  expect(run.notices.slice(0, 2)).toEqual([told("GIT~1/config"), told("s/.Git/config")]);
  expect([tree(world), world.status()]).toEqual([[...Object.keys(FILES), "done1", "done2"], []]);
  expect(Object.keys(FILES).map(world.read)).toEqual(Object.values(FILES));
  expect(lstatSync(join(world.project, "d")).isDirectory()).toBe(true);
});

describe("the index is in line after a landing", () => {
  const spoilt = [
    { title: "where the agent took files out of it", script: agentOf("git rm -q --cached a.txt; git add -N d") },
    { title: "where it was locked before", script: agentOf("touch .git/index.lock", "rm .git/index.lock") },
  ];
  test.concurrent.each(spoilt)("$title, and has what the person staged", async ({ script }) => {
    using world = loopWorld({ stories: TWO, files: { ...FILES, "s.txt": "s\n", "gone.txt": "g\n" } });
    world.write("s.txt", "staged\n");
    world.git("add", "s.txt");
    world.git("rm", "--quiet", "--cached", "gone.txt");
    const before = world.status();
    expect((await world.run({ script })).outcome).toMatchObject(DONE);
    expect([world.status(), existsSync(join(world.project, ".git/index.lock"))]).toEqual([before, false]);
  });
});
