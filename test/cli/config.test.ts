import { describe, expect, test } from "bun:test";
import { SETTING_ROWS } from "../../src/protocol/setting-rows.ts";
import { type FrontDoor, openFrontDoor, outcomeOf } from "../support/front-door.ts";

/** `ralph config why KEY --json`, read. */
async function why(
  ralph: FrontDoor,
  key: string,
  more: { args?: string[]; environment?: Record<string, string> } = {},
) {
  const { environment = {} } = more;
  const { stdout } = await ralph.run(["config", "why", key, "--json", ...(more.args ?? [])], { environment });
  const { value, history } = JSON.parse(stdout) as {
    value: unknown;
    history: { origin: { layer: string; place: string }; value: unknown }[];
  };
  return { value, layers: history.map(({ origin, value: own }) => [origin.layer, origin.place, own]) };
}

describe("ralph config why", () => {
  test("names every layer that set a value, weakest first; the last one counts", async () => {
    using ralph = await openFrontDoor();
    const { workspace } = ralph;
    ralph.writeConfig("model: from-user\nmodelProviderOrder: [mine]\n");
    workspace.write("project/.ralph/config.yml", "modelProviderOrder: [theirs]\n");
    workspace.write("project/.ralph/config.local.yml", "modelProviderOrder: [local]\n");
    const options = { args: ["--model", "from-flag"], environment: { RALPH_MODEL: "from-environment" } };
    expect(await why(ralph, "model", options)).toEqual({
      value: "from-flag",
      layers: [
        ["user", `${workspace.home}/config/config.yml`, "from-user"],
        ["environment", "RALPH_MODEL", "from-environment"],
        ["flag", "--model", "from-flag"],
      ],
    });
    const text = await ralph.run(["config", "why", "modelProviderOrder", "--trust"]);
    expect(outcomeOf(text)).toEqual({
      code: 0,
      stdout: `modelProviderOrder = ["local"]
  ${SETTING_ROWS.modelProviderOrder.description}
  from project-local ${workspace.project}/.ralph/config.local.yml: ["local"]
  over project ${workspace.project}/.ralph/config.yml: ["theirs"]
  over user ${workspace.home}/config/config.yml: ["mine"]
  over default built in: []
  can be set in config.yml
`,
      stderr: "",
    });
  });

  test("a project can only add to the providers that are not used", async () => {
    using ralph = await openFrontDoor();
    ralph.writeConfig("disabledProviders: [openai]\n");
    ralph.workspace.write("project/.ralph/config.yml", "disabledProviders: [google]\n");
    expect((await why(ralph, "disabledProviders")).value).toEqual(["openai", "google"]);
  });

  test("knows defaults, nested keys and numbers of the environment", async () => {
    using ralph = await openFrontDoor();
    ralph.writeConfig("retry:\n  baseDelayMs: 5\n");
    expect(await why(ralph, "retry.baseDelayMs", { environment: { RALPH_RETRY_DELAY_MS: "7" } })).toEqual({
      value: 7,
      layers: [
        ["default", "built in", 1000],
        ["user", `${ralph.workspace.home}/config/config.yml`, 5],
        ["environment", "RALPH_RETRY_DELAY_MS", 7],
      ],
    });
  });

  test("finds the project's file from a folder below it", async () => {
    using ralph = await openFrontDoor();
    ralph.workspace.write("project/.ralph/config.yml", "modelProviderOrder: [low]\n");
    ralph.workspace.write("project/deep/down/file", "");
    const cwd = `${ralph.workspace.project}/deep/down`;
    const { stdout } = await ralph.run(["config", "why", "modelProviderOrder", "--json", "--trust"], { cwd });
    expect(JSON.parse(stdout).value).toEqual(["low"]);
  });

  test("with a wrong key names the nearest, without one all of them", async () => {
    using ralph = await openFrontDoor();
    const wrong = await ralph.run(["config", "why", "modle"]);
    expect([wrong.code, wrong.stderr]).toEqual([2, 'ralph: There is no setting "modle". Did you mean model?\n']);
    const none = await ralph.run(["config", "why"]);
    expect(none.code).toBe(2);
    for (const key of Object.keys(SETTING_ROWS)) expect(none.stderr).toContain(key);
  });
});

describe("a setting that is wrong", () => {
  test("is told with its file and key and left out, and everything else counts", async () => {
    using ralph = await openFrontDoor();
    const { workspace } = ralph;
    ralph.writeConfig("model: 5\nefort: high\neffort: high\nretry: { factor: fast, unknown: 1 }\n");
    workspace.write("project/.ralph/config.yml", "apiUrl: http://evil.test/v1\ncacheRetention: none\n");
    const { code, stderr, stdout } = await ralph.run(["config", "--json"]);
    const user = `${workspace.home}/config/config.yml`;
    expect(code).toBe(0);
    expect(stderr.trimEnd().split("\n")).toEqual([
      `ralph: ${user}:1: model: it must be a string; it is left out.`,
      `ralph: ${user}:4: retry.factor: it must be a number; it is left out.`,
      `ralph: ${user}:2: efort: there is no such setting (nearest: effort); it is left out.`,
      `ralph: ${user}:4: retry.unknown: there is no such setting; it is left out.`,
      ...["2: cacheRetention", "1: apiUrl"].map(
        (place) =>
          `ralph: ${workspace.project}/.ralph/config.yml:${place}: a project may not set this: put it into your own config.yml; it is left out.`,
      ),
    ]);
    const rows = JSON.parse(stdout) as { key: string; value?: unknown; origin?: { layer: string } }[];
    const found = Object.fromEntries(rows.map(({ key, value, origin }) => [key, [value, origin?.layer]]));
    expect(Object.keys(found)).toEqual(Object.keys(SETTING_ROWS));
    expect(found).toMatchObject({
      model: [undefined, undefined],
      effort: ["high", "user"],
      "retry.factor": [2, "default"],
      apiUrl: [undefined, undefined],
      cacheRetention: [undefined, undefined],
    });
  });

  test("in a prompt's run does not keep the prompt from being answered", async () => {
    using ralph = await openFrontDoor();
    const path = `${ralph.workspace.home}/config/config.yml`;
    const files = {
      "a: [": /: it is not YAML: .*; it is left out\.$/,
      "just words": /: it holds no settings \(key: value\); it is left out\.$/,
    };
    for (const [text, expected] of Object.entries(files)) {
      ralph.writeConfig(text);
      const { code, stdout, stderr } = await ralph.run(["-p", "hello"]);
      expect([code, stdout]).toEqual([0, "ok\n"]);
      expect(stderr).toStartWith(`ralph: ${path}`);
      expect(stderr.trimEnd()).toMatch(expected);
    }
  });

  test("of the environment is refused, because it is meant for this run", async () => {
    using ralph = await openFrontDoor();
    const environment = { RALPH_EFFORT: "hard", RALPH_RETRY_DELAY_MS: "soon", RALPH_API_URL: "nowhere" };
    const { code, stderr } = await ralph.run(["-p", "hello"], { environment });
    expect(code).toBe(2);
    expect(stderr.match(/^ralph: RALPH_\w+: [\w.]+: /gm)).toEqual([
      "ralph: RALPH_EFFORT: effort: ",
      "ralph: RALPH_API_URL: apiUrl: ",
      "ralph: RALPH_RETRY_DELAY_MS: retry.baseDelayMs: ",
    ]);
  });
});

describe("ralph config", () => {
  test("lists every setting with its value and where it comes from", async () => {
    using ralph = await openFrontDoor();
    const { code, stdout } = await ralph.run(["config"]);
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.map((line) => line.split(" ")[0])).toEqual(Object.keys(SETTING_ROWS));
    expect(lines[0]).toMatch(/^model +– +not set$/);
    expect(stdout).toMatch(/^retry\.baseDelayMs +1 +environment: RALPH_RETRY_DELAY_MS$/m);
  });
});
