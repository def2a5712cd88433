import { describe, expect, test } from "bun:test";
import { anthropicMessages } from "../../../../src/llm/protocols/anthropic-messages.ts";
import type { JsonObject } from "../../../../src/protocol/json.ts";
import type { Message } from "../../../../src/protocol/messages.ts";
import type { ModelRequest } from "../../../../src/protocol/model-request.ts";
import type { Model } from "../../../../src/protocol/models.ts";
import {
  assistant,
  call,
  claudeModel,
  ENVIRONMENT_TOOL,
  modelRequest,
  person,
  READ_TOOL,
  result,
} from "../../../support/claude-requests.ts";

function build(request: Partial<ModelRequest> = {}, model: Partial<Model> = {}) {
  return anthropicMessages.buildRequest(modelRequest(request), claudeModel(model));
}

const EPHEMERAL = { type: "ephemeral" };
const HOUR = { type: "ephemeral", ttl: "1h" };
const READ_STRICT = {
  name: "read",
  description: "Reads a file.",
  input_schema: {
    type: "object",
    properties: { path: { type: "string" }, limit: { type: "integer" } },
    required: ["path"],
    additionalProperties: false,
  },
  strict: true,
};

test("the smallest request holds the model, the limit, the system prompt and the message", () => {
  expect(build()).toEqual({
    path: "/v1/messages",
    headers: { "anthropic-version": "2023-06-01", "anthropic-beta": "prompt-caching-2024-07-31" },
    body: {
      model: "claude-haiku-4-5",
      max_tokens: 64_000,
      system: [{ type: "text", text: "You are Ralph.", cache_control: EPHEMERAL }],
      messages: [{ role: "user", content: [{ type: "text", text: "Hello", cache_control: EPHEMERAL }] }],
      stream: true,
    },
  });
});

test("a request in the middle of the work is sent whole and in order", () => {
  const messages: Message[] = [
    person("Compare the files"),
    assistant(
      { type: "thinking", text: "Both at once.", signature: "sig" },
      { type: "text", text: "I'll read them." },
      call("toolu_1", { path: "a.ts" }),
      call("toolu_2", { path: "b.ts" }),
    ),
    result("toolu_1", "one"),
    result("toolu_2", "no such file", { isError: true }),
    person("Hurry up"),
  ];
  const request: Partial<ModelRequest> = {
    messages,
    tools: [READ_TOOL, ENVIRONMENT_TOOL],
    effort: "high",
    toolChoice: "auto",
    system: { base: "You are Ralph.", dynamic: "Mode: plan" },
    stream: false,
  };
  expect(build(request)).toEqual({
    path: "/v1/messages",
    headers: {
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "prompt-caching-2024-07-31,interleaved-thinking-2025-05-14",
    },
    body: {
      model: "claude-haiku-4-5",
      max_tokens: 64_000,
      tools: [
        READ_STRICT,
        {
          name: "set_environment",
          description: "Sets variables.",
          input_schema: ENVIRONMENT_TOOL.parameters as JsonObject,
          cache_control: EPHEMERAL,
        },
      ],
      tool_choice: { type: "auto" },
      system: [{ type: "text", text: "You are Ralph.", cache_control: EPHEMERAL }],
      messages: [
        { role: "user", content: [{ type: "text", text: "Compare the files" }] },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Both at once.", signature: "sig" },
            { type: "text", text: "I'll read them." },
            { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a.ts" } },
            { type: "tool_use", id: "toolu_2", name: "read", input: { path: "b.ts" } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "one" }] },
            {
              type: "tool_result",
              tool_use_id: "toolu_2",
              content: [{ type: "text", text: "no such file" }],
              is_error: true,
            },
            { type: "text", text: "Hurry up", cache_control: EPHEMERAL },
            { type: "text", text: "<context>\nMode: plan\n</context>" },
          ],
        },
      ],
      thinking: { type: "enabled", budget_tokens: 16_384 },
      stream: false,
    },
  });
});

describe("the address", () => {
  test.each([
    ["https://api.anthropic.com", "/v1/messages"],
    ["https://proxy.example/anthropic/", "/v1/messages"],
    ["https://proxy.example/v1", "/messages"],
    ["https://proxy.example/v1/", "/messages"],
  ])("%s is completed with %s", (baseUrl, path) => {
    expect(build({}, { baseUrl }).path).toBe(path);
  });
});

test("the model's id on the wire, the caller's limit and extra fields replace the model's own", () => {
  const model = { wireModelId: "glm-4.6", compat: { extraBody: { top_k: 5, model: "other", messages: [] } } };
  expect(build({ maxOutputTokens: 500 }, model).body).toEqual({
    ...build().body,
    model: "glm-4.6",
    max_tokens: 500,
    top_k: 5,
  });
});

describe("cache marks", () => {
  const messages = [person("Go"), assistant(call("toolu_1")), result("toolu_1", "done")];
  const marked = (request: Partial<ModelRequest>, model: Partial<Model> = {}) => {
    const { body } = build(
      { messages, tools: [READ_TOOL], system: { base: "Base", dynamic: "Now" }, ...request },
      model,
    );
    return { tools: body.tools, system: body.system, messages: body.messages };
  };
  const expected = (stable: JsonObject, rolling: JsonObject) => ({
    tools: [{ ...READ_STRICT, ...stable }],
    system: [{ type: "text", text: "Base", ...stable }],
    messages: [
      { role: "user", content: [{ type: "text", text: "Go", ...stable }] },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "read", input: {} }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "done" }], ...rolling },
          { type: "text", text: "<context>\nNow\n</context>" },
        ],
      },
    ],
  });

  test("stand on the last tool, the system prompt, the last message of the person and the end", () => {
    expect(marked({})).toEqual(expected({ cache_control: EPHEMERAL }, { cache_control: EPHEMERAL }));
  });

  test("last an hour on all but the end when they are to last long, which a header announces", () => {
    const headers = build({ cacheRetention: "long" }).headers;
    expect(marked({ cacheRetention: "long" })).toEqual(expected({ cache_control: HOUR }, { cache_control: EPHEMERAL }));
    expect(headers["anthropic-beta"]).toBe("prompt-caching-2024-07-31,extended-cache-ttl-2025-04-11");
  });

  test("are left out when nothing is to be kept", () => {
    expect(marked({ cacheRetention: "none" })).toEqual(expected({}, {}));
  });

  test("follow the model where the request does not say", () => {
    expect(marked({}, { cacheRetention: "long" })).toEqual(marked({ cacheRetention: "long" }));
    expect(marked({ cacheRetention: "short" }, { cacheRetention: "none" })).toEqual(marked({}));
  });

  test("are one where the person spoke last", () => {
    const { messages } = build({ messages: [person("Go")], cacheRetention: "long" }).body;
    expect(messages).toEqual([{ role: "user", content: [{ type: "text", text: "Go", cache_control: HOUR }] }]);
  });
});

test("nothing before the tail changes while the conversation grows and the context changes", () => {
  const history: Message[] = [];
  const heads: string[] = [];
  const tails: string[] = [];
  for (let round = 0; round < 10; round++) {
    history.push(person(`Step ${round}`));
    const system = { base: "Base", dynamic: `Todo ${round}` };
    const body = withoutMarks(build({ messages: history, tools: [READ_TOOL, ENVIRONMENT_TOOL], system }).body);
    const text = JSON.stringify([body.tools, body.system, body.messages]);
    const end = text.lastIndexOf(',{"type":"text","text":"<context>');
    heads.push(text.slice(0, end));
    tails.push(text.slice(end));
    history.push(
      assistant(call(`toolu_${round}`)),
      result(`toolu_${round}`, "ok"),
      assistant({ type: "text", text: "Done" }),
    );
  }
  for (let round = 1; round < heads.length; round++) {
    expect(heads[round]?.startsWith(heads[round - 1] ?? "none")).toBe(true);
  }
  expect(tails).toEqual(
    tails.map((_, round) => `,{"type":"text","text":"<context>\\nTodo ${round}\\n</context>"}]}]]`),
  );
});

test("a tool added at the end leaves the earlier definitions as they were, marks aside", () => {
  const tools = Array.from({ length: 30 }, (_, index) => ({ ...READ_TOOL, name: `read_${index}` }));
  const texts = tools.map((_, count) =>
    JSON.stringify(withoutMarks(build({ tools: tools.slice(0, count + 1) }).body.tools)),
  );
  for (let count = 1; count < texts.length; count++) {
    expect(texts[count]?.startsWith(texts[count - 1]?.slice(0, -1) ?? "none")).toBe(true);
  }
});

function withoutMarks<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (key, inner) => (key === "cache_control" ? undefined : inner)));
}

type WireTurn = { role: string; content: JsonObject[] };

describe("messages", () => {
  const wire = (...messages: Message[]) => build({ messages, cacheRetention: "none" }).body.messages as WireTurn[];

  test("pictures and documents are sent as base64, in results as well; other media become a note", () => {
    const png = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
    const pdf = { type: "image", mediaType: "application/pdf", data: "JVBE" } as const;
    const svg = { type: "image", mediaType: "image/svg+xml", data: "PHN2" } as const;
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
    const document = { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBE" } };
    const note = "[image/svg+xml left out: only PNG, JPEG, GIF, WebP and PDF can be sent]";
    const messages: Message[] = [
      { role: "user", content: [png, pdf, svg] },
      assistant(call("toolu_1")),
      result("toolu_1", "", { content: [png] }),
    ];
    expect(wire(...messages)).toEqual([
      { role: "user", content: [image, document, { type: "text", text: note }] },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [image] }] },
    ]);
  });

  test("thinking goes back with its token: signed, even if empty, or encrypted; without one it is left out", () => {
    const message = assistant(
      { type: "thinking", text: "unsigned" },
      { type: "thinking", text: "", signature: "sig" },
      { type: "thinking", text: "", encrypted: "secret" },
      { type: "text", text: "Hi" },
    );
    expect(wire(person("Hello"), message)).toEqual([
      { role: "user", content: [{ type: "text", text: "Hello" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "", signature: "sig" },
          { type: "redacted_thinking", data: "secret" },
          { type: "text", text: "Hi" },
        ],
      },
    ]);
  });

  test("an answer that was only blank text or thinking disappears, and its neighbours become one turn", () => {
    const blank = assistant({ type: "text", text: " \n" });
    const interrupted = assistant({ type: "thinking", text: "Hm", signature: "sig" }, { type: "text", text: "" });
    expect(wire(person("One"), blank, person("Two"), interrupted, person("Three"))).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "One" },
          { type: "text", text: "Two" },
          { type: "text", text: "Three" },
        ],
      },
    ]);
  });

  test("consecutive answers become one turn", () => {
    const [first, second] = [assistant({ type: "text", text: "One" }), assistant({ type: "text", text: "Two" })];
    expect(wire(person("Go"), first, second)).toEqual([
      { role: "user", content: [{ type: "text", text: "Go" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "One" },
          { type: "text", text: "Two" },
        ],
      },
    ]);
  });

  test("results come first in their turn, even when the person spoke before they were there", () => {
    expect(wire(assistant(call("a"), call("b")), result("a", "1"), person("Wait"), result("b", ""))[1]).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "1" }] },
        { type: "tool_result", tool_use_id: "b", content: [{ type: "text", text: "(no output)" }] },
        { type: "text", text: "Wait" },
      ],
    });
  });

  test("ids of another provider are changed in the same way in the call and its result", () => {
    const id = "call_abc|fc_def";
    const [, answer, turn] = wire(person("Go"), assistant(call(id)), result(id, "ok"));
    const sent = String(answer?.content[0]?.id);
    expect(sent).toMatch(/^call_abc_fc_def_[0-9a-f]{16}$/);
    expect(turn?.content[0]?.tool_use_id).toBe(sent);
  });
});

test("the context gets a turn of its own behind an answer", () => {
  const messages = [person("Go"), assistant({ type: "text", text: "On it" })];
  expect(build({ messages, system: { base: "", dynamic: "Now" } }).body).toEqual({
    model: "claude-haiku-4-5",
    max_tokens: 64_000,
    messages: [
      { role: "user", content: [{ type: "text", text: "Go", cache_control: EPHEMERAL }] },
      { role: "assistant", content: [{ type: "text", text: "On it", cache_control: EPHEMERAL }] },
      { role: "user", content: [{ type: "text", text: "<context>\nNow\n</context>" }] },
    ],
    stream: true,
  });
});

describe("tools", () => {
  const tools = (request: Partial<ModelRequest>, model: Partial<Model> = {}) => {
    const { tools, tool_choice } = build({ cacheRetention: "none", ...request }, model).body;
    return { tools, tool_choice };
  };

  test("are not strict where the provider does not take it", () => {
    const input_schema = READ_TOOL.parameters as JsonObject;
    const plain = { name: "read", description: "Reads a file.", input_schema };
    expect(tools({ tools: [READ_TOOL] }, { disableStrictTools: true })).toEqual({
      tools: [plain],
      tool_choice: undefined,
    });
  });

  test("are strict only up to what one request may hold", () => {
    const many = Array.from({ length: 22 }, (_, index) => ({ ...READ_TOOL, name: `read_${index}` }));
    const greedy = {
      name: "greedy",
      description: "",
      parameters: {
        type: "object",
        properties: Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`p${index}`, { type: "string" }])),
      },
    };
    const names = Array.from({ length: 10 }, (_, index) => `p${index}`);
    const eitherWay = {
      name: "either_way",
      description: "",
      parameters: {
        type: "object",
        properties: Object.fromEntries(names.map((name) => [name, { type: ["string", "null"] }])),
        required: names,
      },
    };
    const strict = (definitions: (typeof READ_TOOL)[]) =>
      (tools({ tools: definitions }).tools as JsonObject[]).map((tool) => tool.strict === true);
    expect(strict(many).filter(Boolean)).toHaveLength(20);
    expect(strict([...many.slice(0, 19), greedy, READ_TOOL, greedy])).toEqual([
      ...Array(19).fill(true),
      true,
      false,
      false,
    ]);
    expect(strict([eitherWay, eitherWay, READ_TOOL])).toEqual([true, false, true]);
    expect(strict([...many.slice(0, 10), greedy, greedy, greedy, READ_TOOL])).toEqual([
      ...Array(10).fill(true),
      ...[true, true, false, true],
    ]);
  });

  test.each([
    ["auto", { type: "auto" }],
    ["none", { type: "none" }],
    ["required", { type: "any" }],
    [{ name: "read" }, { type: "tool", name: "read" }],
  ] as const)("the choice %p is sent", (toolChoice, expected) => {
    expect(tools({ tools: [READ_TOOL], toolChoice }).tool_choice).toEqual(expected);
  });

  test("a choice without tools is not sent", () => {
    expect(tools({ toolChoice: "none" })).toEqual({ tools: undefined, tool_choice: undefined });
  });
});
