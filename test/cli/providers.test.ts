import { describe, expect, test } from "bun:test";
import { at } from "../../src/protocol/json.ts";
import { textAnswer } from "../support/fake-answer.ts";
import { openFrontDoor, outcomeOf } from "../support/front-door.ts";
import type { RecordedRequest } from "../support/request-log.ts";

// One prompt through the whole program for every wire format: the address, the key and the two parts of the system prompt.

interface Row {
  name: string;
  model: string;
  environment?: (origin: string) => Record<string, string>;
  modelsFile?: (origin: string) => string;
  flags?: string[];
  path: string;
  /** Headers that carry the credential. */
  auth: Record<string, unknown>;
  /** Where the request has the stable part. */
  base: (body: unknown) => unknown;
}

const SYSTEM = "Answer in one word.";
const ACCOUNT = Buffer.from(
  JSON.stringify({ "https://api.openai.com/auth": { chatgpt_account_id: "acct_42" } }),
).toString("base64url");
const TOKEN = `eyJhbGciOiJub25lIn0.${ACCOUNT}.signature`;

const first = (body: unknown, list: string): unknown => (at(body, list) as unknown[])[0];

const ROWS: Row[] = [
  {
    name: "anthropic",
    model: "anthropic/claude-sonnet-5",
    environment: (origin) => ({ ANTHROPIC_BASE_URL: origin, ANTHROPIC_API_KEY: "key-anthropic-0123" }),
    path: "/v1/messages",
    auth: { "x-api-key": "key-anthropic-0123", "anthropic-beta": expect.stringContaining("prompt-caching-2024-07-31") },
    base: (body) => at(first(body, "system"), "text"),
  },
  {
    name: "openai",
    model: "openai/gpt-6-sol",
    environment: (origin) => ({ OPENAI_BASE_URL: `${origin}/v1`, OPENAI_API_KEY: "key-openai-0123" }),
    path: "/v1/responses",
    auth: { authorization: "Bearer key-openai-0123" },
    base: (body) => at(body, "instructions"),
  },
  {
    name: "a custom provider that speaks openai-completions",
    model: "own/some-model",
    environment: () => ({ OWN_KEY: "key-own-0123" }),
    modelsFile: (origin) =>
      `providers: { own: { baseUrl: "${origin}/v1", apiKeyEnv: OWN_KEY, api: openai-completions, models: [{ id: some-model }] } }`,
    path: "/v1/chat/completions",
    auth: { authorization: "Bearer key-own-0123" },
    base: (body) => at(first(body, "messages"), "content"),
  },
  {
    name: "google",
    model: "google/gemini-3.8-flash",
    environment: (origin) => ({ GOOGLE_GEMINI_BASE_URL: `${origin}/v1beta`, GEMINI_API_KEY: "key-google-0123" }),
    path: "/v1beta/models/gemini-3.8-flash:streamGenerateContent",
    auth: { "x-goog-api-key": "key-google-0123" },
    base: (body) => at(first(at(body, "systemInstruction"), "parts"), "text"),
  },
  {
    name: "bedrock, signed with AWS keys",
    model: "amazon-bedrock/global.anthropic.claude-sonnet-5",
    environment: () => ({
      AWS_ACCESS_KEY_ID: "AKIDFAKE01",
      AWS_SECRET_ACCESS_KEY: "secret-aws-0123",
      AWS_REGION: "eu-west-1",
    }),
    modelsFile: (origin) => `providers: { amazon-bedrock: { baseUrl: "${origin}" } }`,
    path: "/model/global.anthropic.claude-sonnet-5/converse-stream",
    auth: {
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDFAKE01\/\d{8}\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=.*host.*, Signature=[0-9a-f]{64}$/,
      ),
      "x-amz-date": expect.stringMatching(/^\d{8}T\d{6}Z$/),
    },
    base: (body) => at(first(body, "system"), "text"),
  },
  {
    name: "a custom provider that speaks ollama-chat",
    model: "kitchen/qwen3:8b",
    modelsFile: (origin) =>
      `providers: { kitchen: { baseUrl: "${origin}", api: ollama-chat, auth: none, models: [{ id: "qwen3:8b" }] } }`,
    path: "/api/chat",
    auth: {},
    base: (body) => at(first(body, "messages"), "content"),
  },
  {
    name: "azure",
    model: "azure-openai/gpt-6-sol",
    environment: (origin) => ({ AZURE_OPENAI_BASE_URL: `${origin}/openai/v1`, AZURE_OPENAI_API_KEY: "key-azure-0123" }),
    path: "/openai/v1/responses",
    auth: { "api-key": "key-azure-0123" },
    base: (body) => at(body, "instructions"),
  },
  {
    name: "codex, with the account its token names",
    model: "openai-codex/gpt-6-sol",
    modelsFile: (origin) => `providers: { openai-codex: { baseUrl: "${origin}/backend-api/codex" } }`,
    flags: ["--api-key", TOKEN],
    path: "/backend-api/codex/responses",
    auth: { authorization: `Bearer ${TOKEN}`, "chatgpt-account-id": "acct_42" },
    base: (body) => at(body, "instructions"),
  },
];

const AUTH_HEADERS = ["authorization", "x-api-key", "x-goog-api-key", "api-key", "chatgpt-account-id"];

describe("one prompt to every provider", () => {
  test.each(ROWS.map((row) => [row.name, row] as const))("%s", async (_, row) => {
    using ralph = await openFrontDoor({ answers: [textAnswer("it works")] });
    if (row.modelsFile !== undefined) ralph.writeModels(row.modelsFile(ralph.provider.origin));
    ralph.workspace.write("project/system.md", SYSTEM);
    const args = ["-p", "--model", row.model, ...(row.flags ?? []), "--system-prompt-file", "system.md", "hello"];
    const environment = { ANTHROPIC_API_KEY: undefined, ...row.environment?.(ralph.provider.origin) };
    expect(outcomeOf(await ralph.run(args, { environment }))).toEqual({ code: 0, stdout: "it works\n", stderr: "" });
    const request = ralph.provider.requests.at(-1) as RecordedRequest;
    expect(decodeURIComponent(request.path)).toBe(row.path);
    expect(request.headers).toMatchObject({ ...row.auth, "user-agent": expect.stringMatching(/^ralph\/\d/) });
    const sent = AUTH_HEADERS.filter((name) => request.headers[name] !== undefined);
    expect(sent).toEqual(AUTH_HEADERS.filter((name) => row.auth[name] !== undefined));
    expect(row.base(request.body)).toBe(SYSTEM);
    const dynamic = `Working directory: ${ralph.workspace.project}`;
    expect(request.rawBody).toContain(dynamic);
    expect(request.rawBody.indexOf(dynamic)).toBeGreaterThan(request.rawBody.indexOf("hello"));
  });
});

describe("one address for everything (apiUrl)", () => {
  test("asks a server of an unknown host for its models and sends it no key", async () => {
    using ralph = await openFrontDoor({ models: [{ id: "local-one" }] });
    const environment = {
      RALPH_API_URL: `${ralph.provider.origin}/v1/chat/completions`,
      ANTHROPIC_BASE_URL: undefined,
    };
    expect(outcomeOf(await ralph.run(["-p", "hello"], { environment }))).toEqual({
      code: 0,
      stdout: "ok\n",
      stderr: "",
    });
    const asked = ralph.provider.requests.filter(({ method }) => method === "POST");
    expect(asked.map(({ path, body }) => [path, at(body, "model")])).toEqual([["/v1/chat/completions", "local-one"]]);
    const carrying = ralph.provider.requests.filter(({ headers }) => AUTH_HEADERS.some((name) => name in headers));
    expect(carrying).toEqual([]);
  });

  test("takes a model the server lists and refuses one it does not", async () => {
    using ralph = await openFrontDoor({ models: [{ id: "local-one" }, { id: "local-two" }] });
    const environment = { RALPH_API_URL: `${ralph.provider.origin}/v1`, ANTHROPIC_BASE_URL: undefined };
    expect((await ralph.run(["-p", "--model", "local-two", "hello"], { environment })).stdout).toBe("ok\n");
    expect(at(ralph.provider.requests.at(-1)?.body, "model")).toBe("local-two");
    const refused = await ralph.run(["-p", "--model", "anthropic/claude-sonnet-5", "hello"], { environment });
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
  });

  test("does not send another provider's key where a profile names its model", async () => {
    using ralph = await openFrontDoor({ models: [{ id: "local-one" }] });
    ralph.writeModels(
      "profiles: { mine: { required_providers: [anthropic], model_mapping: { default: anthropic/claude-sonnet-5 } } }\n",
    );
    const environment = { RALPH_API_URL: `${ralph.provider.origin}/v1`, ANTHROPIC_BASE_URL: undefined };
    const { code, stdout } = await ralph.run(["-p", "--mpreset", "mine", "hello"], { environment });
    expect([code, stdout]).toEqual([2, ""]);
    expect(ralph.provider.requests.filter(({ method }) => method === "POST")).toEqual([]);
  });

  test("that has no model at all ends with exit code 2 and sends no key", async () => {
    using ralph = await openFrontDoor({ models: [] });
    const environment = { RALPH_API_URL: `${ralph.provider.origin}/v1`, ANTHROPIC_BASE_URL: undefined };
    expect(outcomeOf(await ralph.run(["-p", "hello"], { environment }))).toEqual({
      code: 2,
      stdout: "",
      stderr: `ralph: No model was found at ${ralph.provider.origin}/v1. Name one that is served there with --model, or unset apiUrl.\n`,
    });
    expect(ralph.provider.requests.filter(({ method }) => method === "POST")).toEqual([]);
  });
});
