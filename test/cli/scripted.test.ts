import { describe, expect, test } from "bun:test";
import { openFrontDoor, outcomeOf } from "../support/front-door.ts";

describe("scripted/demo", () => {
  test("answers without a key and without a network", async () => {
    using ralph = await openFrontDoor();
    const { code, stdout, stderr } = await ralph.run(["-p", "--model", "scripted/demo", "hello"], {
      environment: { ANTHROPIC_API_KEY: undefined },
    });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toStartWith("This is the demonstration model");
    expect(ralph.provider.requests).toEqual([]);
  });
});

describe("a script of one's own", () => {
  test("is played by path, by RALPH_SCRIPT and by a provider of models.yml", async () => {
    using ralph = await openFrontDoor();
    const path = ralph.workspace.write("project/play.yml", "version: 1\nturns: [{ steps: [{ text: [Hel, lo] }] }]");
    ralph.writeModels(
      `providers:\n  rehearsal: { api: scripted, auth: none, baseUrl: ${path}, models: [{ id: first }] }`,
    );
    const runs = [
      await ralph.run(["-p", "--model", "scripted/play.yml", "hi"]),
      await ralph.run(["-p", "--model", "scripted/script", "hi"], { environment: { RALPH_SCRIPT: path } }),
      await ralph.run(["-p", "--model", "rehearsal/first", "hi"]),
    ];
    const expected = { code: 0, stdout: "Hello\n", stderr: "" };
    expect(runs.map(outcomeOf)).toEqual([expected, expected, expected]);
  });

  test("fails as providers fail: it is retried, restarted and given up", async () => {
    using ralph = await openFrontDoor();
    const script = ralph.workspace.write(
      "project/fail.yml",
      `version: 1
turns:
  - when: retry
    failures: [[{ error: { kind: rate-limit, retryAfterMs: 1 } }], [{ thinking: hm }, { cut: true }]]
    steps: [{ wait: 1 }, { text: done }]
  - when: give up
    steps: [{ text: half }, { error: { kind: quota, message: no money } }]
`,
    );
    const ask = (prompt: string) => ralph.run(["-p", "--model", `scripted/${script}`, prompt]);
    expect(outcomeOf(await ask("please retry"))).toEqual({
      code: 0,
      stdout: "done\n",
      stderr:
        "ralph: the script says rate-limit; trying again in 0.0 s (attempt 2)\nralph: the answer ended in the middle; trying again in 0.0 s (attempt 3)\n",
    });
    expect(outcomeOf(await ask("please give up"))).toEqual({
      code: 4,
      stdout: "half\n",
      stderr: "ralph: no money. The account has no quota left: wait, pay, or use another --model.\n",
    });
  });

  test("that is missing, broken or of another form ends with exit code 4 and one line", async () => {
    using ralph = await openFrontDoor();
    ralph.workspace.write("project/broken.yml", "version: 1\nturns: [");
    ralph.workspace.write("project/form.yml", "version: 1\nturns: [{ steps: [{ text: 5 }] }]");
    ralph.workspace.write("project/future.yml", "version: 2\nturns: []");
    ralph.workspace.write("project/short.yml", "version: 1\nturns: []");
    const names = ["missing", "broken", "form", "future", "short"];
    const runs = await Promise.all(names.map((name) => ralph.run(["-p", "--model", `scripted/${name}.yml`, "hi"])));
    expect(runs.map(({ code, stdout, stderr }) => [code, stdout, stderr.split("\n").length])).toEqual(
      names.map(() => [4, "", 2]),
    );
    const [missing, broken, form, future, short] = runs.map(({ stderr }) => stderr);
    expect(missing).toBe("ralph: the script cannot be played: missing.yml could not be read: it does not exist.\n");
    expect(broken).toStartWith("ralph: broken.yml is not YAML: ");
    expect(form).toStartWith("ralph: form.yml is not a script: turns.0.steps.0: ");
    expect(future).toStartWith("ralph: future.yml is not a script: version: ");
    expect(short).toBe("ralph: short.yml has no turn for answer 1\n");
  });
});
