import { describe, expect, test } from "bun:test";
import { at } from "../../src/protocol/json.ts";
import { type FrontDoor, openFrontDoor, outcomeOf } from "../support/front-door.ts";

function lastBody({ provider }: FrontDoor): unknown {
  return provider.requests.at(-1)?.body;
}

function systemOf(ralph: FrontDoor): unknown {
  return at(lastBody(ralph), "system");
}

describe("the system prompt", () => {
  test("is Ralph's own; what changes stands behind the conversation", async () => {
    using ralph = await openFrontDoor();
    await ralph.run(["-p", "hello"]);
    const system = systemOf(ralph) as { text: string; cache_control: unknown }[];
    expect(system.map(({ cache_control }) => cache_control)).toEqual([{ type: "ephemeral" }]);
    expect(system[0]?.text).toStartWith("You are Ralph");
    const messages = JSON.stringify(at(lastBody(ralph), "messages"));
    expect(messages).toContain(`Working directory: ${ralph.workspace.project}`);
    expect(messages).toContain(`Today is ${new Date().toISOString().slice(0, 10)}`);
  });

  test("comes from --system-prompt-file, relative to the working directory, and grows by --append-system-prompt", async () => {
    using ralph = await openFrontDoor();
    ralph.workspace.write("project/prompt.md", "Speak like a pirate.");
    await ralph.run(["-p", "--system-prompt-file", "prompt.md", "--append-system-prompt", "Be brief.", "hello"]);
    expect(systemOf(ralph)).toEqual([
      { type: "text", text: "Speak like a pirate.\n\nBe brief.", cache_control: { type: "ephemeral" } },
    ]);
  });

  test("that cannot be read ends with exit code 2", async () => {
    using ralph = await openFrontDoor();
    expect(outcomeOf(await ralph.run(["-p", "--system-prompt-file", "none.md", "hello"]))).toEqual({
      code: 2,
      stdout: "",
      stderr: "ralph: --system-prompt-file: none.md could not be read: it does not exist.\n",
    });
    ralph.workspace.write("project/binary", "a\0b");
    const { code, stderr } = await ralph.run(["-p", "--system-prompt-file", "binary", "hello"]);
    expect([code, stderr]).toEqual([
      2,
      "ralph: --system-prompt-file: binary is not a text file: it contains zero bytes.\n",
    ]);
    expect(ralph.provider.requests).toEqual([]);
  });
});

test("system prompt and tools of a first request fit into 1,400 tokens of four bytes", async () => {
  using ralph = await openFrontDoor();
  await ralph.run(["-p", "hello"]);
  const { system, tools } = lastBody(ralph) as Record<string, unknown>;
  expect(Buffer.byteLength(JSON.stringify({ system, tools })) / 4).toBeLessThanOrEqual(1400);
});

describe("--max-output-tokens", () => {
  test("limits the answer", async () => {
    using ralph = await openFrontDoor();
    await ralph.run(["-p", "--max-output-tokens", "1234", "--effort", "off", "hello"]);
    expect(at(lastBody(ralph), "max_tokens")).toBe(1234);
  });

  test("is refused with exit code 2 where it is not a whole number above 0", async () => {
    using ralph = await openFrontDoor();
    const values = ["0", "-5", "1.5", "many", "1e3", "12345678901"];
    const runs = values.map((value) => ralph.run(["-p", `--max-output-tokens=${value}`, "hello"]));
    expect((await Promise.all(runs)).map(outcomeOf)).toEqual(
      values.map((value) => ({
        code: 2,
        stdout: "",
        stderr: `ralph: --max-output-tokens needs a whole number above 0, not "${value}".\n`,
      })),
    );
    expect(ralph.provider.requests).toEqual([]);
  });
});

describe("the model", () => {
  test("that is unknown ends with exit code 2 and the nearest ones", async () => {
    using ralph = await openFrontDoor();
    const { code, stderr } = await ralph.run(["-p", "--model", "anthropic/claude-sonnet-55x", "hello"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^ralph: No model is called "anthropic\/claude-sonnet-55x"\. Nearest: anthropic\/claude-sonnet-5,/,
    );
    expect(ralph.provider.requests).toEqual([]);
  });

  test("gets the effort it is named with", async () => {
    using ralph = await openFrontDoor();
    await ralph.run(["-p", "--model", "anthropic/claude-sonnet-5:high", "hello"]);
    expect(at(lastBody(ralph), "output_config")).toEqual({ effort: "high" });
  });

  test("with an effort it does not take ends with exit code 2 and the list of those it takes", async () => {
    using ralph = await openFrontDoor();
    ralph.writeModels(`providers:
  own:
    baseUrl: ${ralph.provider.origin}/v1
    api: openai-completions
    auth: none
    models:
      - { id: thinker, reasoning: true, thinking: { minLevel: low, maxLevel: high } }
      - { id: plain }
`);
    const refused = await ralph.run(["-p", "--model", "own/thinker", "--effort", "max", "hello"]);
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toContain("off, low, medium, high");
    const unthinking = await ralph.run(["-p", "--model", "own/plain:low", "hello"]);
    expect([unthinking.code, unthinking.stdout]).toEqual([2, ""]);
    const nonsense = await ralph.run(["-p", "--effort", "hihg", "hello"]);
    expect([nonsense.code, nonsense.stderr]).toEqual([2, 'ralph: Unknown --effort "hihg". Did you mean high?\n']);
    expect(ralph.provider.requests).toEqual([]);
  });

  test("gives way to a configured effort it does not take, because that is a wish for any model", async () => {
    using ralph = await openFrontDoor();
    ralph.writeConfig("effort: max\n");
    ralph.writeModels(`providers:
  own: { baseUrl: "${ralph.provider.origin}/v1", api: openai-completions, auth: none, models: [{ id: plain }] }
`);
    expect(outcomeOf(await ralph.run(["-p", "--model", "own/plain", "hello"]))).toEqual({
      code: 0,
      stdout: "ok\n",
      stderr: "",
    });
  });

  test("without a key ends with exit code 3 and the variable that would hold it", async () => {
    using ralph = await openFrontDoor();
    const { code, stderr } = await ralph.run(["-p", "--model", "openai/gpt-6-sol", "hello"]);
    expect([code, stderr]).toEqual([
      3,
      "ralph: No key for OpenAI. Run ralph login openai, set OPENAI_API_KEY, or pass --api-key. A key comes from https://platform.openai.com/api-keys.\n",
    ]);
    const nothing = await ralph.run(["-p", "hello"], { environment: { ANTHROPIC_API_KEY: undefined } });
    expect(nothing.code).toBe(3);
    expect(nothing.stderr).toContain("ANTHROPIC_API_KEY");
    expect(ralph.provider.requests).toEqual([]);
  });

  test("takes the key of --api-key before that of the environment", async () => {
    using ralph = await openFrontDoor();
    await ralph.run(["-p", "--model", "anthropic/claude-sonnet-5", "--api-key", "given-key-0123456789", "hello"]);
    expect(ralph.provider.requests[0]?.headers["x-api-key"]).toBe("given-key-0123456789");
  });
});
