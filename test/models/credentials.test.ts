import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { findAwsCredential, type RunCommand, splitCommand } from "../../src/models/aws-credentials.ts";
import { credentialPresence, findCredential, type StoredCredential } from "../../src/models/credentials.ts";
import { parseIni } from "../../src/models/ini-file.ts";
import { deploymentOf, placeModel } from "../../src/models/model-endpoint.ts";
import { modelNamed, modelsFileFrom, temporaryDirectory } from "../support/model-fixtures.ts";

let home: { path: string; remove: () => void };
beforeEach(() => {
  home = temporaryDirectory();
});
afterEach(() => home.remove());

const PROXY = modelsFileFrom(`providers:
  anthropic: { baseUrl: "https://proxy.test", apiKeyEnv: PROXY_KEY }
  mine: { baseUrl: "https://mine.test", apiKey: MINE_KEY, api: openai-completions, models: [{ id: m }] }
  literal: { baseUrl: "https://l.test", apiKey: sk-literal, api: openai-completions, models: [{ id: m }] }
  free: { baseUrl: "https://f.test", auth: none, api: openai-completions, models: [{ id: m }] }
`).providers;

function stored(credential: StoredCredential) {
  return { has: (provider: string) => provider === "anthropic", find: async () => credential };
}

describe("findCredential (B-050)", () => {
  const everything = () => ({
    environment: { ANTHROPIC_API_KEY: "from-environment", PROXY_KEY: "from-file" } as Record<string, string>,
    home: home.path,
    providers: PROXY,
  });
  const find = (over: object, provider = "anthropic") => findCredential({ provider }, { ...everything(), ...over });

  test("goes by the command line, the stored key, the stored login, the environment, models.yml", async () => {
    const both = stored({ key: "stored", oauth: { token: "login", accountId: "me" } });
    expect([
      await find({ apiKey: "flag", stored: both }),
      await find({ stored: both }),
      await find({ stored: stored({ oauth: { token: "login", accountId: "me" } }) }),
      await find({}),
      await find({ environment: { ANTHROPIC_API_KEY: " ", PROXY_KEY: "from-file" } }),
    ]).toEqual([
      { ok: true, credential: { type: "key", key: "flag" }, origin: { type: "command-line" } },
      { ok: true, credential: { type: "key", key: "stored" }, origin: { type: "stored-key" } },
      { ok: true, credential: { type: "bearer", token: "login", accountId: "me" }, origin: { type: "stored-login" } },
      {
        ok: true,
        credential: { type: "key", key: "from-environment" },
        origin: { type: "environment", variable: "ANTHROPIC_API_KEY" },
      },
      {
        ok: true,
        credential: { type: "key", key: "from-file" },
        origin: { type: "models.yml", variable: "PROXY_KEY" },
      },
    ]);
  });

  test("takes apiKey for a variable's name first and for the key itself otherwise", async () => {
    expect(await find({ environment: { MINE_KEY: "value" } }, "mine")).toEqual({
      ok: true,
      credential: { type: "key", key: "value" },
      origin: { type: "models.yml", variable: "MINE_KEY" },
    });
    expect(await find({}, "literal")).toEqual({
      ok: true,
      credential: { type: "key", key: "sk-literal" },
      origin: { type: "models.yml" },
    });
    expect(await find({}, "mine")).toEqual({
      ok: true,
      credential: { type: "key", key: "MINE_KEY" },
      origin: { type: "models.yml" },
      warning: 'No variable MINE_KEY is set, so the text "MINE_KEY" itself is sent as the key of mine.',
    });
  });

  test("needs nothing where auth is none", async () => {
    const none = { ok: true, credential: { type: "none" }, origin: { type: "not-needed" } } as const;
    expect([await find({}, "free"), await find({}, "ollama")]).toEqual([none, none]);
    expect(credentialPresence({ provider: "free" }, everything())).toEqual({ ok: true });
  });

  test("says exactly what is missing", async () => {
    const missing = {
      variables: ["ANTHROPIC_API_KEY"],
      message:
        "No key for Anthropic. Run ralph login anthropic, set ANTHROPIC_API_KEY, or pass --api-key. A key comes from https://console.anthropic.com/settings/keys.",
    };
    const sources = { environment: {}, home: home.path };
    expect(await findCredential({ provider: "anthropic" }, sources)).toEqual({
      ok: false,
      provider: "anthropic",
      ...missing,
    });
    expect(credentialPresence({ provider: "anthropic" }, sources)).toEqual({ ok: false, ...missing });
    expect(await find({ environment: {} })).toMatchObject({ ok: false, variables: ["PROXY_KEY", "ANTHROPIC_API_KEY"] });
    const messages = await Promise.all(
      ["openai-codex", "nobody", "cursor", "google-vertex"].map(async (provider) => {
        const found = await findCredential({ provider }, sources);
        return found.ok ? "" : found.message;
      }),
    );
    expect(messages).toEqual([
      "ChatGPT subscription needs a login. Run ralph login openai-codex, or set CHATGPT_ACCESS_TOKEN to an access token.",
      'No provider is called "nobody". Add it to models.yml.',
      expect.stringContaining("Cursor"),
      expect.stringContaining("Service account files (GOOGLE_APPLICATION_CREDENTIALS) are not read."),
    ]);
  });

  test("tells why a stored login does not work", async () => {
    const found = await find({ environment: {}, stored: stored({ problem: "The login expired." }) });
    expect(found.ok ? "" : found.message).toBe("The login expired.");
  });

  test("sends Vertex and Bedrock tokens as bearer tokens", async () => {
    const environment = { GOOGLE_VERTEX_ACCESS_TOKEN: "v", AWS_BEARER_TOKEN_BEDROCK: "b" };
    expect([await find({ environment }, "google-vertex"), await find({ environment }, "amazon-bedrock")]).toEqual([
      {
        ok: true,
        credential: { type: "bearer", token: "v" },
        origin: { type: "environment", variable: "GOOGLE_VERTEX_ACCESS_TOKEN" },
      },
      {
        ok: true,
        credential: { type: "bearer", token: "b" },
        origin: { type: "aws", from: "AWS_BEARER_TOKEN_BEDROCK", region: "us-east-1" },
      },
    ]);
  });

  test("does not take the command line's key as a reason to call every model available", () => {
    expect(credentialPresence({ provider: "openai" }, { environment: {}, home: home.path, apiKey: "k" })).toMatchObject(
      { ok: false },
    );
  });
});

describe("the AWS chain (B-032)", () => {
  const write = (name: string, text: string) => {
    mkdirSync(join(home.path, ".aws"), { recursive: true });
    writeFileSync(join(home.path, ".aws", name), text);
  };
  const find = (environment: Record<string, string>, over: { baseUrl?: string; run?: RunCommand } = {}) =>
    findAwsCredential({ environment, home: home.path, baseUrl: "", ...over });
  const keys = { type: "aws" as const, accessKeyId: "AK", secretAccessKey: "SK" };

  test("takes static variables with a session token, and the region from where it is named first", async () => {
    const environment = { AWS_ACCESS_KEY_ID: "AK", AWS_SECRET_ACCESS_KEY: "SK", AWS_SESSION_TOKEN: "T" };
    const at = async (more: object, baseUrl = "") =>
      (await find({ ...environment, ...more }, { baseUrl })) as { region: string };
    write("config", "[default]\nregion = ap-south-1\n");
    expect(await find({ ...environment, AWS_REGION: "eu-west-1" })).toEqual({
      ok: true,
      credential: { ...keys, sessionToken: "T", region: "eu-west-1" },
      region: "eu-west-1",
      from: "AWS_ACCESS_KEY_ID",
    });
    const host = "https://bedrock-runtime.us-west-2.amazonaws.com";
    const regions = [
      await at({ AWS_REGION: "a", AWS_DEFAULT_REGION: "b" }),
      await at({ AWS_DEFAULT_REGION: "b" }),
      await at({}, host),
    ];
    expect(regions.map(({ region }) => region)).toEqual(["a", "b", "ap-south-1"]);
    write("config", "");
    expect([(await at({}, host)).region, (await at({ AWS_REGION: "evil.test/" })).region]).toEqual([
      "us-west-2",
      "us-east-1",
    ]);
  });

  test("reads the default profile or the one AWS_PROFILE names", async () => {
    write(
      "credentials",
      "[default]\naws_access_key_id = AK\naws_secret_access_key = SK # mine\n\n[work]\naws_access_key_id=WK\naws_secret_access_key=W#;S\naws_session_token = WT\n",
    );
    write("config", "[profile work]\nregion = eu-central-1\n");
    expect([await find({}), await find({ AWS_PROFILE: "work" })]).toEqual([
      { ok: true, credential: { ...keys, region: "us-east-1" }, region: "us-east-1", from: "the AWS profile default" },
      {
        ok: true,
        credential: {
          type: "aws",
          accessKeyId: "WK",
          secretAccessKey: "W#;S",
          sessionToken: "WT",
          region: "eu-central-1",
        },
        region: "eu-central-1",
        from: "the AWS profile work",
      },
    ]);
    expect(credentialPresence({ provider: "amazon-bedrock" }, { environment: {}, home: home.path })).toEqual({
      ok: true,
    });
  });

  test("runs credential_process through the runner it was given", async () => {
    write("config", '[profile p]\ncredential_process = "/opt/my tools/creds" --user helen\n');
    const asked: string[][] = [];
    const run = (stdout: string) => async (argv: string[]) => {
      asked.push(argv);
      return { ok: true as const, stdout };
    };
    const environment = { AWS_PROFILE: "p" };
    expect(await find(environment, { run: run('{"Version":1,"AccessKeyId":"AK","SecretAccessKey":"SK"}') })).toEqual({
      ok: true,
      credential: { ...keys, region: "us-east-1" },
      region: "us-east-1",
      from: "the AWS profile p",
    });
    expect(asked).toEqual([["/opt/my tools/creds", "--user", "helen"]]);
    expect([
      await find(environment, { run: run("oops") }),
      await find(environment, { run: async () => ({ ok: false, message: "exit code 1" }) }),
      await find(environment),
    ]).toEqual([
      { ok: false, message: "credential_process of the AWS profile p printed no AccessKeyId and SecretAccessKey." },
      { ok: false, message: "credential_process of the AWS profile p failed: exit code 1" },
      { ok: false, message: "credential_process of the AWS profile p cannot be run here." },
    ]);
  });

  test("says what a profile lacks and how to get around it", async () => {
    write("config", "[profile sso]\nsso_session = corp\n[profile empty]\nregion = x\n");
    expect([
      await find({ AWS_PROFILE: "sso" }),
      await find({ AWS_PROFILE: "empty" }),
      await find({ AWS_PROFILE: "gone" }),
    ]).toEqual([
      {
        ok: false,
        message:
          'The AWS profile "sso" uses sso_session, which Ralph does not follow. Add to it: credential_process = aws configure export-credentials --profile sso',
      },
      {
        ok: false,
        message: 'The AWS profile "empty" holds no keys. Add aws_access_key_id and aws_secret_access_key to it.',
      },
      {
        ok: false,
        message:
          'No AWS credentials: ~/.aws has no profile "gone". Set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.',
      },
    ]);
  });

  test("reads any text as INI and any text as a command", () => {
    fc.assert(fc.property(fc.string(), (text) => expect(parseIni(text)).toBeInstanceOf(Map)));
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z /.]{1,8}$/)), (words) => {
        expect(splitCommand(words.map((word) => `"${word}"`).join(" "))).toEqual(words);
      }),
    );
  });
});

describe("placeModel", () => {
  const azure = modelNamed("azure-openai/gpt-4.1", {
    api: "azure-openai-responses",
    baseUrl: "https://{resource}.openai.azure.com/openai/v1",
  });

  test("maps Azure models to their deployments (B-032)", () => {
    const environment = {
      AZURE_OPENAI_DEPLOYMENT_NAME_MAP: "gpt-4.1=gpt-41-prod, o3 = o3-prod,broken,=x,y=",
      AZURE_OPENAI_RESOURCE_NAME: "mine",
    };
    expect(placeModel(azure, environment)).toEqual({
      ok: true,
      model: { ...azure, baseUrl: "https://mine.openai.azure.com/openai/v1", wireModelId: "gpt-41-prod" },
    });
    expect(["o3", "broken", "y", ""].map((id) => deploymentOf(id, environment))).toEqual([
      "o3-prod",
      undefined,
      undefined,
      undefined,
    ]);
    expect(placeModel({ ...azure, baseUrl: "https://own.test/openai/v1", wireModelId: "own" }, environment)).toEqual({
      ok: true,
      model: { ...azure, baseUrl: "https://own.test/openai/v1", wireModelId: "own" },
    });
    expect(placeModel(azure, {})).toMatchObject({ ok: false });
  });

  test("puts project and location into Vertex addresses", () => {
    const vertex = modelNamed("google-vertex/gemini", {
      api: "google-vertex",
      baseUrl: "https://aiplatform.googleapis.com/v1/projects/{project}/locations/global/publishers/google",
    });
    const url = (environment: Record<string, string>) => {
      const placed = placeModel(vertex, environment);
      return placed.ok ? placed.model.baseUrl : placed.message;
    };
    expect([
      url({ GOOGLE_CLOUD_PROJECT: "p" }),
      url({ GOOGLE_CLOUD_PROJECT: "p", GOOGLE_CLOUD_LOCATION: "europe-west4" }),
    ]).toEqual([
      "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google",
      "https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4/publishers/google",
    ]);
    expect(url({ GOOGLE_CLOUD_PROJECT: "p", GOOGLE_CLOUD_LOCATION: "evil.test/" })).toContain("has no address");
  });

  test("lets Bedrock's host follow the region that signs", () => {
    const bedrock = modelNamed("amazon-bedrock/m", {
      api: "bedrock-converse-stream",
      baseUrl: "https://bedrock-runtime.{region}.amazonaws.com",
    });
    const fixed = { ...bedrock, baseUrl: "https://bedrock-runtime.us-east-1.amazonaws.com" };
    const placed = [bedrock, fixed].map((model) => placeModel(model, {}, "eu-west-1"));
    const model = { ...bedrock, baseUrl: "https://bedrock-runtime.eu-west-1.amazonaws.com" };
    expect(placed).toEqual([
      { ok: true, model },
      { ok: true, model },
    ]);
  });

  test("takes RALPH_CACHE_RETENTION where neither model nor provider says anything (B-039)", () => {
    const model = modelNamed("x/y");
    const environment = { RALPH_CACHE_RETENTION: "long" };
    expect([
      placeModel(model, environment),
      placeModel({ ...model, cacheRetention: "none" }, environment),
      placeModel(model, { RALPH_CACHE_RETENTION: "?" }),
    ]).toEqual([
      { ok: true, model: { ...model, cacheRetention: "long" } },
      { ok: true, model: { ...model, cacheRetention: "none" } },
      { ok: true, model },
    ]);
  });
});
