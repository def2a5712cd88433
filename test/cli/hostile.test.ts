import { describe, expect, test } from "bun:test";
import { existsSync, linkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { failAnswer, NO_USAGE, textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { KEY, openFrontDoor } from "../support/front-door.ts";

const EVIL = "\u001b]52;c;ZXZpbA==\u0007\u001b[2Jshown\u009b31m\u202e";
const TAMED = "]52;c;ZXZpbA==[2Jshown31m";

describe("text that steers a terminal", () => {
  test("is tamed in an answer that a terminal shows, also when it is cut between two pieces", async () => {
    const answer = { ...textAnswer(""), parts: [{ type: "text" as const, deltas: [...EVIL] }] };
    using ralph = await openFrontDoor({ answers: [answer] });
    const { screen } = await ralph.inTerminal(["-p", "hello"]).exited;
    expect(screen).toBe(`${TAMED}\n`);
  });

  test("reaches a pipe as it is, because there it is data", async () => {
    using ralph = await openFrontDoor({ answers: [textAnswer(EVIL)] });
    expect((await ralph.run(["-p", "hello"])).stdout).toBe(`${EVIL}\n`);
  });

  test("is tamed where a project's file, a flag or a provider's error carries it", async () => {
    using ralph = await openFrontDoor({ answers: [failAnswer({ type: "status", status: 400, body: EVIL })] });
    ralph.workspace.write("project/.ralph/config.yml", '"\\e]52;c;ZXZpbA==\\a\\e[2J": 1\n');
    const runs = [["config"], ["-p", "--model", EVIL, "x"], [`--${EVIL}`], ["-p", "hello"]];
    const texts = await Promise.all(runs.map(async (args) => (await ralph.run(args)).stderr));
    expect(texts.filter((text) => /(?!\n)[\p{Cc}\p{Bidi_Control}]/u.test(text))).toEqual([]);
  });
});

describe("a key", () => {
  test("that the provider repeats inside an answer is not shown", async () => {
    for (const args of [["-p"], ["-p", "--json"], ["-p", "--mode", "json"], ["-p", "--no-stream"], ["-p", "--debug"]]) {
      const error = JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: `bad ${KEY}` } });
      using ralph = await openFrontDoor({ answers: [failAnswer({ type: "status", status: 200, body: error })] });
      const { stdout, stderr } = await ralph.run([...args, "hello"]);
      expect(`${stdout}${stderr}`).not.toContain(KEY);
    }
  });
});

describe("an output that does not take what is written", () => {
  test("ends the run with a word and exit code 1, so that nobody believes the answer is there", async () => {
    using ralph = await openFrontDoor();
    for (const args of [["-p", "hello"], ["-p", "--json", "hello"], ["models"], ["--help"]]) {
      const command = `"$@" > /dev/full`;
      const { code, stderr } = await ralph.run(args, { throughShell: command });
      expect([code, stderr]).toEqual([
        1,
        "ralph: Standard output could not be written: the disk is full. What was printed is not complete.\n",
      ]);
    }
  });
});

describe("a configuration file", () => {
  test("whose aliases form a ring or blow up is left out and told", async () => {
    using ralph = await openFrontDoor();
    const bomb = `a0: &a0 ${"x".repeat(100_000)}\nenabledModels: [${Array(200).fill("*a0").join(",")}]\n`;
    for (const [text, message] of [
      ["modelRoles: &a {default: *a}\n", "nested deeper"],
      [bomb, "more than 4000000 characters"],
    ] as const) {
      ralph.workspace.write("project/.ralph/config.yml", text);
      const { code, stdout, stderr } = await ralph.run(["-p", "hello"]);
      expect([code, stdout]).toEqual([0, "ok\n"]);
      expect(stderr).toContain(message);
    }
  });

  test("of the folder is not taken for the user's own: a HOME that is empty or relative is refused", async () => {
    for (const HOME of ["", "."]) {
      using ralph = await openFrontDoor();
      ralph.workspace.write("project/.config/ralph/config.yml", "model: scripted/demo\n");
      const { code, stdout, stderr } = await ralph.run(["config"], { environment: { HOME, RALPH_HOME: "" } });
      expect({ code, stdout, stderr }).toEqual({
        code: 2,
        stdout: "",
        stderr: "ralph: HOME is not an absolute path. Set it, so that your own files can be found.\n",
      });
    }
  });
});

describe("an answer", () => {
  test("with a command runs nothing where nobody can be asked, and the model is told", async () => {
    using ralph = await openFrontDoor({
      answers: [toolCallAnswer({ name: "bash", input: { command: "touch here" } })],
    });
    const { code, stdout } = await ralph.run(["-p", "hello"]);
    expect([code, stdout, existsSync(join(ralph.workspace.project, "here"))]).toEqual([0, "ok\n", false]);
    expect(JSON.stringify(ralph.provider.requests[1]?.body)).toContain("and nobody can be asked");
  });

  test("with a command runs it with --yolo", async () => {
    using ralph = await openFrontDoor({
      answers: [toolCallAnswer({ name: "bash", input: { command: "touch here" } })],
    });
    await ralph.run(["-p", "--yolo", "hello"]);
    expect(existsSync(join(ralph.workspace.project, "here"))).toBe(true);
  });

  test("with counts that cannot be counts costs nothing less for it", async () => {
    const usage = { ...NO_USAGE, input: -1_000_000, output: 5 };
    using ralph = await openFrontDoor({ answers: [textAnswer("ok", { usage })] });
    const { stdout } = await ralph.run(["-p", "--json", "hello"]);
    const result = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
    expect(result.usage).toMatchObject({ input_tokens: 0, output_tokens: 5 });
    expect(result.total_cost_usd).toBeGreaterThan(0);
  });

  test("with arguments nested beyond all measure still gives a result line", async () => {
    const deep = `{"a":${"[".repeat(60_000)}${"]".repeat(60_000)}}`;
    const part = { type: "tool-call" as const, id: "call_1", name: "bash", deltas: [deep] };
    const answer = { ...textAnswer(""), parts: [part], stopReason: "tool-use" as const };
    using ralph = await openFrontDoor({ answers: [answer] });
    const { code, stdout } = await ralph.run(["-p", "--json", "hello"]);
    expect([code, JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "").type]).toEqual([0, "result"]);
  });

  test("that is a web page is not an answer, and is not asked for again", async () => {
    const page = { type: "status", status: 200, headers: { "content-type": "text/html" }, body: "<html>" } as const;
    using ralph = await openFrontDoor({ answers: [failAnswer(page)] });
    const { code, stderr } = await ralph.run(["-p", "hello"]);
    expect([code, ralph.provider.requests.length]).toEqual([4, 1]);
    expect(stderr).toContain("answered with text/html, not with a model's answer");
  });
});

test("a search shows nothing of a file of secrets, under whatever name and with whatever engine", async () => {
  using ralph = await openFrontDoor();
  ralph.workspace.write("project/.env", "SECRET=abc");
  ralph.workspace.write("project/sub/.ssh/id_rsa", "SECRET=def");
  ralph.workspace.write("project/open.txt", "SECRET=open");
  linkSync(`${ralph.workspace.project}/.env`, `${ralph.workspace.project}/notes.txt`);
  const search = (pattern: string) => ({ name: "search_files", input: { pattern } });
  ralph.provider.answer(toolCallAnswer(search("SECRET"), search("(?=SECRET)SEC")), textAnswer("ok"));
  await ralph.run(["-p", "go", "--safe"]);
  const sent = JSON.stringify(ralph.provider.requests.at(-1)?.body);
  expect(sent.match(/SECRET=\w+/g)).toEqual(["SECRET=open", "SECRET=open"]);
});

describe("a file of secrets", () => {
  test("is not read for the model, neither by a tool with --yolo nor through the project's instructions", async () => {
    using ralph = await openFrontDoor({ answers: [toolCallAnswer({ name: "read_file", input: { path: ".env" } })] });
    ralph.workspace.write("project/.env", "TOKEN=very-secret-value\n");
    ralph.workspace.write("project/AGENTS.md", "Mind the rules in @.env\n");
    await ralph.run(["-p", "--yolo", "hello"]);
    const sent = JSON.stringify(ralph.provider.requests.map((request) => request.body));
    expect([ralph.provider.requests.length, sent.includes("very-secret-value")]).toEqual([2, false]);
    expect(sent).toContain("is protected: it may hold secrets");
  });
});

describe("an attachment", () => {
  test("that claims to be empty and never ends is refused at once", async () => {
    using ralph = await openFrontDoor();
    symlinkSync("/proc/self/pagemap", join(ralph.workspace.project, "p.png"));
    const { code, stderr } = await ralph.run(["-p", "see @p.png"]);
    expect([code, stderr]).toEqual([
      2,
      "ralph: @p.png cannot be attached: its content is not PNG, JPEG, GIF, WebP or PDF.\n",
    ]);
  });

  test("that is a text file is quoted behind the prompt, and a word behind @ is just a word", async () => {
    using ralph = await openFrontDoor();
    ralph.workspace.write("project/build.log", "error: no\n");
    await ralph.run(["-p", "explain @build.log to @somebody"]);
    const body = ralph.provider.requests[0]?.body as { messages: { content: { text: string }[] }[] };
    expect(body.messages[0]?.content[0]?.text).toBe(
      'explain @build.log to @somebody\n\n<file path="build.log">\nerror: no\n</file>',
    );
  });
});
