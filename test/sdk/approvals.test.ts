import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Ask, type CreateAgentSessionOptions, Settings } from "../../src/sdk.ts";
import { textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { openSdkDoor, type SdkDoor } from "../support/sdk-door.ts";

let door: SdkDoor;

beforeEach(async () => {
  door = await openSdkDoor();
});
afterEach(() => door[Symbol.asyncDispose]());

async function resultOf(options: CreateAgentSessionOptions, name: string, input: Record<string, unknown>) {
  const { session, events } = await door.create(options);
  door.provider.answer(toolCallAnswer({ name, input }), textAnswer("Done."));
  await session.prompt("go");
  const end = events.findLast(({ type }) => type === "tool_execution_end");
  const [part] = end?.type === "tool_execution_end" ? end.result.content : [];
  return part?.type === "text" ? part.text : undefined;
}

const write = (options: CreateAgentSessionOptions, path = "made.txt") =>
  resultOf(options, "write_file", { path, content: "x\n" });

function made(): string[] {
  return door.workspace.find("project/*");
}

test("nobody is asked without a callback: what needs a yes is refused, with what would allow it", async () => {
  const refusal = await write({});
  expect(refusal).toMatch(/^Not run: .*--allow/s);
  expect(made()).toEqual([]);
});

test("a rule of isolated settings allows it without a question", async () => {
  const settings = Settings.isolated({ "permissions.allow": ["Write(*)"] });
  expect(await write({ settings })).toBe("Created made.txt (1 lines, 2 bytes).");
  expect(made()).toEqual(["project/made.txt"]);
});

test.each([
  ["true", true, true],
  ["yes", "yes", true],
  ["a yes for the session", { answer: "session" }, true],
  ["false", false, false],
  ["no", "no", false],
] as const)("a callback that says %s decides", async (_, reply, isWritten) => {
  const asks: Ask[] = [];
  await write({
    onAsk(ask) {
      asks.push(ask);
      return reply;
    },
  });
  expect(made()).toEqual(isWritten ? ["project/made.txt"] : []);
  expect(asks.map(({ tool, category, resources }) => ({ tool, category, resources }))).toEqual([
    { tool: "write_file", category: "file_write", resources: [`${door.workspace.project}/made.txt`] },
  ]);
});

test("a yes for the session counts for the next time, and asks come one by one", async () => {
  let asked = 0;
  const { session } = await door.create({
    onAsk() {
      asked++;
      return "session";
    },
  });
  for (const content of ["one", "two"]) {
    door.provider.answer(
      toolCallAnswer({ name: "write_file", input: { path: "made.txt", content } }),
      textAnswer("Done."),
    );
    await session.prompt("go");
  }
  expect([asked, door.workspace.read("project/made.txt")]).toEqual([1, "two"]);
});

test("with hasUI off, callbacks are not asked", async () => {
  let asked = 0;
  expect(await write({ hasUI: false, onAsk: () => ++asked > 0 })).toStartWith("Not run:");
  expect(asked).toBe(0);
});

test("a callback whose work is stopped meanwhile hears that, and nothing was done", async () => {
  const begun = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const { session } = await door.create({
    onAsk: (_, signal) => {
      signal.addEventListener("abort", () => stopped.resolve());
      begun.resolve();
      return new Promise(() => {});
    },
  });
  door.provider.answer(toolCallAnswer({ name: "write_file", input: { path: "made.txt", content: "x" } }));
  const work = session.prompt("go");
  await begun.promise;
  await session.abort();
  await stopped.promise;
  expect([(await work).outcome, made()]).toEqual([{ type: "interrupted" }, []]);
});

test("questions of the model are answered by their callback alone", async () => {
  const question = { question: "Which one?", options: ["red", "blue"] };
  const asked: unknown[] = [];
  const answered = await resultOf(
    {
      onQuestion(given) {
        asked.push(given);
        return given.options.slice(0, 1);
      },
    },
    "ask_user",
    question,
  );
  expect([answered, asked]).toEqual(["red", [{ ...question, multi: false }]]);
  expect(await resultOf({ onQuestion: () => "green" }, "ask_user", question)).toBe("green");
  expect(await resultOf({ onQuestion: () => undefined }, "ask_user", question)).toStartWith(
    "The person did not answer",
  );
  expect(await resultOf({ onAsk: () => true }, "ask_user", question)).toStartWith("Nobody can answer");
  expect(await write({ onQuestion: () => "yes" })).toStartWith("Not run:");
});
