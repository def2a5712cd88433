import { expect, test } from "bun:test";
import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createPathClassifier } from "../../../src/permissions/paths/classify-path.ts";
import type { PathOperation } from "../../../src/permissions/paths/path-request.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();

/** Ralph's own folders, named through a link. */
function classesIn(workspaceOf: (base: string) => string) {
  const base = realpathSync(directory());
  for (const folder of ["ws", "real/config", "real/data/loops/x"]) mkdirSync(join(base, folder), { recursive: true });
  symlinkSync("real", join(base, "own"));
  const own = { config: join(base, "own/config"), data: join(base, "own/data") };
  const classify = createPathClassifier({ home: undefined, own, now: Date.now });
  const workspace = workspaceOf(base);
  return (op: PathOperation, path: string) => classify({ workspace, op, path: join(base, path) }).class;
}

test("names that do not exist yet are protected in Ralph's own folders, whichever way they are reached", () => {
  const classOf = classesIn((base) => join(base, "ws"));
  const classes = ["own", "real"].map((folder) => [
    classOf("write", `${folder}/config/config.yml`),
    classOf("write", `${folder}/config/rules/new.md`),
    classOf("read", `${folder}/data/credentials.db`),
    classOf("read", `${folder}/data/blobs/ab`),
    classOf("read", `${folder}/data/artifacts/1.txt`),
    classOf("copy", `${folder}/data`),
  ]);
  const expected = ["protected", "protected", "protected", "protected", "external", "protected"] as const;
  expect(classes).toEqual([[...expected], [...expected]]);
});

test("who works in the data folder writes there, and gets at no secret", () => {
  const inData = classesIn((base) => join(base, "real/data"));
  expect([inData("write", "real/data/notes.md"), inData("read", "real/data/credentials.key")]).toEqual([
    "inside",
    "protected",
  ]);
  const below = classesIn((base) => join(base, "real/data/loops/x"));
  expect([below("write", "real/data/loops/x/credentials.md"), below("read", "real/data/credentials.key")]).toEqual([
    "inside",
    "protected",
  ]);
});
