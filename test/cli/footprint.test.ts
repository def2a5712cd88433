import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type FrontDoor, openFrontDoor } from "../support/front-door.ts";

/** Every file and folder below the root, except RALPH_HOME, with its content. */
function snapshot({ workspace }: FrontDoor): Record<string, string> {
  const paths = readdirSync(workspace.root, { recursive: true, encoding: "utf8" });
  const outside = paths.filter((path) => !join(workspace.root, path).startsWith(workspace.home));
  const contentOf = (path: string) => (statSync(path).isFile() ? readFileSync(path, "utf8") : "folder");
  return Object.fromEntries(outside.sort().map((path) => [path, contentOf(join(workspace.root, path))]));
}

/** From source the runtime keeps compiled files of its own in the temporary directory. */
const NO_CACHE = { BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };

test("nothing is written outside RALPH_HOME, whatever is asked", async () => {
  using ralph = await openFrontDoor();
  ralph.workspace.write("project/.ralph/config.yml", "effort: low\n");
  ralph.workspace.write("user/.config/ralph/config.yml", "model: never/read\n");
  const before = snapshot(ralph);
  const commands = [
    ["-p", "hello"],
    ["-p", "--json", "hello"],
    ["-p", "--debug", "--no-stream", "hello"],
    ["-p", "--mpreset", "none", "--default", "hello"],
    ["setup", "provider", "--preset", "minimax"],
    ["models"],
    ["--list-models"],
    ["doctor"],
    ["config"],
    ["completion", "bash"],
    [],
  ];
  for (const args of commands) {
    expect((await ralph.run(args, { environment: NO_CACHE })).stderr).not.toContain("never/read");
  }
  expect(snapshot(ralph)).toEqual(before);
});

test.if(!process.env.RALPH_TEST_BINARY)("a prompt without a session leaves RALPH_HOME as it was", async () => {
  using ralph = await openFrontDoor();
  const list = () => readdirSync(ralph.workspace.home, { recursive: true, encoding: "utf8" }).sort();
  const before = list();
  await ralph.run(["-p", "--no-session", "hello"]);
  expect(list()).toEqual(before);
});
