import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadModelsFile, readModelsFile } from "../../src/models/models-file.ts";
import { parseModelsFile } from "../../src/models/models-file-parse.ts";
import { formatProblem } from "../../src/models/models-file-state.ts";
import { modelsFileFrom, temporaryDirectory } from "../support/model-fixtures.ts";

const FULL = `providers:
  my-provider:
    baseUrl: https://api.example.com/v1
    apiKey: MY_PROVIDER_API_KEY
    api: openai-completions
    headers: { X-Team: platform }
    authHeader: true
    auth: apiKey
    disableStrictTools: false
    cacheRetention: short
    compat: { supportsStore: false }
    requestTransform:
      profile: openai-proxy
      stripHeaders: [x-a]
      setHeaders: { x-b: c, x-d: null }
      extraBody: { a: 1 }
    modelOverrides:
      some-model-id: { name: Renamed, cacheRetention: long }
    models:
      - id: some-model-id
        name: Some Model
        api: openai-responses
        reasoning: true
        input: [text, image]
        cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 }
        contextWindow: 128000
        maxTokens: 16384
        headers: { X-Model: value }
        cacheRetention: none
        contextPromotionTarget: other
        wireModelId: upstream
        thinking: { minLevel: low, maxLevel: xhigh, mode: effort, defaultLevel: high, levels: [low, medium, high, xhigh] }
        compat:
          maxTokensField: max_completion_tokens
          openRouterRouting: { only: [anthropic] }
          vercelGatewayRouting: { order: [anthropic, openai] }
          extraBody: { gateway: m1-01 }
        requestTransform: { setHeaders: { x: y } }
  local:
    baseUrl: http://127.0.0.1:8000/v1
    auth: none
    api: openai-completions
    discovery: { type: openai-models-list }
equivalence:
  overrides: { my-provider/some-model-id: gpt-5 }
  exclude: [local/x]
modelBindings:
  modelRoles: { default: "my-provider/some-model-id:high" }
  agentModelOverrides: { executor: my-provider/some-model-id }
profiles:
  team:
    required_providers: [my-provider]
    model_mapping: { default: "my-provider/some-model-id:low" }
`;

let directory: { path: string; remove: () => void };
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

function write(name: string, text: string): string {
  const path = join(directory.path, name);
  writeFileSync(path, text);
  return path;
}

describe("loadModelsFile", () => {
  test("says that there is no file when there is none", async () => {
    expect(await loadModelsFile(directory.path)).toEqual({ type: "none", path: join(directory.path, "models.yml") });
  });

  test("reads every documented key (B-026 to B-031)", async () => {
    const path = write("models.yml", FULL);
    const file = Bun.YAML.parse(FULL);
    expect(await loadModelsFile(directory.path)).toEqual({ type: "loaded", path, file: file as never, notices: [] });
  });

  test("takes an empty file for an empty configuration", async () => {
    const path = write("models.yml", "# nothing yet\n");
    expect(await loadModelsFile(directory.path)).toEqual({ type: "loaded", path, file: {}, notices: [] });
  });

  test("turns a lone models.json into models.yml and keeps the original (B-025)", async () => {
    const json = '{\n  // a comment\n  "providers": { "p": { "baseUrl": "https://p.test" } },\n}\n';
    const old = write("models.json", json);
    const path = join(directory.path, "models.yml");
    const notices = [`${old} was turned into ${path}; the original is kept as ${old}.migrated.`];
    const file = { providers: { p: { baseUrl: "https://p.test" } } };
    expect(await loadModelsFile(directory.path)).toEqual({ type: "loaded", path, file, notices });
    expect([existsSync(old), readFileSync(`${old}.migrated`, "utf8"), statSync(path).mode & 0o777]).toEqual([
      false,
      json,
      0o600,
    ]);
    expect(await loadModelsFile(directory.path)).toEqual({ type: "loaded", path, file, notices: [] });
  });

  test("leaves models.json alone where models.yml is there too", async () => {
    const old = write("models.json", "{}");
    const path = write("models.yml", "{}");
    expect(await loadModelsFile(directory.path)).toEqual({ type: "loaded", path, file: {}, notices: [] });
    expect(existsSync(old)).toBe(true);
  });

  test("reports a models.json that is not JSON with its line and does not touch it", async () => {
    const path = write("models.json", '{\n  "providers": {\n    "p" {}\n  }\n}\n');
    const state = await loadModelsFile(directory.path);
    expect(state).toMatchObject({ type: "broken", path, problems: [{ file: path, line: 3, key: "" }] });
    expect(existsSync(join(directory.path, "models.yml"))).toBe(false);
  });

  test("uses models.json as it is where the folder cannot be written", async () => {
    const old = write("models.json", '{"equivalence": {}}');
    chmodSync(directory.path, 0o500);
    const state = await loadModelsFile(directory.path);
    chmodSync(directory.path, 0o700);
    // root may write anywhere; then this is an ordinary migration.
    expect(state).toMatchObject({ type: "loaded", file: { equivalence: {} } });
    expect(state.type === "loaded" && [old, join(directory.path, "models.yml")].includes(state.path)).toBe(true);
  });

  test("reads .json and .jsonc files that are named explicitly", async () => {
    for (const name of ["mine.json", "mine.jsonc"]) {
      const path = write(name, '/* mine */ {"providers": {"p": {"baseUrl": "https://p.test"}}, // end\n}');
      const file = { providers: { p: { baseUrl: "https://p.test" } } };
      expect(await readModelsFile(path)).toEqual({ type: "loaded", path, file, notices: [] });
    }
  });

  test("refuses a file above 1 MB and a folder in its place", async () => {
    const path = write("models.yml", `#${"x".repeat(1_048_576)}`);
    const remedy = "Make it a readable text file of at most 1 MB.";
    const message = `${path} is larger than the limit of 1048576 bytes.`;
    expect(await loadModelsFile(directory.path)).toEqual({
      type: "broken",
      path,
      problems: [{ file: path, line: 1, key: "", message, remedy }],
      notices: [],
    });
    expect(await readModelsFile(directory.path)).toMatchObject({ type: "broken" });
  });
});

describe("parseModelsFile", () => {
  const problemsOf = (text: string, format: "yaml" | "json" = "yaml") => {
    const parsed = parseModelsFile(text, { file: "m.yml", format });
    return parsed.ok ? [] : parsed.problems;
  };
  const first = (text: string) => {
    const { line, key, message, remedy } = problemsOf(text)[0] ?? { line: 0, key: "", message: "", remedy: "" };
    return { line, key, message, remedy };
  };

  test("names the nearest key for one it does not know, with its line (B-026)", () => {
    expect(problemsOf("providers:\n  p:\n    baseURL: https://p.test\n    wibble: 1\n")).toEqual([
      {
        file: "m.yml",
        line: 3,
        column: 5,
        key: "providers.p.baseURL",
        message: '"baseURL" is not a key of providers.p.',
        remedy: 'Did you mean "baseUrl"? Otherwise remove it.',
      },
      {
        file: "m.yml",
        line: 4,
        column: 5,
        key: "providers.p.wibble",
        message: '"wibble" is not a key of providers.p.',
        remedy:
          "Remove it. Known here: baseUrl, apiKey, apiKeyEnv, api, headers, authHeader, auth, disableStrictTools, cacheRetention, discovery, modelOverrides, models, compat, requestTransform.",
      },
    ]);
  });

  test("is strict at every level", () => {
    const unknown = [
      "provider: {}",
      "providers: {p: {baseUrl: 'https://p', discovery: {typ: ollama}}}",
      "providers: {p: {modelOverrides: {m: {id: x}}}}",
      "providers: {p: {compat: {supportStore: true}}}",
      "providers: {p: {compat: {openRouterRouting: {onyl: [a]}}}}",
      "providers: {p: {requestTransform: {strip: []}}}",
      "equivalence: {override: {}}",
      "modelBindings: {roles: {}}",
      "profiles: {a: {model_mapping: {default: a/b}, x: 1}}",
    ];
    expect(unknown.filter((text) => !problemsOf(text).some(({ message }) => /is not a key of/.test(message)))).toEqual(
      [],
    );
  });

  test("says that Ralph does not speak the two foreign APIs (B-030)", () => {
    expect(first("providers:\n  c:\n    baseUrl: https://c.test\n    api: cursor-agent\n")).toEqual({
      line: 4,
      key: "providers.c.api",
      message: 'Ralph does not speak "cursor-agent".',
      remedy: "Use a provider that offers another api, or remove this entry.",
    });
    expect(first("providers: {c: {api: google-gemini-cli}}").message).toBe('Ralph does not speak "google-gemini-cli".');
  });

  test("accepts every API Ralph speaks (B-030)", () => {
    const apis =
      "openai-completions openai-responses openai-codex-responses azure-openai-responses anthropic-messages bedrock-converse-stream google-generative-ai google-vertex ollama-chat scripted";
    const rejected = apis
      .split(" ")
      .filter((api) => problemsOf(`providers: {p: {baseUrl: "https://p", api: ${api}}}`).length > 0);
    expect(rejected).toEqual([]);
  });

  test("offers the nearest choice for a wrong word", () => {
    expect(first("providers:\n  p:\n    baseUrl: https://p.test\n    cacheRetention: longer\n")).toEqual({
      line: 4,
      key: "providers.p.cacheRetention",
      message: '"cacheRetention" is "longer": invalid option: expected one of "none"|"short"|"long".',
      remedy: 'Did you mean "long"? One of: none, short, long.',
    });
  });

  test("points at the model whose size is not positive (B-042)", () => {
    const text = FULL.replace("contextWindow: 128000", "contextWindow: 0");
    expect(first(text)).toEqual({
      line: 26,
      key: "providers.my-provider.models[0].contextWindow",
      message: '"contextWindow" is 0: too small: expected number to be >0.',
      remedy: "Change it to a value inside the bound.",
    });
  });

  test("demands an address, a key and an api of a provider with models (B-042)", () => {
    expect(
      problemsOf("providers:\n  p:\n    models:\n      - id: a\n      - {id: b, api: openai-completions}\n"),
    ).toEqual([
      {
        file: "m.yml",
        line: 2,
        column: 3,
        key: "providers.p",
        message: '"p" lists models but no baseUrl.',
        remedy: 'Add "baseUrl: https://…".',
      },
      {
        file: "m.yml",
        line: 2,
        column: 3,
        key: "providers.p",
        message: '"p" lists models but says no key.',
        remedy: 'Add "apiKeyEnv: NAME_OF_A_VARIABLE", or "auth: none" where no key is needed.',
      },
      {
        file: "m.yml",
        line: 4,
        column: 9,
        key: "providers.p.models[0]",
        message: 'Neither "p" nor its model "a" says which api it speaks.',
        remedy: 'Add for example "api: openai-completions".',
      },
    ]);
  });

  test("demands a key even with auth oauth, and none with auth none or the AWS chain (B-031, B-032)", () => {
    const provider = (auth: string, api = "openai-completions") =>
      problemsOf(`providers: {p: {baseUrl: "https://p", api: ${api}, ${auth} models: [{id: a}]}}`).map(
        ({ message }) => message,
      );
    expect([provider("auth: oauth,"), provider("auth: none,"), provider("", "bedrock-converse-stream")]).toEqual([
      ['"p" lists models but says no key.'],
      [],
      [],
    ]);
  });

  test("refuses an entry that changes nothing, and discovery without api (B-042)", () => {
    expect(first("providers:\n  p:\n    apiKey: X\n")).toEqual({
      line: 2,
      key: "providers.p",
      message: '"p" has no models and changes nothing.',
      remedy:
        "Give it models, or at least one of baseUrl, headers, compat, requestTransform, disableStrictTools, cacheRetention, modelOverrides, discovery.",
    });
    expect(first("providers:\n  p:\n    baseUrl: http://p\n    discovery: {type: ollama}\n")).toEqual({
      line: 4,
      key: "providers.p.discovery",
      message: '"p" discovers models but does not say which api they speak.',
      remedy: 'Add for example "api: openai-completions".',
    });
  });

  test("refuses lists of models in a profile's role (B-034)", () => {
    const { line, key, message } = first("profiles:\n  a:\n    model_mapping:\n      default: openai/a,openai/b\n");
    expect({ line, key }).toEqual({ line: 4, key: "profiles.a.model_mapping.default" });
    expect(message).toContain("lists are not supported here");
  });

  test("refuses headers that would break a request, and addresses that are none", () => {
    expect(first('providers:\n  p:\n    headers: {"X Y": a}\n').key).toBe('providers.p.headers["X Y"]');
    expect(first('providers:\n  p:\n    headers: {X: "a\\r\\nb: c"}\n').key).toBe("providers.p.headers.X");
    expect(first("providers:\n  p:\n    baseUrl: file:///etc/passwd\n").message).toBe(
      '"file:///etc/passwd" is not an http or https address.',
    );
  });

  test("keeps AWS access keys out of the file (B-032)", () => {
    const text =
      "providers:\n  b:\n    baseUrl: https://b.test\n    api: bedrock-converse-stream\n    apiKey: AKIAIOSFODNN7EXAMPLE\n";
    expect(first(text)).toEqual({
      line: 5,
      key: "providers.b.apiKey",
      message: "AWS access keys do not belong into this file.",
      remedy: "Remove it and use AWS_PROFILE or the AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY variables.",
    });
  });

  test("gives the line of a syntax error", () => {
    expect(problemsOf("providers:\n  a:\n\tb: 1\n")).toEqual([
      {
        file: "m.yml",
        line: 3,
        column: 2,
        key: "",
        message: "This is not valid YAML: tab characters cannot be used as indentation.",
        remedy: "Indent with spaces.",
      },
    ]);
    expect(problemsOf("providers: {\n  a: {baseUrl: x}\n").map(({ line, message }) => ({ line, message }))).toEqual([
      { line: 1, message: 'The "{" is never closed.' },
    ]);
  });

  test("refuses keys that are written twice, with both lines", () => {
    expect(problemsOf("providers:\n  p:\n    baseUrl: https://a\n    baseUrl: https://b\n")).toEqual([
      {
        file: "m.yml",
        line: 4,
        column: 5,
        key: "providers.p.baseUrl",
        message: '"baseUrl" stands here a second time; the first is in line 3.',
        remedy: "Remove one of the two.",
      },
    ]);
  });

  test("refuses names that reach into JavaScript's own objects, rings and blown-up aliases", () => {
    expect(first("providers:\n  __proto__:\n    baseUrl: https://a\n")).toEqual({
      line: 2,
      key: "providers.__proto__",
      message: '"__proto__" may not be used as a key.',
      remedy: "Give it another name.",
    });
    expect(first("providers: {p: {compat: {extraBody: {constructor: 1}}}}").message).toBe(
      '"constructor" may not be used as a key.',
    );
    expect(first("providers: &a\n  p: *a\n").message).toBe("This is nested deeper than 50 levels.");
    const bomb = `a: &a [${"1,".repeat(50)}]\nb: &b [${"*a,".repeat(50)}]\nc: &c [${"*b,".repeat(50)}]\nd: [*c]\n`;
    expect(first(bomb).message).toBe("The file holds more than 100000 values.");
    expect(({} as Record<string, unknown>).baseUrl).toBeUndefined();
  });

  test("refuses several documents and a list at the top", () => {
    expect([first("a: 1\n---\nb: 2\n").line, first("- a\n").message]).toEqual([
      1,
      "The file is a list: invalid input: expected object, received array.",
    ]);
  });

  test("reports at most twenty problems", () => {
    expect(problemsOf(Array.from({ length: 50 }, (_, index) => `k${index}: 1`).join("\n")).length).toBe(20);
  });

  test("counts lines in JSON with comments as the user sees them", () => {
    expect(
      problemsOf('{\n  // one\n  /* two\n  three */\n  "providers": {"p": {"nope": 1}}\n}', "json")[0],
    ).toMatchObject({
      line: 5,
      key: "providers.p.nope",
    });
  });

  test("is written as one line for a person", () => {
    const problem = problemsOf("providers:\n  p:\n    baseURL: https://p.test\n")[0];
    expect(problem && formatProblem(problem)).toBe(
      'm.yml:3:5: providers.p.baseURL: "baseURL" is not a key of providers.p. Did you mean "baseUrl"? Otherwise remove it.',
    );
  });

  test("reads the seed's own examples", () => {
    const azure =
      "providers:\n  azure-openai:\n    baseUrl: https://r.openai.azure.com/openai/v1\n    apiKeyEnv: AZURE_OPENAI_API_KEY\n    api: azure-openai-responses\n    models:\n      - id: gpt-4.1\n";
    const ollama =
      "providers:\n  ollama:\n    baseUrl: http://127.0.0.1:11434\n    api: openai-responses\n    auth: none\n    discovery:\n      type: ollama\n";
    const override =
      "providers:\n  openrouter:\n    modelOverrides:\n      anthropic/claude-sonnet-5:\n        compat: {openRouterRouting: {only: [anthropic]}}\n";
    expect([azure, ollama, override].flatMap((text) => problemsOf(text))).toEqual([]);
    expect(modelsFileFrom(azure).providers?.["azure-openai"]?.models).toEqual([{ id: "gpt-4.1" }]);
  });
});
