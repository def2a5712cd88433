import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { runRalph, startRalph } from "./run-ralph.ts";
import { type TempWorkspace, tempWorkspace } from "./temp-workspace.ts";

// What starts processes is tested with a small script in Ralph's place.

const SCRIPT = `#!/bin/sh
case "$1" in
  echo) cat; echo "[$2] $RALPH_HOME $EXTRA" >&2; exit 3 ;;
  talk) echo ready; read line; echo "got $line"; exec sleep 60 ;;
  hang) echo ready; exec sleep 60 ;;
esac
`;

const binaryBefore = process.env.RALPH_TEST_BINARY;
let workspace: TempWorkspace;

beforeEach(() => {
  workspace = tempWorkspace();
  process.env.RALPH_TEST_BINARY = workspace.write("fake-ralph", SCRIPT);
  chmodSync(process.env.RALPH_TEST_BINARY, 0o755);
});

afterEach(() => {
  workspace.stop();
  if (binaryBefore === undefined) delete process.env.RALPH_TEST_BINARY;
  else process.env.RALPH_TEST_BINARY = binaryBefore;
});

test("a run reports its output, its exit code and nothing of the outer environment", async () => {
  const options = { workspace, stdin: "in ä", environment: { EXTRA: "more" } };
  const { durationMs, ...exit } = await runRalph(["echo", "a b"], options);
  expect(exit).toEqual({ code: 3, signal: null, stdout: "in ä", stderr: `[a b] ${workspace.home} more\n` });
  expect(durationMs).toBeGreaterThan(0);
});

test("a run that takes too long is killed", async () => {
  const { code, signal, stdout } = await runRalph(["hang"], { workspace, timeoutMs: 200 });
  expect({ code, signal, stdout }).toEqual({ code: null, signal: "SIGKILL", stdout: "ready\n" });
});

test("a live process can be talked to, waited for and killed", async () => {
  await using child = startRalph(["talk"], { workspace });
  await child.waitForOutput("ready");
  child.write("hello\n");
  expect((await child.waitForOutput(/got (\w+)/))[1]).toBe("hello");
  child.kill("SIGTERM");
  expect((await child.exited).signal).toBe("SIGTERM");
});

test("waiting for output that never comes fails with what did come", async () => {
  await using child = startRalph(["echo", "x"], { workspace });
  const waiting = child.waitForOutput("never").catch((error: Error) => error.message);
  child.closeInput();
  expect(await waiting).toBe(`Ralph ended before the output matched never\nstdout: \nstderr: [x] ${workspace.home} \n`);
  expect(await child.waitForOutput("later").catch((error: Error) => error.message)).toStartWith("Ralph ended");
});
