import { describe, expect, test } from "bun:test";
import { textAnswer } from "../support/fake-answer.ts";
import { type FrontDoor, openFrontDoor } from "../support/front-door.ts";

const LIMIT_MS = 60_000;
const SCHEMA = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer", minimum: 0 } },
  required: ["name", "age"],
  additionalProperties: false,
};

async function opened(answers: string[], schema: unknown = SCHEMA): Promise<FrontDoor> {
  const door = await openFrontDoor({ answers: answers.map((text) => textAnswer(text)) });
  door.workspace.write("project/schema.json", typeof schema === "string" ? schema : JSON.stringify(schema));
  return door;
}

const ask = (door: FrontDoor, ...flags: string[]) =>
  door.run(["-p", "who?", "--output-schema", "schema.json", ...flags]);

describe("--output-schema", () => {
  test(
    "prints exactly the JSON on one line, without a fence around it",
    async () => {
      using door = await opened(['```json\n{\n  "name": "Ann",\n  "age": 3\n}\n```']);
      const { code, stdout, stderr } = await ask(door);
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '{"name":"Ann","age":3}\n', stderr: "" });
      expect(JSON.stringify(door.provider.requests[0]?.body)).toContain("fits this JSON Schema");
    },
    LIMIT_MS,
  );

  test(
    "tells the model what does not fit and asks again",
    async () => {
      using door = await opened(["Ann is three.", '{"name":"Ann","age":-1,"hair":"red"}', '{"name":"Ann","age":3}']);
      const { code, stdout, stderr } = await ask(door);
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '{"name":"Ann","age":3}\n', stderr: "" });
      const bodies = door.provider.requests.map(({ body }) => JSON.stringify(body));
      expect(bodies).toHaveLength(3);
      expect(bodies[1]).toContain("the answer is no JSON");
      expect(bodies[2]).toContain("- /age: has to be 0 or more");
      expect(bodies[2]).toContain('\\"hair\\" is not allowed');
    },
    LIMIT_MS,
  );

  test(
    "gives up after two more tries, with the errors on standard error and nothing on standard output",
    async () => {
      using door = await opened(["no", "no", "{}", '{"name":"Ann","age":3}']);
      const { code, stdout, stderr } = await ask(door);
      expect({ code, stdout, stderr }).toEqual({
        code: 1,
        stdout: "",
        stderr:
          "ralph: The answer does not fit the schema. Say more about it in the prompt, or use another --model.\n" +
          'ralph: the answer: "name" is missing\nralph: the answer: "age" is missing\n',
      });
      expect(door.provider.requests).toHaveLength(3);
    },
    LIMIT_MS,
  );

  for (const [flags, name] of [
    [["--json"], "--json"],
    [["--mode", "json"], "--mode json"],
    [["--mode", "stream-json"], "--mode stream-json"],
  ] as const) {
    test(
      `stands in the result line of ${name}, once for all tries, with what they used together`,
      async () => {
        using door = await opened(["no", '{"name":"Ann","age":3}']);
        const { code, stdout } = await ask(door, ...flags);
        const results = stdout
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line) as Record<string, unknown>)
          .filter(({ type }) => type === "result");
        expect(code).toBe(0);
        expect(results.map((line) => line.structured_output)).toEqual([{ name: "Ann", age: 3 }]);
        expect(JSON.stringify(results)).toMatch(/"(num_turns|turns)":2,/);
      },
      LIMIT_MS,
    );
  }

  test(
    "is played back from a recording with the same words, tries included",
    async () => {
      using door = await opened(["no", '{"name":"Ann","age":3}']);
      const original = await ask(door, "--json", "--record", "run.jsonl");
      door.workspace.write("project/schema.json", "{}");
      const again = await door.run(["replay", "run.jsonl"]);
      expect([again.code, again.stdout, again.stderr]).toEqual([0, original.stdout, ""]);
    },
    LIMIT_MS,
  );

  for (const [schema, message] of [
    ["{", /^ralph: --output-schema: schema\.json is no JSON: /],
    [[], /a schema is an object, true or false/],
    [{ type: "thing" }, /#\/type has to be one of null, boolean/],
    [{ properties: { a: { contains: {} } } }, /#\/properties\/a\/contains is a keyword Ralph does not check/],
    [{ $ref: "#/$defs/none" }, /#\/\$ref leads nowhere/],
    [{ pattern: "(" }, /#\/pattern is no regular expression/],
  ] as const) {
    test(
      `refuses ${JSON.stringify(schema)} before anything is asked`,
      async () => {
        using door = await opened([], schema);
        const { code, stderr } = await ask(door);
        expect({ code, stderr, asked: door.provider.requests.length }).toEqual({
          code: 2,
          stderr: expect.stringMatching(message),
          asked: 0,
        });
      },
      LIMIT_MS,
    );
  }
});
