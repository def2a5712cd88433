import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { PYTHON_COMMANDS, pythonCommands } from "../../scripts/python-commands.ts";
import { RPC_COMMANDS } from "../../src/rpc/commands.ts";
import { findPython } from "./built-client.ts";

const PACKAGE = resolve(import.meta.dir, "../../clients/python");
const LIMIT_MS = 60_000;
const python = findPython();

function runPython(words: string[]) {
  return Bun.spawnSync([python ?? "", ...words], {
    cwd: PACKAGE,
    env: { PATH: process.env.PATH ?? "", PYTHONDONTWRITEBYTECODE: "1" },
    timeout: LIMIT_MS,
  });
}

test("the methods of the Python client are those of the table: bun scripts/python-commands.ts writes them", () => {
  expect(readFileSync(PYTHON_COMMANDS, "utf8")).toBe(pythonCommands());
});

test.skipIf(python === undefined)("the Python client has a method for every command", () => {
  const list = "import ralph_rpc; print(' '.join(dir(ralph_rpc.RpcClient)))";
  const names = runPython(["-c", list]).stdout.toString().trim().split(" ");
  expect(Object.keys(RPC_COMMANDS).filter((name) => !names.includes(name))).toEqual([]);
});

test.skipIf(python === undefined)("the Python client needs the standard library alone", () => {
  const files = [...new Bun.Glob("ralph_rpc/*.py").scanSync({ cwd: PACKAGE })].map((name) => join(PACKAGE, name));
  // Python 3.9 cannot tell.
  const known = "getattr(sys, 'stdlib_module_names', sys.argv)";
  const check = `import sys; print(sorted(set(sys.argv[1:]) - set(${known})))`;
  const modules = files.flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/^(?:from|import) ([a-z_]+)/gm)].map(([, name = ""]) => name),
  );
  expect(modules.length).toBeGreaterThan(10);
  expect(
    runPython(["-c", check, ...modules])
      .stdout.toString()
      .trim(),
  ).toBe("[]");
});

test.skipIf(python === undefined)(
  "the tests of the Python client pass",
  () => {
    const { exitCode, stderr } = runPython(["-m", "unittest", "discover", "-s", "tests"]);
    expect({ exitCode, stderr: exitCode === 0 ? "" : stderr.toString() }).toEqual({ exitCode: 0, stderr: "" });
    expect(stderr.toString()).toMatch(/Ran \d\d+ tests/);
  },
  LIMIT_MS,
);
