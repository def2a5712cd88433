import { describe, expect, test } from "bun:test";
import { at } from "../../src/protocol/json.ts";
import { FIRST_PIECE } from "../support/breaking-answer.ts";
import { textAnswer } from "../support/fake-answer.ts";
import { openFrontDoor, outcomeOf } from "../support/front-door.ts";

/** What the model was asked, as the first user text of the last request. */
function promptOf({ provider }: { provider: { requests: { body: unknown }[] } }): unknown {
  const [message] = at(provider.requests.at(-1)?.body, "messages") as { content: { text: string }[] }[];
  return message?.content[0]?.text;
}

describe("the answer", () => {
  test("goes to standard output, and nothing else does", async () => {
    using ralph = await openFrontDoor({ answers: [textAnswer("four and two is six")] });
    expect(outcomeOf(await ralph.run(["-p", "what is 4+2?"]))).toEqual({
      code: 0,
      stdout: "four and two is six\n",
      stderr: "",
    });
  });

  test("reaches a pipe piece by piece, before it is complete", async () => {
    const rest = Promise.withResolvers<void>();
    const answer = textAnswer("first second", {
      fault: { type: "hold", afterEvents: FIRST_PIECE, until: rest.promise },
    });
    using ralph = await openFrontDoor({ answers: [answer] });
    await using child = ralph.start(["-p", "hello"]);
    child.closeInput();
    await child.waitForOutput("first ");
    expect(child.stdout()).toBe("first ");
    rest.resolve();
    expect((await child.exited).stdout).toBe("first second\n");
  });

  test("reaches a terminal piece by piece, before it is complete", async () => {
    const rest = Promise.withResolvers<void>();
    const answer = textAnswer("first second", {
      fault: { type: "hold", afterEvents: FIRST_PIECE, until: rest.promise },
    });
    using ralph = await openFrontDoor({ answers: [answer] });
    await using child = ralph.inTerminal(["-p", "hello"]);
    await child.waitForOutput("first ");
    expect(child.screen()).toBe("first ");
    rest.resolve();
    expect(await child.exited).toEqual({ code: 0, screen: "first second\n" });
  });

  test.each([
    ["no line break", "text"],
    ["one line break", "text\n"],
  ])("that ends with %s is printed with exactly one", async (_, text) => {
    using ralph = await openFrontDoor({ answers: [textAnswer(text)] });
    expect((await ralph.run(["-p", "hello"])).stdout).toBe("text\n");
  });

  test("keeps line breaks of its own and characters of every alphabet", async () => {
    const text = "# Grüße\n\n日本 🙂\n\n\n";
    using ralph = await openFrontDoor({ answers: [textAnswer(text)], chunking: { bytes: 1 } });
    expect((await ralph.run(["-p", "hello"])).stdout).toBe(text);
  });

  test("that stays empty, though the model was asked to go on, prints nothing", async () => {
    const empty = textAnswer("", { parts: [] });
    using ralph = await openFrontDoor({ answers: [empty, empty, empty] });
    expect(outcomeOf(await ralph.run(["-p", "hello"]))).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("shows no thinking", async () => {
    const parts = [
      { type: "thinking" as const, text: "hm", signature: "s" },
      { type: "text" as const, deltas: ["said"] },
    ];
    using ralph = await openFrontDoor({ answers: [textAnswer("", { parts })] });
    expect((await ralph.run(["-p", "hello"])).stdout).toBe("said\n");
  });

  test("is the same with --no-stream, asked for at once", async () => {
    using ralph = await openFrontDoor({ answers: [textAnswer("whole answer"), textAnswer("whole answer")] });
    const streamed = outcomeOf(await ralph.run(["-p", "hello"]));
    const whole = outcomeOf(await ralph.run(["-p", "--no-stream", "hello"]));
    expect(whole).toEqual(streamed);
    expect(ralph.provider.requests.map(({ body }) => at(body, "stream") ?? false)).toEqual([true, false]);
  });
});

describe("the prompt", () => {
  test("is all words behind -p", async () => {
    using ralph = await openFrontDoor();
    await ralph.run(["-p", "one", "two three"]);
    expect(promptOf(ralph)).toBe("one two three");
  });

  test("may begin with a dash behind --", async () => {
    using ralph = await openFrontDoor();
    await ralph.run(["-p", "--", "--json", "-x"]);
    expect(promptOf(ralph)).toBe("--json -x");
  });

  test("may be the name of a command behind -p", async () => {
    using ralph = await openFrontDoor();
    await ralph.run(["-p", "doctor"]);
    expect(promptOf(ralph)).toBe("doctor");
  });

  test("needs no -p where it is more than one word", async () => {
    using ralph = await openFrontDoor();
    expect(outcomeOf(await ralph.run(["why is", "the sky blue"]))).toEqual({ code: 0, stdout: "ok\n", stderr: "" });
    expect(promptOf(ralph)).toBe("why is the sky blue");
  });

  test("comes from standard input where no words are given", async () => {
    using ralph = await openFrontDoor();
    await ralph.run(["-p"], { stdin: "  from a pipe\n\n" });
    expect(promptOf(ralph)).toBe("  from a pipe");
  });

  test("is the words, an empty line and standard input where there are both", async () => {
    using ralph = await openFrontDoor();
    await ralph.run(["-p", "explain"], { stdin: "line 1\nline 2\n" });
    expect(promptOf(ralph)).toBe("explain\n\nline 1\nline 2");
  });

  test.each([
    ["nothing", ""],
    ["white space", " \n"],
  ])("that is %s ends with exit code 2 and asks nobody", async (_, stdin) => {
    using ralph = await openFrontDoor();
    expect(outcomeOf(await ralph.run(["-p", ""], { stdin }))).toEqual({
      code: 2,
      stdout: "",
      stderr: 'ralph: There is no prompt. Write it behind -p ("…") or pipe it in.\n',
    });
    expect(ralph.provider.requests).toEqual([]);
  });

  test("is refused where standard input is longer than ten million bytes", async () => {
    using ralph = await openFrontDoor();
    const { code, stderr } = await ralph.run(["-p"], { stdin: "x".repeat(10_000_001) });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "ralph: Standard input is longer than 10000000 bytes. Send less, or name a file in the prompt.\n",
    });
  });

  test("without words in a terminal is a welcome that names the model and the next step", async () => {
    using ralph = await openFrontDoor();
    const { code, screen } = await ralph.inTerminal([]).exited;
    expect(code).toBe(0);
    expect(screen).toContain("Ready to ask anthropic/claude-sonnet-5.");
    expect(screen).toContain('ralph -p "explain this error" < build.log');
  });
});
