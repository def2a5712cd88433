import { describe, expect, test } from "bun:test";
import { googleGenerativeAi, googleVertex } from "../../../../src/llm/protocols/google-generative-ai.ts";
import type { Effort } from "../../../../src/protocol/effort.ts";
import { asArray, at } from "../../../../src/protocol/json.ts";
import type { Model } from "../../../../src/protocol/models.ts";
import { bytesOfRequest, stableBytes } from "../../../support/wire-fixtures.ts";
import { assistant, call, growingSession, READ_FILE, request, result, user } from "../../../support/wire-requests.ts";

const GEMINI_3: Model = {
  provider: "google",
  id: "gemini-3.1-pro-preview",
  name: "Gemini 3.1 Pro",
  api: "google-generative-ai",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  auth: "apiKey",
  reasoning: true,
  tools: true,
  input: ["text", "image", "pdf"],
  contextWindow: 1_048_576,
  maxTokens: 65_536,
  thinking: { mode: "google-level", levels: ["low", "medium", "high"] },
};
const GEMINI_2: Model = {
  ...GEMINI_3,
  id: "gemini-2.5-flash",
  thinking: { mode: "budget", levels: ["off", "minimal", "low", "medium", "high", "xhigh"] },
};
const VERTEX: Model = {
  ...GEMINI_3,
  provider: "google-vertex",
  api: "google-vertex",
  baseUrl: "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google",
};
const PNG = { type: "image" as const, mediaType: "image/png", data: "iVBO" };
const PDF = { type: "image" as const, mediaType: "application/pdf", data: "JVBE" };
const HELLO = { role: "user", parts: [{ text: "Hello" }] };

describe("a request", () => {
  test("holds instructions, declarations, settings and the conversation, the changing part last", () => {
    const messages = [
      user("Compare them"),
      assistant(GEMINI_3, [
        { type: "thinking", text: "unsigned" },
        { type: "thinking", text: "signed", signature: "c2ln" },
        { type: "text", text: "I will read both.", signature: "dGV4dA" },
        call("fqx81k2p", "a.txt", "Y2FsbA"),
        call("0w8s7d1z", "b.txt"),
      ]),
      result("fqx81k2p", "alpha"),
      result("0w8s7d1z", "no such file", { isError: true }),
    ];
    const built = googleGenerativeAi.buildRequest(
      request({
        system: { base: "You are Ralph.", dynamic: "mode: plan" },
        messages,
        tools: [READ_FILE],
        toolChoice: { name: "read_file" },
        effort: "high",
        maxOutputTokens: 4000,
      }),
      GEMINI_3,
    );
    expect(built).toEqual({
      path: "/models/gemini-3.1-pro-preview:streamGenerateContent?alt=sse",
      headers: {},
      body: {
        systemInstruction: { parts: [{ text: "You are Ralph." }] },
        tools: [
          {
            functionDeclarations: [
              { name: "read_file", description: "Reads a file", parametersJsonSchema: READ_FILE.parameters },
            ],
          },
        ],
        toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["read_file"] } },
        generationConfig: {
          maxOutputTokens: 4000,
          thinkingConfig: { includeThoughts: true, thinkingLevel: "HIGH" },
        },
        contents: [
          { role: "user", parts: [{ text: "Compare them" }] },
          {
            role: "model",
            parts: [
              { text: "signed", thought: true, thoughtSignature: "c2ln" },
              { text: "I will read both.", thoughtSignature: "dGV4dA" },
              {
                functionCall: { id: "fqx81k2p", name: "read_file", args: { path: "a.txt" } },
                thoughtSignature: "Y2FsbA",
              },
              { functionCall: { id: "0w8s7d1z", name: "read_file", args: { path: "b.txt" } } },
            ],
          },
          {
            role: "user",
            parts: [
              { functionResponse: { id: "fqx81k2p", name: "read_file", response: { output: "alpha" } } },
              { functionResponse: { id: "0w8s7d1z", name: "read_file", response: { error: "no such file" } } },
              { text: "<context>\nmode: plan\n</context>" },
            ],
          },
        ],
      },
    });
  });

  test("is as small as can be for a model that does not think", () => {
    expect(googleGenerativeAi.buildRequest(request({ stream: false }), { ...GEMINI_2, reasoning: false })).toEqual({
      path: "/models/gemini-2.5-flash:generateContent",
      headers: {},
      body: { systemInstruction: { parts: [{ text: "You are Ralph." }] }, contents: [HELLO] },
    });
  });

  test("to Vertex has the same path and body", () => {
    expect(googleVertex.buildRequest(request(), VERTEX)).toEqual(googleGenerativeAi.buildRequest(request(), VERTEX));
    expect(googleVertex.buildRequest(request(), { ...VERTEX, wireModelId: "gemini-x" }).path).toBe(
      "/models/gemini-x:streamGenerateContent?alt=sse",
    );
  });

  test.each([
    ["auto", undefined],
    ["none", { functionCallingConfig: { mode: "NONE" } }],
    ["required", { functionCallingConfig: { mode: "ANY" } }],
  ] as const)("with the tool choice %p", (toolChoice, toolConfig) => {
    const { body } = googleGenerativeAi.buildRequest(request({ tools: [READ_FILE], toolChoice }), GEMINI_3);
    expect(body.toolConfig).toEqual(toolConfig);
  });

  test("lets a user add fields but not replace Ralph's", () => {
    const extra = { ...GEMINI_2, compat: { extraBody: { safetySettings: [], contents: [] } } };
    const { body } = googleGenerativeAi.buildRequest(request(), extra);
    expect([body.safetySettings, body.contents]).toEqual([[], [HELLO]]);
  });
});

describe("thinking", () => {
  const config = (model: Model, effort: Effort, maxOutputTokens?: number) => {
    const { body } = googleGenerativeAi.buildRequest(request({ effort, maxOutputTokens }), model);
    return at(body, "generationConfig", "thinkingConfig");
  };

  test("is a level for Gemini 3, and the lowest one where it cannot be turned off", () => {
    expect(
      (["off", "minimal", "low", "medium", "high", "max"] as const).map((effort) => config(GEMINI_3, effort)),
    ).toEqual([
      { includeThoughts: false, thinkingLevel: "LOW" },
      { includeThoughts: true, thinkingLevel: "LOW" },
      { includeThoughts: true, thinkingLevel: "LOW" },
      { includeThoughts: true, thinkingLevel: "MEDIUM" },
      { includeThoughts: true, thinkingLevel: "HIGH" },
      { includeThoughts: true, thinkingLevel: "HIGH" },
    ]);
  });

  test("is a number of tokens for its forerunners, within the output limit", () => {
    expect([config(GEMINI_2, "off"), config(GEMINI_2, "medium"), config(GEMINI_2, "xhigh", 8000)]).toEqual([
      { includeThoughts: false, thinkingBudget: 0 },
      { includeThoughts: true, thinkingBudget: 5120 },
      { includeThoughts: true, thinkingBudget: 6976 },
    ]);
  });

  test("is never forbidden to a model whose levels do not include off", () => {
    const pro = { ...GEMINI_2, thinking: { mode: "budget" as const, levels: ["low" as const, "high" as const] } };
    expect(config(pro, "off")).toEqual({ includeThoughts: false, thinkingBudget: 1024 });
  });
});

describe("the conversation", () => {
  test("alternates, whoever spoke twice, and leaves out what is empty", () => {
    const messages = [
      user("One"),
      user(""),
      user("Two"),
      assistant(GEMINI_3, [{ type: "thinking", text: "unsigned" }]),
      user("Three"),
      assistant(GEMINI_3, [{ type: "text", text: "Four" }]),
      assistant(GEMINI_3, [{ type: "thinking", text: "", signature: "c2ln" }]),
    ];
    expect(googleGenerativeAi.buildRequest(request({ messages }), GEMINI_3).body.contents).toEqual([
      { role: "user", parts: [{ text: "One" }, { text: "Two" }, { text: "Three" }] },
      { role: "model", parts: [{ text: "Four" }, { text: "", thoughtSignature: "c2ln" }] },
    ]);
  });

  test("tells calls of other models without ids, and to Gemini 3 with the signature that stands for none", () => {
    const messages = [
      assistant({ ...GEMINI_3, provider: "anthropic" }, [call("toolu_1", "a.txt"), call("toolu_2", "b.txt")]),
      result("toolu_1", "alpha"),
      result("toolu_2", "beta"),
    ];
    const first = { functionCall: { name: "read_file", args: { path: "a.txt" } } };
    const second = { functionCall: { name: "read_file", args: { path: "b.txt" } } };
    const results = {
      role: "user",
      parts: [
        { functionResponse: { name: "read_file", response: { output: "alpha" } } },
        { functionResponse: { name: "read_file", response: { output: "beta" } } },
      ],
    };
    expect(googleGenerativeAi.buildRequest(request({ messages }), GEMINI_3).body.contents).toEqual([
      { role: "model", parts: [{ ...first, thoughtSignature: "skip_thought_signature_validator" }, second] },
      results,
    ]);
    expect(googleGenerativeAi.buildRequest(request({ messages }), GEMINI_2).body.contents).toEqual([
      { role: "model", parts: [first, second] },
      results,
    ]);
  });

  test("never sends an id that Ralph made up", () => {
    const messages = [assistant(GEMINI_2, [call("gemini-call-abc-0", "a.txt")]), result("gemini-call-abc-0", "alpha")];
    expect(googleGenerativeAi.buildRequest(request({ messages }), GEMINI_2).body.contents).toEqual([
      { role: "model", parts: [{ functionCall: { name: "read_file", args: { path: "a.txt" } } }] },
      { role: "user", parts: [{ functionResponse: { name: "read_file", response: { output: "alpha" } } }] },
    ]);
  });

  test("holds pictures in the result for Gemini 3 and behind all results for its forerunners", () => {
    const image = { inlineData: { mimeType: "image/png", data: "iVBO" } };
    const pictures = (model: Model) => {
      const messages = [
        { role: "user" as const, content: [PDF] },
        assistant(model, [call("id1", "a.png", "c2ln"), call("id2", "b.txt")]),
        result("id1", "", { content: [{ type: "text", text: "a picture" }, PNG] }),
        result("id2", "beta"),
      ];
      const contents = asArray(googleGenerativeAi.buildRequest(request({ messages }), model).body.contents);
      return [contents[0], contents[2]];
    };
    const asked = { role: "user", parts: [{ inlineData: { mimeType: "application/pdf", data: "JVBE" } }] };
    const first = { id: "id1", name: "read_file", response: { output: "a picture\n[image]" } };
    const second = { functionResponse: { id: "id2", name: "read_file", response: { output: "beta" } } };
    expect(pictures(GEMINI_3)).toEqual([
      asked,
      { role: "user", parts: [{ functionResponse: { ...first, parts: [image] } }, second] },
    ]);
    expect(pictures(GEMINI_2)).toEqual([asked, { role: "user", parts: [{ functionResponse: first }, second, image] }]);
  });
});

test.each([
  ["Gemini 3", googleGenerativeAi, GEMINI_3],
  ["Gemini 2.5", googleGenerativeAi, GEMINI_2],
  ["Vertex", googleVertex, VERTEX],
] as const)("for %s every request of a session begins with the bytes of the one before", (_, protocol, model) => {
  const session = growingSession(model);
  for (const [turn, current] of session.entries()) {
    const stable = stableBytes(protocol, model, current);
    expect(bytesOfRequest(protocol, model, current)).toStartWith(stable);
    for (const later of session.slice(turn + 1)) expect(bytesOfRequest(protocol, model, later)).toStartWith(stable);
  }
});
