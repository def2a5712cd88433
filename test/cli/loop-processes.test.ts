import { expect, setDefaultTimeout, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { linesText, loopWorld } from "../support/loop-world.ts";

// Starting git is most of what an iteration costs besides its agent and its checks, so every start has a reason.

setDefaultTimeout(60_000);

const WHY = {
  /** What the agent changed; and, before the next one starts, what a person did meanwhile. */
  status: 2,
  /** The agent's files, through the filters a person has. */
  "hash-object": 1,
  /** The folders they are in, and the task's own files. */
  "unpack-objects": 1,
  "commit-tree": 1,
  /** Branches and tags, for both checkouts. */
  "for-each-ref": 1,
  /** The checkout of the work, and the one without it. */
  "read-tree": 2,
  /** Landing: the branch, only if nobody moved it. */
  "update-ref": 1,
  /** What an agent, or a landing that found the index locked, left behind in it. */
  "diff-index": 1,
  /** The index: what has landed, then sizes and times of those files, so that nobody reads them again to see that they are the same. */
  "update-index": 2,
};

test("an iteration whose check passes starts git twelve times, and leaves no object behind that no commit names", async () => {
  using world = loopWorld({
    stories: ["one", "two", "three"].map((name) => ({ checks: [`test -f src/${name}.txt`] })),
    files: { "src/zero.txt": "0\n", "lib/deep/er/file.txt": "x\n" },
  });
  const { workspace, git } = world;
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const log = `${workspace.root}/calls`;
  const shim = workspace.write(
    "shim/git",
    [
      "#!/bin/sh",
      `journal=$(ls ${workspace.home}/data/loops/*/journal.jsonl 2>/dev/null)`,
      `began=$(grep -c '"iteration-started"' "\${journal:-/dev/null}")`,
      `echo "$began $*" >>${log}`,
      `exec ${real} "$@"`,
      "",
    ].join("\n"),
  );
  chmodSync(shim, 0o755);
  const run = await world.run(
    {
      script: [
        "cat >/dev/null",
        'case "$RALPH_STORY" in S-1) name=one ;; S-2) name=two ;; *) name=three ;; esac',
        'echo "$RALPH_STORY" >"src/$name.txt"',
        "",
      ].join("\n"),
    },
    { environment: { PATH: `${workspace.root}/shim:${workspace.environment.PATH}` } },
  );
  expect(run.outcome.stories).toEqual({ "S-1": "verified", "S-2": "verified", "S-3": "verified" });
  const inSecond = linesText(workspace.read("calls")).filter((line) => line.startsWith("2 "));
  expect(countsOf(inSecond.map(commandOf))).toEqual(WHY);
  expect(git("fsck", "--strict", "--unreachable", "--no-reflogs")).toBe("");
  expect(git("diff-files", "--", "src")).toBe("");
});

/** The first word behind git's own options. */
function commandOf(line: string): string {
  const words = line.split(" ").slice(1);
  const at = words.findIndex((word, index) => !word.startsWith("-") && words[index - 1] !== "-c");
  return words[at] ?? "";
}

function countsOf(words: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(words, (word) => word)].map(([word, all]) => [word, all.length]));
}
