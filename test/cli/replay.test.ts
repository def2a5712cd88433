import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { failAnswer, textAnswer, toolCallAnswer } from "../support/fake-answer.ts";
import { type FrontDoor, openFrontDoor } from "../support/front-door.ts";
import { ralphCommand } from "../support/run-ralph.ts";
import { sampleKey } from "../support/sample-keys.ts";

const FACES = [[], ["--json"], ["--mode", "json"], ["--mode", "stream-json"], ["--output-format", "json"]];
const LIMIT_MS = 60_000;

/** A run with parallel reads, a command that writes as it goes, and tools that change the agent itself. */
const work = () => [
  toolCallAnswer(
    { name: "read_file", input: { path: "a.txt" }, id: "read_a" },
    { name: "read_file", input: { path: "b.txt" }, id: "read_b" },
  ),
  toolCallAnswer({
    name: "shell",
    input: { command: "for i in 1 2 3; do echo line $i; done; date +%s%N >> made.txt" },
    id: "shell_1",
  }),
  toolCallAnswer(
    { name: "TodoWrite", input: { todos: [{ content: "look again" }] }, id: "todo_1" },
    { name: "search_tools", input: { query: "copy a file" }, id: "search_1" },
  ),
  textAnswer("All of it is done."),
];

async function openProject(): Promise<FrontDoor> {
  const door = await openFrontDoor();
  const { workspace } = door;
  workspace.write("project/AGENTS.md", "Be brief.\n");
  workspace.write("project/a.txt", "one\ntwo\n");
  workspace.write("project/b.txt", "bee\n");
  execFileSync("git", ["init", "--quiet"], { cwd: workspace.project, env: { ...workspace.environment } });
  return door;
}

async function record(door: FrontDoor, file: string, flags: string[] = []) {
  door.provider.answer(...work());
  return door.run(["-p", "look", "--yolo", "--record", file, ...flags]);
}

const entriesOf = (door: FrontDoor, file: string) =>
  readFileSync(join(door.workspace.project, file), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("a recorded run", () => {
  let door: FrontDoor;
  beforeAll(async () => {
    door = await openProject();
    await record(door, "run.jsonl");
  }, LIMIT_MS);
  afterAll(() => door[Symbol.dispose]());

  for (const [index, flags] of FACES.entries()) {
    test(
      `with ${flags.join(" ") || "text"} is played again byte for byte, twice, without network, tools or files`,
      async () => {
        const file = `face-${index}.jsonl`;
        const original = await record(door, file, flags);
        const asked = door.provider.requests.length;
        const made = door.workspace.read("project/made.txt");
        const files = door.workspace.find("ralph-home/data/**");
        const once = await door.run(["replay", file]);
        const twice = await door.run(["replay", file]);
        expect([original.code, once.code, twice.code]).toEqual([0, 0, 0]);
        expect([once.stdout, twice.stdout]).toEqual([original.stdout, original.stdout]);
        expect([once.stderr, twice.stderr]).toEqual([original.stderr, original.stderr]);
        expect(door.provider.requests.length).toBe(asked);
        expect(door.workspace.read("project/made.txt")).toBe(made);
        expect(door.workspace.find("ralph-home/data/**")).toEqual(files);
      },
      LIMIT_MS,
    );
  }

  test("is readable by its owner only and holds neither the key nor a value of the environment", () => {
    const path = join(door.workspace.project, "run.jsonl");
    const text = readFileSync(path, "utf8");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(text).not.toContain("sk-ant-fake");
    expect(text).not.toContain(door.workspace.home);
  });

  test(
    "does not write over a file that is there",
    async () => {
      const { code, stderr } = await record(door, "run.jsonl");
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: "ralph: --record: run.jsonl exists already. Name a new file, or remove that one.\n",
      });
    },
    LIMIT_MS,
  );

  test(
    "is checked in one line, and stopped after a turn",
    async () => {
      const checked = await door.run(["replay", "run.jsonl", "--check"]);
      const stopped = await door.run(["replay", "run.jsonl", "--until", "2"]);
      expect([checked.code, checked.stdout, checked.stderr]).toEqual([0, "same: the whole run, byte for byte.\n", ""]);
      expect([stopped.code, stopped.stdout, stopped.stderr]).toEqual([
        0,
        "",
        "ralph: Stopped after turn 2, as asked.\n",
      ]);
    },
    LIMIT_MS,
  );

  test(
    "becomes a test with one command, which fails when a file of instructions changes",
    async () => {
      const saved = await door.run(["replay", "run.jsonl", "--save-test", "kept"]);
      expect([saved.code, saved.stdout]).toEqual([0, "kept/check.sh says whether Ralph still does the same.\n"]);
      expect(door.workspace.read("project/kept/expected-output.txt")).toBe("All of it is done.\n");
      expect(statSync(join(door.workspace.project, "kept/check.sh")).mode & 0o111).not.toBe(0);
      const script = Bun.spawnSync(["sh", join(door.workspace.project, "kept/check.sh")], {
        cwd: "/",
        env: { ...door.workspace.environment, RALPH: ralphCommand().join(" ") },
      });
      expect([script.exitCode, String(script.stdout)]).toEqual([0, "same: the whole run, byte for byte.\n"]);
      door.workspace.write("project/AGENTS.md", "Be brief.\nBe kind.\n");
      const changed = await door.run(["replay", "kept/recording.jsonl"]);
      const checked = await door.run(["replay", "kept/recording.jsonl", "--check"]);
      door.workspace.write("project/AGENTS.md", "Be brief.\n");
      expect([changed.code, changed.stdout, changed.stderr]).toEqual([
        1,
        "",
        expect.stringMatching(
          /^ralph: Diverged in turn 1 \(line \d+ of the recording\): request 1 differs in the system prompt\.\nralph: {3}\+ Be kind\.\n$/,
        ),
      ]);
      expect([checked.code, checked.stdout, checked.stderr]).toEqual([
        1,
        "",
        expect.stringMatching(/^ralph: differs: Diverged in turn 1 .* request 1 differs in the system prompt\.\n$/),
      ]);
    },
    LIMIT_MS,
  );

  test(
    "can be played in another folder",
    async () => {
      const other = door.workspace.write("elsewhere/AGENTS.md", "Be brief.\n").replace("/AGENTS.md", "");
      execFileSync("git", ["init", "--quiet"], { cwd: other, env: { ...door.workspace.environment } });
      const { code, stderr } = await door.run(["replay", "../project/run.jsonl", "--check"], { cwd: other });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    },
    LIMIT_MS,
  );
});

describe("a recording that was changed", () => {
  let door: FrontDoor;
  let lines: string[];
  beforeAll(async () => {
    door = await openProject();
    await record(door, "run.jsonl");
    lines = readFileSync(join(door.workspace.project, "run.jsonl"), "utf8").trimEnd().split("\n");
  }, LIMIT_MS);
  afterAll(() => door[Symbol.dispose]());

  const replayed = async (text: string, ...flags: string[]) => {
    writeFileSync(join(door.workspace.project, "changed.jsonl"), text);
    const { code, stdout, stderr } = await door.run(["replay", "changed.jsonl", ...flags]);
    return { code, stdout, stderr };
  };

  test(
    "so that a call differs says which, with what was recorded and what came",
    async () => {
      const text = lines.map((line) => (line.includes('"type":"call"') ? line.replace("b.txt", "c.txt") : line));
      expect(await replayed(text.join("\n").concat("\n"))).toEqual({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(
          /another call of read_file came\.\nralph: {3}- .*c\.txt.*\nralph: {3}\+ .*b\.txt.*\n$/,
        ),
      });
    },
    LIMIT_MS,
  );

  test(
    "so that other words were printed says so",
    async () => {
      const text = lines.map((line) => (line.includes('"type":"wrote"') ? line.replace("is done", "was done") : line));
      expect(await replayed(text.join("\n").concat("\n"))).toEqual({
        code: 1,
        stdout: "All of it is done.",
        stderr: expect.stringMatching(
          /other words went to standard output\.\nralph: {3}- All of it was done\.\nralph: {3}\+ All of it is done\.\n$/,
        ),
      });
    },
    LIMIT_MS,
  );

  test(
    "by cutting it replays up to there and says so, also in the middle of a line",
    async () => {
      const text = lines.slice(0, Math.floor(lines.length / 2)).join("\n");
      expect(await replayed(text.slice(0, -3), "--check")).toEqual({
        code: 0,
        stdout: expect.stringMatching(/^same: The recording ends in turn \d: the run was killed/),
        stderr: "",
      });
    },
    LIMIT_MS,
  );

  for (const [what, change, message] of [
    ["by a damaged line", () => [...lines.slice(0, 5), '{"type":"mo', ...lines.slice(5)], /line 6 is damaged/],
    [
      "by a line nobody knows",
      () => [...lines.slice(0, 5), '{"ms":1,"type":"run","command":"x"}', ...lines.slice(5)],
      /line 6 is damaged/,
    ],
    [
      "by another version",
      () => [lines[0]?.replace('"version":1', '"version":9') ?? "", ...lines.slice(1)],
      /recording of version 9/,
    ],
    ["into something else", () => ["hello", "world"], /does not begin like a recording/],
    ["to nothing", () => [], /does not begin like a recording/],
  ] as const) {
    test(
      `${what} is refused`,
      async () => {
        expect(await replayed(change().join("\n").concat("\n"))).toEqual({
          code: 2,
          stdout: "",
          stderr: expect.stringMatching(message),
        });
      },
      LIMIT_MS,
    );
  }
});

describe("a run that does not end well", () => {
  test(
    "because the provider refuses it is played again with the same words",
    async () => {
      using door = await openProject();
      door.provider.answer(failAnswer({ type: "status", status: 400 }));
      const original = await door.run(["-p", "look", "--json", "--record", "run.jsonl"]);
      const again = await door.run(["replay", "run.jsonl"]);
      expect([original.code, again.code, again.stdout]).toEqual([4, 0, original.stdout]);
    },
    LIMIT_MS,
  );

  test(
    "because a tool is denied is played again with the same words",
    async () => {
      using door = await openProject();
      door.provider.answer(
        toolCallAnswer({ name: "shell", input: { command: "curl http://127.0.0.1:9" } }),
        textAnswer("I may not."),
      );
      const original = await door.run(["-p", "look", "--mode", "json", "--record", "run.jsonl"]);
      const again = await door.run(["replay", "run.jsonl"]);
      expect([original.code, again.code, again.stdout]).toEqual([0, 0, original.stdout]);
    },
    LIMIT_MS,
  );

  test(
    "because it is killed leaves a recording that replays up to there",
    async () => {
      using door = await openProject();
      const never = new Promise(() => {});
      door.provider.answer(
        toolCallAnswer({ name: "read_file", input: { path: "a.txt" } }),
        textAnswer("It has two lines and more", { fault: { type: "hold", afterEvents: 5, until: never } }),
      );
      await using ralph = door.start(["-p", "look", "--record", "run.jsonl"]);
      ralph.closeInput();
      await ralph.waitForOutput("has ");
      ralph.kill("SIGKILL");
      const { stdout } = await ralph.exited;
      const again = await door.run(["replay", "run.jsonl"]);
      expect([again.code, again.stdout, again.stderr]).toEqual([
        0,
        stdout,
        expect.stringMatching(/^ralph: The recording ends in turn 2: the run was killed/),
      ]);
    },
    LIMIT_MS,
  );

  test(
    "because a person stops it is played again with the same words",
    async () => {
      using door = await openProject();
      const never = new Promise(() => {});
      door.provider.answer(textAnswer("One two three", { fault: { type: "hold", afterEvents: 4, until: never } }));
      await using ralph = door.start(["-p", "look", "--mode", "json", "--record", "run.jsonl"]);
      ralph.closeInput();
      await ralph.waitForOutput("One ");
      ralph.kill("SIGINT");
      const original = await ralph.exited;
      const again = await door.run(["replay", "run.jsonl"]);
      expect([original.code, again.code, again.stdout, again.stderr]).toEqual([130, 0, original.stdout, ""]);
    },
    LIMIT_MS,
  );
});

test(
  "a recording of a run that hides secrets has none, and replays where they are known",
  async () => {
    using door = await openProject();
    const key = sampleKey("Stripe key", 3);
    const environment = { PAYMENT_API_KEY: key };
    door.writeConfig("secrets: {enabled: true}\n");
    door.workspace.write("project/a.txt", `the key is ${key}\n`);
    door.provider.answer(toolCallAnswer({ name: "read_file", input: { path: "a.txt" } }), (request) =>
      textAnswer(`I saw ${/key is (\S+?)(?:\\n|")/.exec(JSON.stringify(request.body))?.[1]} there.`),
    );
    const original = await door.run(["-p", "look", "--record", "run.jsonl"], { environment });
    const again = await door.run(["replay", "run.jsonl"], { environment });
    expect([original.stdout, again.code, again.stdout]).toEqual([`I saw ${key} there.\n`, 0, original.stdout]);
    expect(door.workspace.read("project/run.jsonl")).not.toContain(key);
  },
  LIMIT_MS,
);

describe("a fork", () => {
  test(
    "goes on after a turn as a new session, with the real model, tools and another prompt",
    async () => {
      using door = await openProject();
      await record(door, "run.jsonl");
      const asked = door.provider.requests.length;
      door.provider.answer(
        toolCallAnswer({ name: "shell", input: { command: "echo forked > forked.txt" } }),
        textAnswer("Another way."),
      );
      const flags = ["--fork", "--until", "1", "--prompt", "do it otherwise", "--yolo"];
      const fork = await door.run(["replay", "run.jsonl", ...flags]);
      expect([fork.code, fork.stdout, fork.stderr]).toEqual([0, "Another way.\n", ""]);
      expect(door.workspace.read("project/forked.txt")).toBe("forked\n");
      const body = JSON.stringify(door.provider.requests[asked]?.body);
      expect(["look", "read_a", "read_b", "do it otherwise"].filter((word) => !body.includes(word))).toEqual([]);
      expect(body).not.toContain("shell_1");
    },
    LIMIT_MS,
  );

  test(
    "is allowed nothing by the recording, and says what it leaves out",
    async () => {
      using door = await openProject();
      await record(door, "run.jsonl", ["--allow", "Bash(*)", "--sandbox", "off"]);
      door.provider.answer(
        toolCallAnswer({ name: "shell", input: { command: "echo forked > forked.txt" } }),
        textAnswer("Not done."),
      );
      const fork = await door.run(["replay", "run.jsonl", "--fork", "--prompt", "do it otherwise"]);
      expect([fork.code, fork.stdout]).toEqual([0, "Not done.\n"]);
      expect(existsSync(join(door.workspace.project, "forked.txt"))).toBe(false);
      expect(fork.stderr.split("\n")[0]).toBe(
        "ralph: The recorded run had --yolo, --allow, --sandbox. A recording allows a live run nothing: give it again where you mean it.",
      );
    },
    LIMIT_MS,
  );

  test(
    "begins anew with another model where no turn is named",
    async () => {
      using door = await openProject();
      await record(door, "run.jsonl");
      const script = door.workspace.write("other.yml", "version: 1\nturns:\n  - steps: [{ text: The other model. }]\n");
      const fork = await door.run(["replay", "run.jsonl", "--fork", "--model", `scripted/${script}`]);
      expect([fork.code, fork.stdout]).toEqual([0, "The other model.\n"]);
    },
    LIMIT_MS,
  );
});

describe("flags that do not belong together", () => {
  for (const [args, message] of [
    [["replay"], "Name one recording: ralph replay FILE"],
    [["replay", "x", "--prompt", "y"], "--prompt only means something together with --fork."],
    [["replay", "x", "--yolo"], "--yolo only means something together with --fork."],
    [
      ["replay", "x", "--fork", "--yolo"],
      "Say what is to be different: --fork --prompt TEXT, or --fork --model MODEL.",
    ],
    [["replay", "x", "--fork"], "Say what is to be different: --fork --prompt TEXT, or --fork --model MODEL."],
    [["replay", "x", "--until", "0"], '--until needs the number of a turn, not "0".'],
    [["-p", "x", "--record", "f", "-c"], "--record begins with a new session: leave out -c, -r and --fork."],
  ] as const) {
    test(
      `${args.join(" ")} is refused`,
      async () => {
        using door = await openFrontDoor();
        const { code, stderr } = await door.run([...args]);
        expect({ code, stderr }).toEqual({ code: 2, stderr: `ralph: ${message}\n` });
        expect(existsSync(join(door.workspace.project, "f"))).toBe(false);
      },
      LIMIT_MS,
    );
  }
});

test(
  "a recording has every kind of line a run needs",
  async () => {
    using door = await openProject();
    await record(door, "run.jsonl");
    const kinds = new Set(entriesOf(door, "run.jsonl").map(({ type }) => String(type)));
    expect([...kinds].sort()).toEqual(
      "answered call clock end event model output recording request stored told update verdict wrote".split(" "),
    );
  },
  LIMIT_MS,
);
