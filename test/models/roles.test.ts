import { describe, expect, test } from "bun:test";
import { activateProfile, previewProfile } from "../../src/models/profile-activation.ts";
import { builtInProfiles } from "../../src/models/profiles.ts";
import { expandRoles, resolveRole, roleOf } from "../../src/models/roles.ts";
import { modelScope, scopedValues } from "../../src/models/scoping.ts";
import { modelNamed, modelsFileFrom, registryWith } from "../support/model-fixtures.ts";

describe("roles (B-055)", () => {
  const file = modelsFileFrom(`modelBindings:
  modelRoles: { default: a/file, planner: a/planner, critic: a/critic }
  agentModelOverrides: { planner: "a/override:low" }
`);

  test("take the profile before the settings before models.yml, and default where nothing is bound", () => {
    const sources = {
      profile: { critic: "a/profile" },
      settings: { critic: "a/settings", executor: "a/settings" },
      file,
    };
    const bound = ["default", "executor", "planner", "critic", "architect"].map((role) => resolveRole(role, sources));
    expect(bound).toEqual([
      { ok: true, selector: "a/file" },
      { ok: true, selector: "a/settings" },
      { ok: true, selector: "a/override:low" },
      { ok: true, selector: "a/profile" },
      { ok: true, selector: "a/file" },
    ]);
    expect(resolveRole("critic", {})).toEqual({ ok: true, selector: undefined });
  });

  test("may point at roles, and the effort of the one who points wins", () => {
    const settings = {
      default: "a/m:high",
      executor: "pi/default",
      planner: "ralph/default:low",
      critic: "planner:minimal",
      architect: "critic",
    };
    expect(["executor", "planner", "critic", "architect"].map((role) => resolveRole(role, { settings }))).toEqual([
      { ok: true, selector: "a/m:high" },
      { ok: true, selector: "a/m", effort: "low" },
      { ok: true, selector: "a/m", effort: "minimal" },
      { ok: true, selector: "a/m", effort: "minimal" },
    ]);
  });

  test("that point at each other are refused with the chain", () => {
    expect(resolveRole("planner", { settings: { planner: "critic", critic: "pi/planner" } })).toEqual({
      ok: false,
      problem: {
        type: "role-cycle",
        message:
          "The model roles point at each other: planner -> critic -> planner. Give one of them a model in modelRoles.",
        roles: ["planner", "critic", "planner"],
      },
    });
    expect(resolveRole("default", { settings: { default: "ralph/default" } })).toMatchObject({ ok: false });
  });

  test("and tiers are understood wherever a model is (U-3, A-022)", () => {
    const settings = { default: "a/m", simple: "b/small", high: "b/large:xhigh" };
    expect(
      ["simple", "ralph/high", "pi/high:low", "standard", "a/other:low", "provider/default"].map((text) =>
        expandRoles(text, { settings }),
      ),
    ).toEqual([
      { ok: true, selector: "b/small" },
      { ok: true, selector: "b/large:xhigh" },
      { ok: true, selector: "b/large", effort: "low" },
      { ok: true, selector: "a/m" },
      { ok: true, selector: "a/other:low" },
      { ok: true, selector: "provider/default" },
    ]);
    expect([roleOf("ralph/planner"), roleOf("toString"), roleOf("pi/nothing")]).toEqual([
      "planner",
      undefined,
      undefined,
    ]);
  });
});

describe("profiles", () => {
  const THINKS = { reasoning: true, thinking: { minLevel: "low" as const, maxLevel: "high" as const } };
  const registry = registryWith({ builtIns: [modelNamed("a/m", THINKS), modelNamed("b/plain")] });
  const input = {
    registry,
    builtIn: {
      team: {
        required_providers: ["a", "b"],
        model_mapping: { default: "a/m:minimal", executor: "b/plain", planner: "a/m:xhigh" },
      },
    },
    credentialsOf: () => ({ ok: true as const }),
  };

  test("clamp efforts to what the model takes and say so (B-037)", () => {
    expect(activateProfile({ ...input, name: "team" })).toEqual({
      ok: true,
      name: "team",
      roles: { default: "a/m:low", executor: "b/plain", planner: "a/m:high" },
      notes: [
        'default: a/m has no effort "minimal", so "low" is used.',
        'planner: a/m has no effort "xhigh", so "high" is used.',
      ],
      blockers: [],
    });
  });

  test("are blocked where a required provider has no key, with the way out (B-036)", () => {
    const credentialsOf = (provider: string) =>
      provider === "b" ? { ok: false as const, variables: ["B_KEY"], message: "Set B_KEY." } : { ok: true as const };
    const problem = {
      type: "no-credential" as const,
      message: "The profile team needs the provider b. Set B_KEY.",
      provider: "b",
      variables: ["B_KEY"],
    };
    expect(activateProfile({ ...input, name: "team", credentialsOf })).toEqual({ ok: false, problem });
    expect(previewProfile({ ...input, name: "team", credentialsOf })).toMatchObject({ ok: true, blockers: [problem] });
  });

  test("of models.yml win by their exact name, and leave the roles they do not name (B-034)", () => {
    const user = { team: { required_providers: [], model_mapping: { critic: "b/plain" } } };
    expect(activateProfile({ ...input, name: "team", user })).toEqual({
      ok: true,
      name: "team",
      roles: { critic: "b/plain" },
      notes: [],
      blockers: [],
    });
    expect(activateProfile({ ...input, name: "Team", user })).toMatchObject({ ok: false });
  });

  test("that do not exist are refused with those that do, nearest first", () => {
    const builtIn = builtInProfiles();
    const result = activateProfile({ ...input, builtIn, name: "codex-medum" });
    expect(result.ok ? [] : result.problem).toMatchObject({
      type: "unknown-profile",
      nearest: expect.arrayContaining(Object.keys(builtIn)),
    });
    expect(
      !result.ok && result.problem.message.startsWith('No profile is called "codex-medum". There are: codex-medium, '),
    ).toBe(true);
    expect(activateProfile({ ...input, name: "constructor" })).toMatchObject({
      ok: false,
      problem: { type: "unknown-profile" },
    });
  });

  test("with a model nobody knows are blocked and say which role names it", () => {
    const user = { mine: { required_providers: [], model_mapping: { critic: "zzz/qqq" } } };
    const result = activateProfile({ ...input, name: "mine", user });
    expect(!result.ok && result.problem).toMatchObject({ type: "unknown-model", selector: "zzz/qqq" });
    expect(!result.ok && result.problem.message.startsWith("The role critic of mine: No model is called")).toBe(true);
  });
});

describe("path scopes (B-056)", () => {
  const place = (cwd: string) => ({ cwd, home: "/home/me" });
  const entries = [
    "everywhere",
    { path: "~/code", models: ["at-work"] },
    { paths: ["/srv/a", "/srv/b"], values: ["served"] },
  ];

  test("count in the folder itself and below it, and nowhere else", () => {
    const at = (cwd: string) => scopedValues(entries, "models", place(cwd));
    expect([
      at("/home/me/code"),
      at("/home/me/code/x/y"),
      at("/home/me/codeshop"),
      at("/srv/b/c"),
      at("/home/me"),
    ]).toEqual([
      ["everywhere", "at-work"],
      ["everywhere", "at-work"],
      ["everywhere"],
      ["everywhere", "served"],
      ["everywhere"],
    ]);
  });

  test("understand every spelling of the path keys, and the setting's own name for its entries", () => {
    const settings = {
      enabledModels: [{ pathPrefix: "~", models: ["m"], providers: ["not a model"] }],
      disabledProviders: [{ pathPrefixes: ["code/"], providers: ["p"], values: ["q", "p"] }, "r"],
      modelProviderOrder: ["x"],
    };
    expect(modelScope(settings, place("/home/me/code"))).toEqual({
      enabledModels: ["m"],
      disabledProviders: ["p", "q", "r"],
      modelProviderOrder: ["x"],
    });
    expect(modelScope({}, place("/"))).toEqual({ enabledModels: [], disabledProviders: [], modelProviderOrder: [] });
  });

  test("are not fooled by dots", () => {
    expect(scopedValues([{ path: "/srv/a/../b", models: ["m"] }], "models", place("/srv/b/./c"))).toEqual(["m"]);
    expect(scopedValues([{ path: "/srv/a", models: ["m"] }], "models", place("/srv/a/..secret"))).toEqual(["m"]);
  });
});
