import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { autoRunSurfaces } from "../support/auto-run-surfaces.ts";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { openFrontDoor } from "../support/front-door.ts";

/** Everything a person may type before they trust a folder. */
const COMMANDS = [
  ["config", "--json"],
  ["doctor"],
  ["models"],
  ["why", "--", "ls"],
  ["secrets", "scan"],
  ["secrets", "scan", "--staged"],
  ["sessions", "list"],
  ["undo", "--list"],
  ["trust", "--list"],
  ["trust"],
  ["status"],
];

test("in a folder that is not trusted nothing starts, nothing is sent and no setting changes, whatever is planted there", async () => {
  using ralph = await openFrontDoor();
  const { workspace } = ralph;
  const settings = async () => JSON.parse((await ralph.run(["config", "--json"])).stdout) as unknown;
  const before = await settings();
  const marks = join(workspace.root, "marks");
  mkdirSync(marks);
  let visits = 0;
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(String(++visits)) });
  const planted = autoRunSurfaces({
    run: (surface) => `touch ${marks}/${surface}`,
    load: (surface) => `require("node:fs").writeFileSync(${JSON.stringify(join(marks, surface))}, "")`,
    address: `http://127.0.0.1:${server.port}`,
  });
  for (const [path, text] of Object.entries(planted)) chmodSync(workspace.write(`project/${path}`, text), 0o755);
  expect(Object.keys(planted).length).toBeGreaterThanOrEqual(100);
  for (const command of COMMANDS) await ralph.run(command);
  ralph.provider.answer(
    toolCallAnswer({ name: "list_dir", input: { path: "." } }),
    toolCallAnswer({ name: "search_files", input: { pattern: "evil" } }),
    toolCallAnswer({ name: "glob_files", input: { pattern: "**/*" } }),
    toolCallAnswer({ name: "write_file", input: { path: "made", content: "x" } }),
    toolCallAnswer({ name: "shell", input: { command: "make; npm test; ./gradlew; . ./.bashrc" } }),
    textAnswer("ok"),
  );
  const { code, stdout } = await ralph.run(["-p", "look around"]);
  expect({ code, stdout, requests: ralph.provider.requests.length }).toEqual({ code: 0, stdout: "ok\n", requests: 6 });
  expect({ started: readdirSync(marks), visits, made: existsSync(join(workspace.project, "made")) }).toEqual({
    started: [],
    visits: 0,
    made: false,
  });
  expect(await settings()).toEqual(before);
  expect(workspace.find("ralph-home/config/trusted-folders.json")).toEqual([]);
}, 60_000);
