import { expect, test } from "bun:test";
import { createAskUser, type UserAnswer, type UserQuestion } from "../../src/tools/ask-user.ts";
import { callTool, failedWith, said } from "../support/call-tool.ts";

function person(answer: UserAnswer) {
  const heard: UserQuestion[] = [];
  const tool = createAskUser(async (question) => {
    heard.push(question);
    return answer;
  });
  return { heard, call: (input: Record<string, unknown>) => callTool(tool, input) };
}

test("the answer of the person is the result", async () => {
  const { heard, call } = person({ type: "answer", answers: ["blue", "green"] });
  expect(await call({ question: "Which?", options: ["blue", { label: "green" }, "blue"], multi: true })).toEqual(
    said("blue\ngreen", { type: "answer", answers: ["blue", "green"] }),
  );
  expect(heard).toEqual([{ question: "Which?", options: ["blue", "green"], multi: true }]);
});

test("a question without options is free, and not answering is said", async () => {
  const { heard, call } = person({ type: "declined" });
  expect(await call({ question: " Why? " })).toEqual(
    failedWith(
      "The person did not answer. Do not ask the same again; go on with what is certain, or stop and say so.",
      { type: "declined" },
    ),
  );
  expect(heard).toEqual([{ question: "Why?", options: [], multi: false }]);
});

test("without a person it fails at once and says what to do", async () => {
  expect(
    await callTool(
      createAskUser(async () => ({ type: "nobody-there" })),
      { question: "Which?" },
    ),
  ).toEqual(
    failedWith(
      "Nobody can answer: this session runs without a person. Choose the safest reasonable way yourself, and name the assumption in your final message.",
    ),
  );
});

test("an empty question reaches nobody", async () => {
  const { heard, call } = person({ type: "declined" });
  expect(await call({ question: " " })).toEqual(failedWith("The question is empty. Say what you want to know."));
  expect(heard).toEqual([]);
});
