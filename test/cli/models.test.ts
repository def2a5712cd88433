import { describe, expect, test } from "bun:test";
import { at } from "../../src/protocol/json.ts";
import { type FrontDoor, openFrontDoor, outcomeOf } from "../support/front-door.ts";

interface Row {
  selector: string;
  available: boolean;
  whyNot?: string;
}

async function rowsOf(ralph: FrontDoor, args: string[] = []): Promise<Row[]> {
  return JSON.parse((await ralph.run(["models", "--json", ...args])).stdout);
}

function askedModel({ provider }: FrontDoor): unknown {
  return at(provider.requests.at(-1)?.body, "model");
}

const TWO_PROVIDERS = (origin: string) => `providers:
  own:
    baseUrl: ${origin}/v1
    api: openai-completions
    auth: none
    models: [{ id: alpha }, { id: beta }]
  locked: { baseUrl: "${origin}/v1", apiKeyEnv: LOCKED_KEY, api: openai-completions, models: [{ id: gamma }] }
profiles:
  mine: { required_providers: [own], model_mapping: { default: own/beta } }
  closed: { required_providers: [locked], model_mapping: { default: locked/gamma } }
`;

describe("ralph models", () => {
  test("lists what can be used, and gathers the rest under the reason why not", async () => {
    using ralph = await openFrontDoor();
    ralph.writeModels(TWO_PROVIDERS(ralph.provider.origin));
    const { code, stdout, stderr } = await ralph.run(["models"]);
    expect([code, stderr]).toEqual([0, ""]);
    const [usable = "", ...rest] = stdout.split("\n\n");
    expect(usable).toMatch(/^Can be used\n/);
    expect(usable).toMatch(/^ {2}✓ anthropic\/claude-sonnet-5 .*thinks$/m);
    expect(usable).toMatch(/^ {2}✓ own\/alpha /m);
    const locked = rest.find((section) => section.includes("locked/gamma"));
    expect(locked).toBe(
      "No key for locked. Run ralph login locked, set LOCKED_KEY, or pass --api-key.\n  – locked/gamma\n",
    );
    const reasons = rest.map((section) => section.split("\n")[0]);
    expect(new Set(reasons).size).toBe(reasons.length);
  });

  test("searches, also where nothing fits", async () => {
    using ralph = await openFrontDoor();
    ralph.writeModels(TWO_PROVIDERS(ralph.provider.origin));
    const found = await rowsOf(ralph, ["own/"]);
    expect(found.map(({ selector, available }) => [selector, available])).toEqual([
      ["own/alpha", true],
      ["own/beta", true],
    ]);
    expect((await ralph.run(["models", "zzzz"])).stdout).toBe("No model has such a name. See all: ralph models\n");
  });

  test("says that a provider is disabled or a model not enabled", async () => {
    using ralph = await openFrontDoor();
    ralph.writeModels(TWO_PROVIDERS(ralph.provider.origin));
    ralph.writeConfig("disabledProviders: [anthropic]\nenabledModels: [own/alpha]\n");
    const rows = await rowsOf(ralph);
    expect(rows.filter(({ available }) => available).map(({ selector }) => selector)).toEqual(["own/alpha"]);
    const why = (selector: string) => rows.find((row) => row.selector === selector)?.whyNot;
    expect(why("anthropic/claude-sonnet-5")).toStartWith("The provider anthropic is disabled here.");
    expect(why("own/beta")).toStartWith("own/beta is not among enabledModels.");
  });

  test("keeps working where models.yml is broken, and says where", async () => {
    using ralph = await openFrontDoor();
    ralph.writeModels("providers:\n  own:\n    baseUlr: x\n");
    const { code, stdout, stderr } = await ralph.run(["models", "claude-sonnet-5"]);
    expect(code).toBe(0);
    expect(stdout).toContain("✓ anthropic/claude-sonnet-5");
    expect(stderr).toMatch(/^ralph: .*models\.yml.*baseUlr/);
  });
});

describe("--list-models", () => {
  test("shows canonical names with what stands behind them, then every model", async () => {
    using ralph = await openFrontDoor();
    const { code, stdout } = await ralph.run(["--list-models", "claude-sonnet-5"]);
    expect(code).toBe(0);
    const [canonical = "", concrete = ""] = stdout.split("\n\n");
    expect(canonical).toMatch(/^Canonical models\n✓ claude-sonnet-5 +→ anthropic\/claude-sonnet-5 {2}\(.*\)/);
    expect(concrete).toMatch(/^Models by provider\n/);
    expect(concrete).toContain("✓ anthropic/claude-sonnet-5\n");
    expect(concrete).toContain("– openrouter/anthropic/claude-sonnet-5\n");
  });
});

describe("choosing a model", () => {
  test("--models limits the choice to what fits, first fit first", async () => {
    using ralph = await openFrontDoor();
    ralph.writeModels(TWO_PROVIDERS(ralph.provider.origin));
    await ralph.run(["-p", "--models", "own/b*,own/a*", "hello"]);
    expect(askedModel(ralph)).toBe("beta");
    const { stderr } = await ralph.run(["-p", "--models", "nothing*,own/a*", "hello"]);
    expect([askedModel(ralph), stderr]).toEqual(["alpha", 'ralph: No model fits "nothing*".\n']);
  });

  test("the flag wins over the environment, the environment over the user, and a project has no say", async () => {
    using ralph = await openFrontDoor();
    ralph.writeModels(TWO_PROVIDERS(ralph.provider.origin));
    ralph.writeConfig("model: own/alpha\n");
    const ask = async (args: string[], environment: Record<string, string> = {}) => {
      await ralph.run(["-p", ...args, "hello"], { environment });
      return askedModel(ralph);
    };
    expect(await ask([])).toBe("alpha");
    ralph.workspace.write("project/.ralph/config.yml", "model: own/beta\n");
    expect(await ask([])).toBe("alpha");
    const environment = { RALPH_MODEL: "locked/gamma", LOCKED_KEY: "key-locked-0123" };
    expect(await ask([], environment)).toBe("gamma");
    expect(await ask(["--model", "own/alpha"], environment)).toBe("alpha");
  });
});

describe("--mpreset", () => {
  test("uses the profile for this run only", async () => {
    using ralph = await openFrontDoor();
    ralph.writeModels(TWO_PROVIDERS(ralph.provider.origin));
    await ralph.run(["-p", "--mpreset", "mine", "hello"]);
    expect(askedModel(ralph)).toBe("beta");
    await ralph.run(["-p", "hello"]);
    expect(askedModel(ralph)).toBe("claude-sonnet-5");
  });

  test.each([
    ["with a prompt", ["-p", "--mpreset", "mine", "--default", "hello"]],
    ["alone", ["--mpreset", "mine", "--default"]],
  ])("with --default, %s, uses it from now on and keeps the rest of config.yml", async (_, args) => {
    using ralph = await openFrontDoor();
    ralph.writeModels(TWO_PROVIDERS(ralph.provider.origin));
    ralph.writeConfig("# mine\neffort: low # not too hard\n");
    const path = `${ralph.workspace.home}/config/config.yml`;
    const { code, stderr } = await ralph.run(args);
    expect([code, stderr]).toEqual([0, `ralph: The profile mine is used from now on (${path}).\n`]);
    expect(ralph.workspace.read("ralph-home/config/config.yml")).toBe(
      "# mine\neffort: low # not too hard\nmodelProfile:\n  default: mine\n",
    );
    await ralph.run(["-p", "hello"]);
    expect(askedModel(ralph)).toBe("beta");
  });

  test("that misses a key ends with exit code 3, one that does not exist with exit code 2, and neither is kept", async () => {
    using ralph = await openFrontDoor();
    ralph.writeModels(TWO_PROVIDERS(ralph.provider.origin));
    const closed = await ralph.run(["-p", "--mpreset", "closed", "--default", "hello"]);
    expect(outcomeOf(closed)).toEqual({
      code: 3,
      stdout: "",
      stderr:
        "ralph: The profile closed needs the provider locked. No key for locked. Run ralph login locked, set LOCKED_KEY, or pass --api-key.\n",
    });
    const unknown = await ralph.run(["-p", "--mpreset", "mien", "--default", "hello"]);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toStartWith('ralph: No profile is called "mien". There are: mine, ');
    expect(JSON.parse((await ralph.run(["config", "why", "modelProfile.default", "--json"])).stdout).history).toEqual(
      [],
    );
    expect(ralph.provider.requests).toEqual([]);
  });

  test("is what --default needs", async () => {
    using ralph = await openFrontDoor();
    const { code, stderr } = await ralph.run(["--default"]);
    expect([code, stderr]).toEqual([2, "ralph: --default only means something together with --mpreset NAME.\n"]);
  });
});
