import { describe, expect, test } from "bun:test";
import { COMMANDS } from "../../src/cli/command-line.ts";
import { completionScripts } from "../../src/cli/completion.ts";
import { FLAGS } from "../../src/cli/flags.ts";
import { openFrontDoor } from "../support/front-door.ts";

/** What a real bash offers for the words, the last one being typed. */
function bashOffers(words: string[], cwd: string): string[] {
  const list = words.map((word) => `'${word}'`).join(" ");
  const program = `eval "$SCRIPT"; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _ralph; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { PATH: process.env.PATH ?? "", SCRIPT: completionScripts.bash() };
  const { stdout, stderr } = Bun.spawnSync(["bash", "--norc", "-c", program], { cwd, env });
  expect(stderr.toString()).toBe("");
  return stdout
    .toString()
    .split("\n")
    .filter((word) => word !== "");
}

describe("the completion of bash", () => {
  test("offers commands, flags, the words of commands, choices and files", async () => {
    using ralph = await openFrontDoor();
    ralph.workspace.write("project/prompt.md", "");
    const offers = (...words: string[]) => bashOffers(["ralph", ...words], ralph.workspace.project);
    expect(offers("")).toEqual(COMMANDS.map(({ name }) => name));
    expect(offers("mo")).toEqual(["models"]);
    expect(offers("-")).toEqual(FLAGS.map(({ name }) => `--${name}`));
    expect(offers("-p", "--mod")).toEqual(["--model", "--models", "--mode"]);
    expect(offers("config", "")).toEqual(["why", "list"]);
    expect(offers("completion", "z")).toEqual(["zsh"]);
    expect(offers("-p", "--mode", "j")).toEqual(["json"]);
    expect(offers("-p", "--system-prompt-file", "pro")).toEqual(["prompt.md"]);
    expect(offers("-p", "hello", "wor")).toEqual([]);
  });

  test("is what ralph completion bash prints, and bash knows it as ralph's", async () => {
    using ralph = await openFrontDoor();
    const { code, stdout } = await ralph.run(["completion", "bash"]);
    expect([code, stdout]).toEqual([0, completionScripts.bash()]);
    const shell = Bun.spawnSync(["bash", "--norc", "-c", `${stdout}\ncomplete -p ralph`]);
    expect(shell.stdout.toString()).toBe("complete -o default -F _ralph ralph\n");
  });
});

const WITHOUT_SHELL = "is read without an error by the shell itself";

describe.each(["zsh", "fish"] as const)("the completion of %s", (shell) => {
  test("names every command and every flag", async () => {
    using ralph = await openFrontDoor();
    const { code, stdout } = await ralph.run(["completion", shell]);
    expect([code, stdout]).toEqual([0, completionScripts[shell]()]);
    for (const { name } of COMMANDS) expect(stdout).toContain(name);
    for (const { name } of FLAGS) expect(stdout).toContain(shell === "fish" ? `-l ${name} ` : `--${name}`);
  });

  test.skipIf(Bun.which(shell) === null)(`${WITHOUT_SHELL} (${shell} has to be installed)`, () => {
    const { exitCode, stderr } = Bun.spawnSync([shell, "-n", "/dev/stdin"], {
      stdin: Buffer.from(completionScripts[shell]()),
    });
    expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  });
});

test("completion without a shell says which there are", async () => {
  using ralph = await openFrontDoor();
  const { code, stderr } = await ralph.run(["completion"]);
  expect([code, stderr]).toEqual([2, "ralph: Name the shell: ralph completion bash, zsh or fish.\n"]);
});
