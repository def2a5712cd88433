import { describe, expect, test } from "bun:test";
import { version } from "../../package.json";
import { COMMANDS } from "../../src/cli/command-line.ts";
import { FLAGS } from "../../src/cli/flags.ts";
import { openFrontDoor, outcomeOf } from "../support/front-door.ts";

describe("help", () => {
  test("lists every command and every flag, and is the same however it is asked for", async () => {
    using ralph = await openFrontDoor();
    const runs = await Promise.all([["--help"], ["-h"], ["help"]].map((args) => ralph.run(args)));
    const [first] = runs;
    for (const run of runs) expect(outcomeOf(run)).toEqual({ code: 0, stdout: first?.stdout ?? "", stderr: "" });
    for (const { name, short } of FLAGS) {
      expect(first?.stdout).toMatch(new RegExp(`^ +${short === undefined ? "" : `-${short}, `}--${name}\\b`, "m"));
    }
    for (const { name, description } of COMMANDS) {
      expect(first?.stdout.replace(/\s+/g, " ")).toContain(description);
      expect(first?.stdout).toMatch(new RegExp(`^ {2}${name}\\b`, "m"));
    }
    const widest = Math.max(...(first?.stdout ?? "").split("\n").map((line) => line.length));
    expect(widest).toBeLessThanOrEqual(80);
  });

  test("of a command shows its flags, in both ways of asking", async () => {
    using ralph = await openFrontDoor();
    for (const { name, flags } of COMMANDS.filter((row) => row.name !== "help")) {
      const [asked, flagged] = await Promise.all([ralph.run(["help", name]), ralph.run([name, "--help"])]);
      expect(outcomeOf(asked)).toEqual(outcomeOf(flagged));
      expect(asked.code).toBe(0);
      const shown = [...asked.stdout.matchAll(/--([a-z-]+)/g)].map(([, flag]) => flag);
      expect(shown).toEqual(expect.arrayContaining([...flags, "help", "debug"]));
    }
  });

  test("of a command that does not exist names the nearest", async () => {
    using ralph = await openFrontDoor();
    expect(outcomeOf(await ralph.run(["help", "modls"]))).toEqual({
      code: 2,
      stdout: "",
      stderr: 'ralph: Unknown command "modls". Did you mean models?\n',
    });
  });
});

test("the version is that of the package", async () => {
  using ralph = await openFrontDoor();
  for (const args of [["--version"], ["-v"], ["-p", "--version"]]) {
    expect(outcomeOf(await ralph.run(args))).toEqual({ code: 0, stdout: `ralph ${version}\n`, stderr: "" });
  }
});

test("a misspelt command, flag or value ends with exit code 2, one line and no request", async () => {
  using ralph = await openFrontDoor();
  const slips = [["modles"], ["-p", "--modle", "x", "hi"], ["-p", "--mode", "jsn", "hi"], ["completion", "bahs"]];
  const runs = await Promise.all(slips.map((args) => ralph.run(args)));
  expect(runs.map(({ code, stdout, stderr }) => [code, stdout, stderr])).toEqual([
    [2, "", 'ralph: Unknown command "modles". Did you mean "ralph models"? To ask a model: ralph -p "modles"\n'],
    [2, "", "ralph: Unknown flag --modle. Did you mean --model?\n"],
    [2, "", 'ralph: Unknown --mode "jsn". Did you mean json?\n'],
    [2, "", 'ralph: Unknown argument of ralph completion "bahs". Did you mean bash?\n'],
  ]);
  expect(ralph.provider.requests).toEqual([]);
});
