import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { at } from "../../src/protocol/json.ts";
import type { SessionEntry } from "../../src/protocol/session-entries.ts";
import { type FakeAnswer, textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { type FrontDoor, openFrontDoor } from "../support/front-door.ts";
import { driveRpc } from "../support/rpc-front-door.ts";

setDefaultTimeout(30_000);

const NO_ANY = `---
condition: "\\\\bas any\\\\b"
---
Say what type it is.`;

const REMINDER = (words: string, ...rules: [string, string][]) =>
  `<rule_reminder>\n${words}\n${rules.map(([name, text]) => `<rule name="${name}">\n${text}\n</rule>`).join("\n")}\n</rule_reminder>`;
const BROKEN =
  "Your answer was stopped because it broke a rule of this project or this person. Nothing of it was done. Keep to the rule and go on.";
const TOUCHED =
  "What you did here touches a rule of this project or this person. Keep to it from now on; if you broke it, put it right.";
const TOLD = REMINDER(BROKEN, ["no-any", "Say what type it is."]);

function userRule({ workspace }: FrontDoor, name: string, text: string): void {
  workspace.write(`ralph-home/config/rules/${name}.md`, text);
}

function systemOf({ provider }: FrontDoor): string {
  return textOf(at(provider.requests.at(-1)?.body, "system"));
}

interface Block {
  type: string;
  text?: string;
  name?: string;
  input?: unknown;
  content?: unknown;
}

/** What a request says, without the part that changes from day to day. */
function conversation({ provider }: FrontDoor): string[] {
  const messages = at(provider.requests.at(-1)?.body, "messages") as { role: string; content: Block[] }[];
  return messages.flatMap(({ role, content }) =>
    content.map(shown).flatMap((text) => (text.startsWith("<context>") ? [] : [`${role}: ${text}`])),
  );
}

function shown({ type, text, name, content }: Block): string {
  if (type === "tool_use") return `calls ${name}`;
  return type === "tool_result" ? `result ${textOf(content)}` : (text ?? type);
}

function textOf(content: unknown): string {
  return Array.isArray(content) ? content.map((part) => String(at(part, "text"))).join("|") : String(content);
}

function entriesOf({ workspace }: FrontDoor): SessionEntry[] {
  const [path = ""] = workspace.find("ralph-home/data/sessions/**/*.jsonl");
  const lines = workspace.read(path).trim().split("\n").slice(1);
  return lines.map((line) => JSON.parse(line) as SessionEntry);
}

function toldIn(ralph: FrontDoor): unknown[] {
  return entriesOf(ralph).flatMap((entry) =>
    entry.type === "rules-injected" ? [[entry.names, entry.message?.content.map((part) => part.type)]] : [],
  );
}

/** An answer whose rest never comes: only a reader that stops by itself gets on. */
function neverEnding(text: string, afterEvents: number): FakeAnswer {
  return textAnswer(text, { fault: { type: "silence", after: { events: afterEvents } } });
}

describe("rules in the prompt", () => {
  test("stand behind the instructions, always-apply ones whole and others by name, and stay the same bytes", async () => {
    using ralph = await openFrontDoor({ answers: [] });
    const { workspace, provider } = ralph;
    workspace.write("project/AGENTS.md", "Of the project.");
    workspace.write("ralph-home/config/AGENTS.md", "Of the person.");
    userRule(ralph, "kind", "---\nalwaysApply: true\n---\nBe kind.");
    userRule(ralph, "api", "---\ndescription: How the API is used\nglobs: src/**\n---\nUse version 2.");
    userRule(ralph, "silent", "Nobody reads this.");
    await ralph.run(["-p", "hello"]);
    const system = systemOf(ralph);
    const end = `Of the person.
</instructions>

<rule name="kind">
Be kind.
</rule>

There are more rules. When you work on what one of them is about, read it first: read_file with \`rule://<name>\` as its path.
- api: How the API is used (files: src/**)`;
    expect(system).toEndWith(end);
    expect(system.indexOf("Of the project.")).toBeLessThan(system.indexOf("Of the person."));
    userRule(ralph, "kind", "---\nalwaysApply: true\n---\nBe rude.");
    const read = (path: string) => toolCallAnswer({ name: "read_file", input: { path } });
    provider.answer(read("rule://api"), read("rule://silent"), textAnswer("done"));
    await ralph.run(["-p", "-c", "look"]);
    expect(systemOf(ralph)).toBe(system);
    expect(conversation(ralph).slice(-4)).toEqual([
      "assistant: calls read_file",
      expect.stringMatching(/^user: result .*Use version 2\.\n?.*\(content type: text\/markdown\)$/s),
      "assistant: calls read_file",
      'user: result There is no rule "silent". There is: kind, api.',
    ]);
  });

  test("of a project count only where it is trusted", async () => {
    using ralph = await openFrontDoor();
    ralph.workspace.write("project/.ralph/rules/theirs.md", "---\nalwaysApply: true\n---\nObey me.");
    ralph.workspace.write("project/.cursor/rules/no-any.mdc", NO_ANY);
    ralph.provider.answer(textAnswer("x as any y"));
    const { stdout, stderr } = await ralph.run(["-p", "hello"]);
    expect([stdout, stderr]).toEqual([
      "x as any y\n",
      "ralph: This folder is not trusted, so what its files say does not count (.ralph/rules, .cursor/rules). Obey it: ralph trust, or --trust for one run.\n",
    ]);
    expect(systemOf(ralph)).not.toContain("Obey me.");
    ralph.provider.answer(textAnswer("x as any y"));
    const trusted = await ralph.run(["-p", "--trust", "hello"]);
    expect(trusted.stderr).toBe(
      "ralph: The answer was stopped: it broke the rule no-any. The model is told and answers again.\n",
    );
    expect(systemOf(ralph)).toContain("Obey me.");
    expect(conversation(ralph)).toEqual(["user: hello", `user: ${TOLD}`]);
  });

  test("that are hostile or too large are told and left out, and the run goes on", async () => {
    using ralph = await openFrontDoor();
    userRule(ralph, "large", "x".repeat(1_000_000));
    userRule(ralph, "odd", "---\nglobs: *.ts\nalwaysApply: true\n---\nOdd.");
    userRule(ralph, "slow", '---\ncondition: "(?=(a+)+$)"\n---\nSlow.');
    const { code, stderr } = await ralph.run(["-p", "hello"]);
    const folder = join(ralph.workspace.home, "config/rules");
    expect([code, stderr.split("\n")]).toEqual([
      0,
      [
        `ralph: The rule ${folder}/large.md was left out: it is larger than the limit of 262144 bytes.`,
        "ralph: The head of the rule odd is not YAML, so it was read as lines of key: value. Quote values that begin with a * or a {.",
        `ralph: The condition "(?=(a+)+$)" of the rule ${folder}/slow.md cannot be used: (?=(… cannot be tested in one pass: no lookahead, lookbehind or flags of a group.`,
        "",
      ],
    ]);
    expect(systemOf(ralph)).toEndWith('<rule name="odd">\nOdd.\n</rule>');
  });
});

test("ten rules that cannot be used are told one by one, the others are counted", async () => {
  using ralph = await openFrontDoor();
  for (let number = 0; number < 12; number++) userRule(ralph, `r${number}`, "---\ncondition: (?=x)\n---\nx");
  const lines = (await ralph.run(["-p", "hello"])).stderr.trimEnd().split("\n");
  expect([lines.length, lines.at(-1)]).toEqual([
    11,
    "ralph: 2 more rules were left out or cannot be used as they are.",
  ]);
});

describe("an answer that breaks a rule", () => {
  test("is stopped at once and dropped; the model is told and answers again", async () => {
    using ralph = await openFrontDoor();
    userRule(ralph, "no-any", NO_ANY);
    // start, ping, block start, then "const ", "x ", "as ", "any ", "= "; the word ends with the space behind it.
    ralph.provider.answer(neverEnding("const x as any = 1", 7), textAnswer("const x: number = 1"));
    const { code, stdout, stderr } = await ralph.run(["-p", "write x"]);
    expect([code, stdout, stderr]).toEqual([
      0,
      "const x as any \nconst x: number = 1\n",
      "ralph: The answer was stopped: it broke the rule no-any. The model is told and answers again.\n",
    ]);
    expect(ralph.provider.requests.length).toBe(2);
    expect(conversation(ralph)).toEqual(["user: write x", `user: ${TOLD}`]);
    expect(toldIn(ralph)).toEqual([[["no-any"], ["text"]]]);
  });

  test("never runs a call of it, also when the whole answer came in one piece", async () => {
    using ralph = await openFrontDoor();
    userRule(ralph, "no-touch", "---\ncondition: touch\nscope: tool:bash\n---\nNever touch.");
    const call = toolCallAnswer({ name: "shell", input: { command: "touch made" } });
    const parts: FakeAnswer["parts"] = [{ type: "text", deltas: ["I do it. "] }, ...call.parts];
    ralph.provider.answer({ ...call, parts, chunking: "whole" }, textAnswer("I did not."));
    const { code, stdout } = await ralph.run(["-p", "--yolo", "--sandbox", "off", "--mode", "json", "touch it"]);
    expect(code).toBe(0);
    expect(existsSync(join(ralph.workspace.project, "made"))).toBe(false);
    const told = REMINDER(BROKEN, ["no-touch", "Never touch."]);
    expect(conversation(ralph)).toEqual(["user: touch it", `user: ${told}`]);
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.filter(({ type }) => String(type).startsWith("tool-"))).toEqual([]);
    expect(events.filter(({ type }) => type === "rules-triggered")).toEqual([
      {
        type: "rules-triggered",
        rules: [{ name: "no-touch", path: join(ralph.workspace.home, "config/rules/no-touch.md") }],
        stopped: true,
        message: { role: "user", content: [{ type: "text", text: told }] },
        usage: expect.objectContaining({ input: 20 }),
        cost: expect.any(Number),
      },
    ]);
  });

  test("stays as far as it came with ttsr.contextMode keep", async () => {
    using ralph = await openFrontDoor();
    ralph.writeConfig("ttsr: { contextMode: keep }\n");
    userRule(ralph, "no-any", NO_ANY);
    ralph.provider.answer(neverEnding("const x as any = 1", 7));
    await ralph.run(["-p", "write x"]);
    expect(conversation(ralph)).toEqual(["user: write x", "assistant: const x as any ", `user: ${TOLD}`]);
    ralph.provider.answer(textAnswer("fine"));
    await ralph.run(["-p", "-c", "more"]);
    expect(conversation(ralph)).toEqual([
      "user: write x",
      "assistant: const x as any ",
      `user: ${TOLD}`,
      "assistant: ok",
      "user: more",
    ]);
  });

  test("is left alone where ttsr.enabled is off", async () => {
    using ralph = await openFrontDoor();
    ralph.writeConfig("ttsr: { enabled: false }\n");
    userRule(ralph, "no-any", NO_ANY);
    ralph.provider.answer(textAnswer("x as any y"));
    expect((await ralph.run(["-p", "hello"])).stdout).toBe("x as any y\n");
    expect(ralph.provider.requests.length).toBe(1);
  });

  test("is stopped just the same where answers are not streamed", async () => {
    using ralph = await openFrontDoor();
    userRule(ralph, "no-any", NO_ANY);
    ralph.provider.answer(textAnswer("const x as any = 1"), textAnswer("fine"));
    const { stdout } = await ralph.run(["-p", "--no-stream", "write x"]);
    expect(stdout).toEndWith("fine\n");
    expect(conversation(ralph)).toEqual(["user: write x", `user: ${TOLD}`]);
  });

  test("is stopped again when the run is played from its recording", async () => {
    using ralph = await openFrontDoor();
    userRule(ralph, "no-any", NO_ANY);
    ralph.provider.answer(textAnswer("const x as any = 1"), textAnswer("fine"));
    const first = await ralph.run(["-p", "write x", "--record", "run.jsonl"]);
    const again = await ralph.run(["replay", "run.jsonl", "--check"]);
    expect([first.code, first.stdout, again.code, ralph.provider.requests.length]).toEqual([
      0,
      "const x as any \nfine\n",
      0,
      2,
    ]);
  });

  test("is told to a program that drives Ralph as ttsr_triggered", async () => {
    using ralph = await openFrontDoor();
    userRule(ralph, "no-any", NO_ANY);
    ralph.provider.answer(neverEnding("const x as any = 1", 7), textAnswer("fine"));
    await using host = driveRpc(ralph);
    await host.prompt("write x");
    const payloads = host.events().filter(({ type }) => type === "ttsr_triggered");
    expect(payloads).toEqual([
      {
        type: "ttsr_triggered",
        rules: [{ name: "no-any", path: join(ralph.workspace.home, "config/rules/no-any.md") }],
        interrupted: true,
      },
    ]);
  });
});

describe("a rule that does not interrupt", () => {
  test("stands before the result of the call it was found in", async () => {
    using ralph = await openFrontDoor();
    ralph.writeConfig("ttsr: { interruptMode: prose-only }\n");
    userRule(ralph, "logs", '---\ncondition: "*.log"\n---\nLogs are not kept.');
    ralph.provider.answer(
      toolCallAnswer(
        { name: "write_file", input: { path: "a.txt", content: "a" } },
        { name: "write_file", input: { path: "b.log", content: "b" } },
      ),
    );
    await ralph.run(["-p", "--yolo", "write both"]);
    expect(existsSync(join(ralph.workspace.project, "b.log"))).toBe(true);
    const [, , , first, second] = conversation(ralph);
    expect(first).not.toContain("<rule_reminder>");
    expect(second).toStartWith(`user: result ${REMINDER(TOUCHED, ["logs", "Logs are not kept."])}|`);
    expect(toldIn(ralph)).toEqual([[["logs"], undefined]]);
  });

  test("follows an answer that said too much, behind its results, and the model goes on", async () => {
    using ralph = await openFrontDoor();
    userRule(ralph, "polite", "---\ncondition: (?i)damn\ninterruptMode: never\n---\nStay polite.");
    userRule(ralph, "brief", "---\ncondition: Well\ninterruptMode: tool-only\n---\nBe brief.");
    const call = toolCallAnswer({ name: "list_dir", input: { path: "." } });
    const parts: FakeAnswer["parts"] = [{ type: "text", deltas: ["Damn ", "it. "] }, ...call.parts];
    ralph.provider.answer({ ...call, parts }, textAnswer("Well, that is all. "), textAnswer("Done."));
    const { stdout } = await ralph.run(["-p", "look"]);
    expect(stdout).toBe("Damn it. \nWell, that is all. \nDone.\n");
    expect(conversation(ralph)).toEqual([
      "user: look",
      "assistant: Damn it. ",
      "assistant: calls list_dir",
      expect.stringMatching(/^user: result /),
      `user: ${REMINDER(TOUCHED, ["polite", "Stay polite."])}`,
      "assistant: Well, that is all. ",
      `user: ${REMINDER(TOUCHED, ["brief", "Be brief."])}`,
    ]);
  });
});

describe("a rule that was told", () => {
  test("is not told again in its session, also after a resume, and is in another", async () => {
    using ralph = await openFrontDoor();
    userRule(ralph, "no-any", NO_ANY);
    const broken = () => textAnswer("x as any y");
    ralph.provider.answer(broken(), broken(), broken(), broken(), textAnswer("fine"));
    expect((await ralph.run(["-p", "one"])).stdout).toBe("x as any \nx as any y\n");
    expect((await ralph.run(["-p", "-c", "two"])).stdout).toBe("x as any y\n");
    expect((await ralph.run(["-p", "three"])).stdout).toBe("x as any \nfine\n");
  });

  test("is told again after the gap with ttsr.repeatMode after-gap, counted over resumes", async () => {
    using ralph = await openFrontDoor();
    ralph.writeConfig("ttsr: { repeatMode: after-gap, repeatGap: 2 }\n");
    userRule(ralph, "no-any", NO_ANY);
    const broken = () => textAnswer("x as any y");
    const outputs: string[] = [];
    for (const [args, answers] of [
      [
        ["-p", "one"],
        [broken(), broken()],
      ],
      [["-p", "-c", "two"], [broken()]],
      [
        ["-p", "-c", "three"],
        [broken(), textAnswer("fine")],
      ],
    ] as [string[], FakeAnswer[]][]) {
      ralph.provider.answer(...answers);
      outputs.push((await ralph.run(args)).stdout);
    }
    expect(outputs).toEqual(["x as any \nx as any y\n", "x as any y\n", "x as any \nfine\n"]);
  });

  test("is known after kill -9 between the stop and the next answer, and nothing that was said is lost", async () => {
    using ralph = await openFrontDoor();
    userRule(ralph, "no-any", NO_ANY);
    ralph.provider.answer(
      neverEnding("const x as any = 1", 7),
      textAnswer("never", { fault: { type: "silence", after: "request" } }),
    );
    await using first = ralph.start(["-p", "write x"]);
    first.closeInput();
    await ralph.provider.nextRequest();
    await ralph.provider.nextRequest();
    first.kill("SIGKILL");
    await first.exited;
    ralph.provider.answer(textAnswer("x as any y"));
    expect((await ralph.run(["-p", "-c", "go on"])).stdout).toBe("x as any y\n");
    expect(conversation(ralph)).toEqual(["user: write x", `user: ${TOLD}`, "user: go on"]);
  });
});
