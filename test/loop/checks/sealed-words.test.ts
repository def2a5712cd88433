import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readCommands } from "../../../src/loop/checks/command-words.ts";
import { readScripts, withScripts } from "../../../src/loop/checks/package-scripts.ts";
import { sealedWords } from "../../../src/loop/checks/sealed-words.ts";
import { belongsToCheck, isTestPath } from "../../../src/loop/checks/test-paths.ts";

const PATHS = [
  "package.json",
  "Makefile",
  "src/app.js",
  "src/app.test.js",
  "test/a.test.js",
  "test/data/input.json",
  "scripts/check.sh",
  "verify.py",
  "README.md",
  "sub/package.json",
  "sub/test/b.js",
  "spec/x_spec.rb",
];

const SCRIPTS: Record<string, Record<string, string>> = {
  "package.json": { test: "npm run unit && node test/a.test.js", pretest: "node src/app.js", unit: "jest" },
  "sub/package.json": { check: "node test/b.js" },
};

function seal(...commands: string[]) {
  const found = sealedWords({ commands, patterns: [], paths: PATHS, scriptsOf: (file) => SCRIPTS[file] });
  const scripts = [...found.scripts.values()].map(({ file, name, value }) => `${file} ${name}=${value ?? "-"}`);
  return { paths: [...found.paths].sort(), scripts, programs: [...found.programs] };
}

describe("what a command relies on", () => {
  test("files that belong to the check are sealed, what is checked is not", () => {
    expect(seal("node --test test/a.test.js && grep -q done README.md && node src/app.js").paths).toEqual([
      "test/a.test.js",
    ]);
    expect(seal("bash scripts/check.sh < test/data/input.json", "python3 ./verify.py --strict").paths).toEqual([
      "scripts/check.sh",
      "test/data/input.json",
      "verify.py",
    ]);
  });

  test("folders, patterns and options name the tests in them", () => {
    expect(seal("bun test src/").paths).toEqual(["src/app.test.js"]);
    expect(seal("pytest test").paths).toEqual(["test/a.test.js", "test/data/input.json"]);
    expect(seal("rspec spec/*_spec.rb").paths).toEqual(["spec/x_spec.rb"]);
    expect(seal("tool --config=scripts/check.sh").paths).toEqual(["scripts/check.sh"]);
  });

  test("scripts are followed with their companions into scripts and files", () => {
    expect(seal("npm test")).toEqual({
      paths: ["test/a.test.js"],
      scripts: [
        "package.json pretest=node src/app.js",
        "package.json test=npm run unit && node test/a.test.js",
        "package.json posttest=-",
        "package.json preunit=-",
        "package.json unit=jest",
        "package.json postunit=-",
      ],
      programs: ["npm", "node", "jest"],
    });
  });

  test("every way to run a script in another folder is seen", () => {
    const ways = ["cd sub && npm run check", "npm --prefix sub run check", "pnpm -C sub check", "yarn --cwd=sub check"];
    for (const way of [...ways, "timeout 60 env A=1 sh -c 'cd sub; bun run check'"]) {
      expect([way, seal(way).paths, seal(way).scripts[1]]).toEqual([
        way,
        ["sub/test/b.js"],
        "sub/package.json check=node test/b.js",
      ]);
    }
  });

  test("make relies on its Makefile, and bun test is no script", () => {
    expect(seal("make test").paths).toEqual(["Makefile"]);
    expect(seal("bun test").scripts).toEqual([]);
  });

  test("any text is read without an exception", () => {
    fc.assert(fc.property(fc.string(), (text) => Array.isArray(readCommands(text))));
  });
});

test("tests are known by folder and name", () => {
  const tests = [
    "test/x.js",
    "a/__tests__/b.ts",
    "x.spec.ts",
    "pkg/x_test.go",
    "test_x.py",
    "conftest.py",
    "FooTest.java",
  ];
  const others = ["src/latest.ts", "contest.py", "attestation/a.ts", "src/testing.ts", "protest.md", "package.json"];
  expect([tests.filter(isTestPath), others.filter(isTestPath)]).toEqual([tests, []]);
});

test("checks are told from what they check", () => {
  const checks = ["verify.sh", "scripts/a.js", "check.js", "pre-check.py", "ci/run", "jest.config.ts", "bunfig.toml"];
  const others = ["src/app.js", "checkout.ts", "circle.ts", "README.md", "description.md", "main.py", "run.sh"];
  expect([checks.filter(belongsToCheck), others.filter(belongsToCheck)]).toEqual([checks, []]);
});

test("scripts are set and taken out, the rest of a package.json stays", () => {
  const text = '{\n\t"name": "x",\n\t"scripts": {\n\t\t"test": "true",\n\t\t"pretest": "rm -rf test"\n\t}\n}\n';
  const values = new Map([
    ["test", "jest"],
    ["pretest", undefined],
  ]);
  expect(withScripts(text, values)).toBe('{\n\t"name": "x",\n\t"scripts": {\n\t\t"test": "jest"\n\t}\n}\n');
  expect([readScripts("[]"), readScripts("{"), readScripts('{"scripts":{"a":1,"b":"c"}}')]).toEqual([
    undefined,
    undefined,
    { b: "c" },
  ]);
});
