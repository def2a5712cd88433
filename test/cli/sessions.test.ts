import { describe, expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { printable } from "../../src/cli/printable.ts";
import type { EntryDraft } from "../../src/sessions/session.ts";
import { newId, sessionDirectory, sessionFileName } from "../../src/sessions/session-name.ts";
import { type FrontDoor, openFrontDoor, outcomeOf } from "../support/front-door.ts";
import { answer, call, result, said, user } from "../support/session-samples.ts";
import { forkStored, sessionPlaces, startSession, storeSession } from "../support/stored-sessions.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PRICED: EntryDraft = { type: "message", message: answer("done"), cost: 0.42 };
const TALK: EntryDraft[] = [
  said(user("fix the parser")),
  said(answer("I look", call("c1"))),
  said(result("c1", "one\ntwo\nthree\nfour\nfive\nsix\nseven")),
  PRICED,
];

/** A time as the list writes it; children run in UTC. */
function minute(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace("T", " ");
}

function lines(text: string): string[] {
  return text.split("\n").slice(0, -1);
}

function jsonLines(text: string): Record<string, unknown>[] {
  return lines(text).map((line) => JSON.parse(line));
}

describe("ralph sessions", () => {
  test("lists those of this folder, newest first, with when, how much and what about", async () => {
    using ralph = await openFrontDoor();
    const now = Date.now();
    const old = await storeSession(ralph.workspace, TALK, { at: now - 40 * DAY });
    const drafts: EntryDraft[] = [said(user("hello")), { type: "name", name: "greeting" }];
    const recent = await storeSession(ralph.workspace, drafts, { at: now - 3 * HOUR });
    await storeSession(ralph.workspace, TALK, { cwd: "/elsewhere" });
    const expected = {
      code: 0,
      stdout: [
        `${recent.id.slice(0, 6)}  3 h ago   ${minute(now - 3 * HOUR)}  1 msg         greeting\n`,
        `${old.id.slice(0, 6)}  5 wk ago  ${minute(now - 40 * DAY)}  3 msg  $0.42  fix the parser\n`,
      ].join(""),
      stderr: "",
    };
    expect(outcomeOf(await ralph.run(["sessions"]))).toEqual(expected);
    expect(outcomeOf(await ralph.run(["sessions", "list"]))).toEqual(expected);
  });

  test.each([80, 40])("fits %d columns, also with the folder and wide characters", async (columns) => {
    using ralph = await openFrontDoor();
    await storeSession(ralph.workspace, [said(user("日本語の長い質問".repeat(20))), PRICED]);
    await storeSession(ralph.workspace, [said(user("x".repeat(300)))], { cwd: `/some/${"folder/".repeat(20)}end` });
    for (const args of [[], ["--all"]]) {
      const { stdout } = await ralph.run(["sessions", ...args], { environment: { COLUMNS: String(columns) } });
      expect(stdout).toContain("日本語");
      expect(lines(stdout).filter((line) => Bun.stringWidth(line) > columns)).toEqual([]);
      expect(stdout.includes("folder/end")).toBe(args.length > 0);
    }
  });

  test("gives programs one object per line", async () => {
    using ralph = await openFrontDoor();
    const at = Date.parse("2026-01-02T03:04:05.000Z");
    const { id, path } = await storeSession(ralph.workspace, TALK, { at });
    const { stdout } = await ralph.run(["sessions", "--json"]);
    expect(jsonLines(stdout)).toEqual([
      {
        id,
        path,
        cwd: ralph.workspace.project,
        at: expect.any(String),
        updatedAt: "2026-01-02T03:04:05.000Z",
        preview: "fix the parser",
        messageCount: 3,
        model: "acme/one",
        cost: 0.42,
      },
    ]);
  });

  test("says where there are none, and what to do", async () => {
    using ralph = await openFrontDoor();
    expect(outcomeOf(await ralph.run(["sessions"]))).toEqual({
      code: 0,
      stdout:
        'There are no sessions of this folder yet. Start one: ralph -p "PROMPT"\nThose of all folders: ralph sessions --all\n',
      stderr: "",
    });
    expect((await ralph.run(["sessions", "--all"])).stdout).toBe(
      'There are no sessions yet. Start one: ralph -p "PROMPT"\n',
    );
    expect(outcomeOf(await ralph.run(["sessions", "--json"]))).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("tells which files cannot be read and lists the others", async () => {
    using ralph = await openFrontDoor();
    const good = await storeSession(ralph.workspace, TALK);
    const folder = dirname(good.path);
    const garbage = join(folder, sessionFileName(newId(12), 0));
    writeFileSync(garbage, "garbage\nmore\n");
    const newer = join(folder, sessionFileName(newId(12), 1));
    writeFileSync(newer, '{"type":"session","version":99,"id":"a","at":"b","cwd":"c"}\n');
    for (let run = 0; run < 2; run++) {
      const { code, stdout, stderr } = await ralph.run(["sessions"]);
      expect([code, lines(stdout).length, lines(stderr).length]).toEqual([0, 1, 2]);
      expect(stderr).toContain(`${garbage} is not a session of Ralph.`);
      expect(stderr).toContain(`${newer} was written by a newer Ralph`);
    }
  });

  test("shows of a hostile session nothing that steers a terminal, and takes its id from the file's name", async () => {
    using ralph = await openFrontDoor();
    const text = "\x1b]0;owned\x07\x9b2J\u202eevil\rover";
    const { path, id } = await storeSession(ralph.workspace, [said(user(text)), { type: "name", name: text }]);
    const stored = readFileSync(path, "utf8");
    writeFileSync(path, stored.replace(`"id":"${id}"`, '"id":"\\u001b[2Jother"'));
    const seen = "␛]0;owned␇<U+009B>2J<U+202E>evil over";
    expect((await ralph.run(["sessions"])).stdout).toEndWith(`  ${seen}\n`);
    expect((await ralph.run(["sessions"])).stdout).toStartWith(`${id.slice(0, 6)}  now  `);
    const json = (await ralph.run(["sessions", "--json"])).stdout;
    expect(json).toBe(printable(json));
    expect(jsonLines(json)[0]).toMatchObject({ id, name: text });
    const { stdout } = await ralph.run(["sessions", "show", id]);
    expect(stdout).toContain("␛]0;owned␇<U+009B>2J<U+202E>evil␍over");
    expect(stdout).toBe(printable(stdout));
  });

  test("lists ten thousand, at first and again", async () => {
    using ralph = await openFrontDoor();
    const folder = sessionDirectory(sessionPlaces(ralph.workspace), ralph.workspace.project);
    mkdirSync(folder, { recursive: true });
    for (let number = 0; number < 10_000; number++)
      writeFileSync(join(folder, tinySession(number).name), tinySession(number).text);
    const first = await ralph.run(["sessions", "--json"]);
    const again = await ralph.run(["sessions", "--json"]);
    expect([lines(first.stdout).length, again.stdout === first.stdout]).toEqual([10_000, true]);
    const { stdout, code } = await ralph.run(["sessions"], { throughShell: '"$@" | head -n 1' });
    expect([code, lines(stdout).length]).toEqual([0, 1]);
  }, 30_000);

  test("refuses flags and words that mean nothing to what is asked", async () => {
    using ralph = await openFrontDoor();
    const messages = {
      "list --md": "ralph sessions list does not take --md.",
      "list x": 'ralph sessions list does not take "x".',
      "show a b": 'ralph sessions show does not take "b".',
      "rm a --json": "ralph sessions rm does not take --json.",
      "name a b --yes": "ralph sessions name does not take --yes.",
    };
    const runs = Object.keys(messages).map((line) => ralph.run(["sessions", ...line.split(" ")]));
    expect((await Promise.all(runs)).map(outcomeOf)).toEqual(
      Object.values(messages).map((message) => ({
        code: 2,
        stdout: "",
        stderr: `ralph: ${message} See: ralph help sessions\n`,
      })),
    );
  });
});

describe("ids", () => {
  test("that could lead out of the folder are refused by every verb", async () => {
    using ralph = await openFrontDoor();
    await storeSession(ralph.workspace, TALK);
    const named = ["..", ".", "../x", "a/b", "a\\b", "", "A"].map((bad) => ["show", bad]);
    const verbs = [
      ["rm", "..", "--yes"],
      ["export", "../x", "--md"],
      ["name", "..", "x"],
    ];
    const runs = await Promise.all([...named, ...verbs].map((args) => ralph.run(["sessions", ...args])));
    for (const { code, stdout, stderr } of runs) {
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain("is not the id of a session");
    }
  });

  test("may be a beginning; one that fits several names them, one that fits none says where to look", async () => {
    using ralph = await openFrontDoor();
    const { path, id } = await storeSession(ralph.workspace, TALK);
    expect((await ralph.run(["sessions", "show", id.slice(0, 5)])).stdout).toStartWith(`session      ${id}\n`);
    const twin = `${id.slice(0, 8)}zzzz`;
    writeFileSync(path.replace(id, twin), readFileSync(path));
    const { code, stderr } = await ralph.run(["sessions", "show", id.slice(0, 8)]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        new RegExp(`^ralph: 2 sessions begin with ${id.slice(0, 8)} \\(.*\\)\\. Give more of the id\\.\n$`),
      ),
    ]);
    expect(stderr).toContain(id);
    expect(stderr).toContain(twin);
    const short = lines((await ralph.run(["sessions"])).stdout).map((line) => line.split(" ")[0]);
    expect(short.toSorted()).toEqual([id.slice(0, 9), twin.slice(0, 9)].toSorted());
    expect(outcomeOf(await ralph.run(["sessions", "show", "0o0o"]))).toEqual({
      code: 2,
      stdout: "",
      stderr: "ralph: There is no session whose id begins with 0o0o. See: ralph sessions --all\n",
    });
  });
});

describe("ralph sessions show", () => {
  test("tells what the session is, then what was said", async () => {
    using ralph = await openFrontDoor();
    ralph.writeModels(`providers:
  acme:
    baseUrl: "${ralph.provider.origin}/v1"
    api: openai-completions
    auth: none
    models:
      - id: one
        cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, tiers: [{ above: 272000, input: 2, output: 3, cacheRead: 0, cacheWrite: 0 }] }
`);
    const long = {
      ...answer("long"),
      usage: { input: 280_000, output: 7, cacheRead: 1000, cacheWrite: 0, reasoning: 3 },
    };
    const drafts: EntryDraft[] = [
      ...TALK,
      said({ role: "user", content: [{ type: "image", mediaType: "image/png", data: "AAAA" }] }),
      { type: "message", message: long, cost: 1 },
      { type: "effort-changed", effort: "high" },
      { type: "mode-changed", mode: "plan" },
      { type: "name", name: "the parser" },
    ];
    const { id } = await storeSession(ralph.workspace, drafts);
    const { code, stdout, stderr } = await ralph.run(["sessions", "show", id]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "TIME")).toBe(`session      ${id}
name         the parser
folder       ${ralph.workspace.project}
began        TIME (now)
last entry   TIME (now)
model        acme/one
effort       high
mode         plan
messages     2 of people, 3 answers, 1 tool result
tokens       input 280,020, output 17 (3 of thinking), cache read 1,004, cache write 2
peak input   281,000 tokens in one request
cost         $1.42, without 1 answer of unknown price
dearer       a prompt of 281,000 tokens: acme/one costs more above 272,000

── user, TIME
fix the parser

── assistant, TIME, acme/one
I look
  → bash {"command":"ls"}

  ← bash
    one
    two
    three
    four
    five
    … 2 more lines

── assistant, TIME, acme/one
done

── user, TIME
[image/png, 3 bytes]

── assistant, TIME, acme/one
long
`);
  });

  test("shows one branch and names the others", async () => {
    using ralph = await openFrontDoor();
    const session = await startSession(ralph.workspace, [said(user("start")), said(answer("first way"))]);
    const [root, first] = session.entries.map((entry) => entry.id);
    session.branchFrom(root ?? null);
    const second = await session.append(said(answer("second way")));
    await session.close();
    const id = session.header.id;
    const last = second.ok ? second.entry.id : "";
    const { stdout } = await ralph.run(["sessions", "show", id]);
    expect(stdout).toContain(`branches     2; choose one with --entry: ${first}, ${last} (shown)\n`);
    expect([stdout.includes("first way"), stdout.includes("second way")]).toEqual([false, true]);
    const other = (await ralph.run(["sessions", "show", id, "--entry", first ?? ""])).stdout;
    expect([other.includes("first way"), other.includes("second way")]).toEqual([true, false]);
    expect(outcomeOf(await ralph.run(["sessions", "show", id, "--entry", "none"]))).toEqual({
      code: 2,
      stdout: "",
      stderr: `ralph: The session ${id} has no entry none. Its branches end in: ${first}, ${last}.\n`,
    });
  });

  test("gives programs the entries as they are", async () => {
    using ralph = await openFrontDoor();
    const long = "long text ".repeat(5000);
    const session = await startSession(ralph.workspace, [said(user(`${long}\x1b\x9b`))]);
    const { stdout } = await ralph.run(["sessions", "show", session.header.id, "--json"]);
    expect(jsonLines(stdout)).toEqual([session.header, ...session.entries]);
    await session.close();
  });

  test("reads what can be read of a damaged file, and says what cannot", async () => {
    using ralph = await openFrontDoor();
    const { id, path } = await storeSession(ralph.workspace, TALK);
    appendFileSync(
      path,
      `not json\n{"type":"mystery","id":"x","parentId":"lost","at":"y"}\n{"type":"message","id":"torn`,
    );
    const { code, stdout, stderr } = await ralph.run(["sessions", "show", id]);
    expect([code, stdout.includes("fix the parser")]).toEqual([0, true]);
    expect(lines(stderr)).toEqual([
      "ralph: Line 6 is damaged and was left out.",
      'ralph: Line 7 is no entry this Ralph can read (type "mystery").',
      "ralph: Line 8 was cut short and left out.",
    ]);
  });

  test("leaves out a line of many megabytes that is no entry, and long lines of tools are shortened", async () => {
    using ralph = await openFrontDoor();
    const { id, path } = await storeSession(ralph.workspace, [
      said(user("go")),
      said(answer("", call("c1"))),
      said(result("c1", "y".repeat(300_000))),
    ]);
    appendFileSync(path, `${"x".repeat(66 * 1024 * 1024)}\n`);
    const { code, stdout, stderr } = await ralph.run(["sessions", "show", id]);
    expect([code, stderr]).toEqual([0, "ralph: Line 5 is damaged and was left out.\n"]);
    expect(Math.max(...lines(stdout).map((line) => line.length))).toBeLessThan(250);
  });

  test("ends quietly when its reader goes away", async () => {
    using ralph = await openFrontDoor();
    const drafts = Array.from({ length: 400 }, (_, index) => said(user(`${index} ${"word ".repeat(400)}`)));
    const { id } = await storeSession(ralph.workspace, drafts);
    for (const args of [
      ["show", id],
      ["show", id, "--json"],
      ["export", id, "--md"],
    ]) {
      const run = await ralph.run(["sessions", ...args], { throughShell: '"$@" | head -c 100' });
      expect([run.code, run.stderr, run.stdout.length]).toEqual([0, "", 100]);
    }
  });
});

describe("ralph sessions search", () => {
  test("shows the words where they were said, and how to open the session", async () => {
    using ralph = await openFrontDoor();
    const { id } = await storeSession(ralph.workspace, TALK, { at: Date.now() - 2 * HOUR });
    await storeSession(ralph.workspace, [said(user("something about seven parsers"))], { cwd: "/elsewhere" });
    const short = id.slice(0, 6);
    expect(outcomeOf(await ralph.run(["sessions", "search", "SEVEN", "five"]))).toEqual({
      code: 0,
      stdout: `${short}  2 h ago  fix the parser\n  one two three four five six seven\n  ralph -r ${short}\n`,
      stderr: "",
    });
    expect(outcomeOf(await ralph.run(["sessions", "search", "seven five"]))).toEqual({
      code: 1,
      stdout: "It was said in no session of this folder. Search in all folders: --all\n",
      stderr: "",
    });
    const all = jsonLines((await ralph.run(["sessions", "search", "seven", "--all", "--json"])).stdout);
    expect(all.map(({ cwd, excerpt }) => [cwd, excerpt])).toEqual([
      ["/elsewhere", "something about seven parsers"],
      [ralph.workspace.project, "one two three four five six seven"],
    ]);
    expect((await ralph.run(["sessions", "search"])).code).toBe(2);
  });
});

describe("ralph sessions rm", () => {
  const long = (letter: string) => letter.repeat(20_000);

  function blobs(ralph: FrontDoor): string[] {
    return readdirSync(sessionPlaces(ralph.workspace).blobs).toSorted();
  }

  function age(ralph: FrontDoor): void {
    const yesterday = (Date.now() - 2 * DAY) / 1000;
    for (const name of blobs(ralph)) utimesSync(join(sessionPlaces(ralph.workspace).blobs, name), yesterday, yesterday);
  }

  test("removes what is named, with the blobs nobody needs any more", async () => {
    using ralph = await openFrontDoor();
    const { workspace } = ralph;
    const one = await storeSession(workspace, [said(user(long("a"))), said(user(long("b")))]);
    const two = await storeSession(workspace, [said(user(long("b")))], { cwd: "/elsewhere" });
    const three = await storeSession(workspace, TALK);
    age(ralph);
    expect(outcomeOf(await ralph.run(["sessions", "rm", one.id, three.id.slice(0, 7), "--yes"]))).toEqual({
      code: 0,
      stdout: `Removed the session ${one.id}.\nRemoved the session ${three.id}.\nRemoved 1 blob no session needs any more (20 KB).\n`,
      stderr: "",
    });
    expect([existsSync(one.path), existsSync(three.path), blobs(ralph).length]).toEqual([false, false, 1]);
    expect((await ralph.run(["sessions", "show", two.id])).stderr).toBe("");
  });

  test("keeps blobs that are young, named inside other blobs, named in damaged lines, or used again", async () => {
    using ralph = await openFrontDoor();
    const { workspace } = ralph;
    const doomed = await storeSession(
      workspace,
      ["a", "b", "c", "d", "e"].map((letter) => said(user(long(letter)))),
    );
    const hash = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");
    const places = sessionPlaces(workspace);
    const manifest = `${" ".repeat(20_000)}{"files":["${hash(long("a"))}"]}`;
    await storeSession(workspace, [said(user(manifest))]);
    const torn = await storeSession(workspace, TALK);
    appendFileSync(torn.path, `{"type":"message","blobs":[{"blob":"${hash(long("b"))}","by`);
    age(ralph);
    await storeSession(workspace, [said(user(long("c")))]);
    const now = new Date();
    utimesSync(join(places.blobs, hash(long("d"))), now, now);
    const { stdout } = await ralph.run(["sessions", "rm", doomed.id, "--yes"]);
    expect(stdout).toBe(
      `Removed the session ${doomed.id}.\nRemoved 1 blob no session needs any more (20 KB).\nKept for a day, for a later rm: 1 blob no session needs any more.\n`,
    );
    const kept = [manifest, long("a"), long("b"), long("c"), long("d")].map(hash);
    expect(blobs(ralph)).toEqual(kept.toSorted());
  });

  test("removes no blob while something in the folder of sessions cannot be read", async () => {
    using ralph = await openFrontDoor();
    const { workspace } = ralph;
    const one = await storeSession(workspace, [said(user(long("a")))]);
    age(ralph);
    const link = join(dirname(one.path), sessionFileName(newId(12), 0));
    Bun.spawnSync(["ln", "-s", "/nowhere/at/all", link]);
    expect(outcomeOf(await ralph.run(["sessions", "rm", one.id, "--yes"]))).toEqual({
      code: 0,
      stdout: `Removed the session ${one.id}.\n`,
      stderr: `ralph: No blobs were removed, because it is not known which are needed: ${link} could not be read: it does not exist.\n`,
    });
    expect(blobs(ralph).length).toBe(1);
  });

  test("refuses a session another process has open, and removes the others", async () => {
    using ralph = await openFrontDoor();
    const busy = await startSession(ralph.workspace, TALK);
    const idle = await storeSession(ralph.workspace, TALK);
    const { code, stdout, stderr } = await ralph.run(["sessions", "rm", busy.header.id, "0o0o", idle.id, "--yes"]);
    expect([code, stdout]).toEqual([1, `Removed the session ${idle.id}.\n`]);
    expect(stderr).toContain("There is no session whose id begins with 0o0o.");
    expect(stderr).toContain(`The session ${busy.header.id} is in use and was not removed: `);
    expect(stderr).toContain(`(process ${process.pid} on `);
    expect(existsSync(busy.path ?? "")).toBe(true);
    await busy.close();
  });

  test("twice at the same time removes it once, and nobody is told wrong things", async () => {
    using ralph = await openFrontDoor();
    const { id } = await storeSession(ralph.workspace, [said(user(long("a")))]);
    const kept = await storeSession(ralph.workspace, [said(user(long("b")))]);
    age(ralph);
    const runs = await Promise.all([0, 1, 2].map(() => ralph.run(["sessions", "rm", id, "--yes"])));
    const removed = runs.filter(({ stdout }) => stdout.includes(`Removed the session ${id}.`));
    expect([removed.length, runs.filter(({ code }) => code === 0).length]).toEqual([1, 1]);
    expect(blobs(ralph).length).toBe(1);
    expect((await ralph.run(["sessions", "show", kept.id])).stderr).toBe("");
  });

  test("needs --yes where nobody can be asked", async () => {
    using ralph = await openFrontDoor();
    const { id, path } = await storeSession(ralph.workspace, TALK);
    expect(outcomeOf(await ralph.run(["sessions", "rm", id]))).toEqual({
      code: 2,
      stdout: "",
      stderr: `ralph: Nobody can be asked here. Remove 1 session (${id}) with --yes.\n`,
    });
    expect(existsSync(path)).toBe(true);
  });

  test.each([
    ["y", 0, false],
    ["n", 1, true],
    ["", 1, true],
  ])("asks in a terminal: %p", async (typed, code, isKept) => {
    using ralph = await openFrontDoor();
    const { id, path } = await storeSession(ralph.workspace, TALK);
    await using terminal = ralph.inTerminal(["sessions", "rm", id]);
    await terminal.waitForOutput(`Remove 1 session (${id}) for good? [y/N] `);
    terminal.type(`${typed}\n`);
    const exit = await terminal.exited;
    expect([exit.code, existsSync(path)]).toEqual([code, isKept]);
  });
});

describe("ralph sessions export", () => {
  test("writes Markdown or JSON lines, byte for byte, to standard output or a file", async () => {
    using ralph = await openFrontDoor();
    const session = await startSession(ralph.workspace, [said(user("keep \x1b[1m and \u202e"))]);
    const { id } = session.header;
    const markdown = await ralph.run(["sessions", "export", id, "--md"]);
    expect(markdown.stdout).toEndWith("\n\n## User\n\nkeep \x1b[1m and \u202e\n");
    const { stdout } = await ralph.run(["sessions", "export", id, "--jsonl"]);
    expect(stdout).toBe([session.header, ...session.entries].map((line) => `${JSON.stringify(line)}\n`).join(""));
    await session.close();
    const target = join(ralph.workspace.project, "out.md");
    const first = await ralph.run(["sessions", "export", id, "--md", "-o", "out.md"]);
    expect(outcomeOf(first)).toEqual({
      code: 0,
      stdout: "",
      stderr: `ralph: The session ${id} is in ${target} (${Buffer.byteLength(markdown.stdout)} bytes).\n`,
    });
    expect([readFileSync(target, "utf8"), statSync(target).mode & 0o777]).toEqual([markdown.stdout, 0o600]);
  });

  test("does not write over a file without --yes", async () => {
    using ralph = await openFrontDoor();
    const { id } = await storeSession(ralph.workspace, TALK);
    const target = ralph.workspace.write("project/out.jsonl", "mine");
    const args = ["sessions", "export", id, "--jsonl", "--output", "out.jsonl"];
    expect(outcomeOf(await ralph.run(args))).toEqual({
      code: 1,
      stdout: "",
      stderr: `ralph: ${target} is there already. Write over it with --yes.\n`,
    });
    expect(readFileSync(target, "utf8")).toBe("mine");
    expect((await ralph.run([...args, "--yes"])).code).toBe(0);
    expect(jsonLines(readFileSync(target, "utf8")).length).toBe(5);
    const missing = await ralph.run(["sessions", "export", id, "--md", "-o", "no/where.md"]);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("no/where.md could not be created")]);
  });

  test("of a chosen entry has its branch only, and needs exactly one form", async () => {
    using ralph = await openFrontDoor();
    const session = await startSession(ralph.workspace, TALK);
    await session.close();
    const [first] = session.entries;
    const args = ["sessions", "export", session.header.id];
    const chosen = await ralph.run([...args, "--jsonl", "--entry", first?.id ?? ""]);
    expect(jsonLines(chosen.stdout).slice(1)).toEqual([JSON.parse(JSON.stringify(first))]);
    for (const flags of [[], ["--md", "--jsonl"]])
      expect(outcomeOf(await ralph.run([...args, ...flags]))).toEqual({
        code: 2,
        stdout: "",
        stderr: "ralph: Say in which form: ralph sessions export ID --html, --md, or --jsonl.\n",
      });
  });

  test("keeps control sequences from a terminal", async () => {
    using ralph = await openFrontDoor();
    const { id } = await storeSession(ralph.workspace, [said(user("a\x1b[2Jb"))]);
    await using terminal = ralph.inTerminal(["sessions", "export", id, "--md"]);
    const { screen } = await terminal.exited;
    expect([screen.includes("a[2Jb"), screen.includes("\x1b")]).toEqual([true, false]);
  });
});

describe("ralph sessions name", () => {
  test("names it, in one line, for every list from then on", async () => {
    using ralph = await openFrontDoor();
    const { id } = await storeSession(ralph.workspace, TALK);
    expect(outcomeOf(await ralph.run(["sessions", "name", id.slice(0, 6), "the  best", "one\x1b"]))).toEqual({
      code: 0,
      stdout: `The session ${id} is now called: the best one␛\n`,
      stderr: "",
    });
    expect((await ralph.run(["sessions"])).stdout).toContain("  the best one␛\n");
    for (const args of [[id], [id, "  "], [id, "x".repeat(201)], []])
      expect((await ralph.run(["sessions", "name", ...args])).code).toBe(2);
  });

  test("refuses a session that is open elsewhere", async () => {
    using ralph = await openFrontDoor();
    const session = await startSession(ralph.workspace, TALK);
    const { code, stderr } = await ralph.run(["sessions", "name", session.header.id, "x"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`is open in ralph (process ${process.pid} on `)]);
    await session.close();
  });
});

test("a fork keeps the blobs it shares from being removed", async () => {
  using ralph = await openFrontDoor();
  const source = await storeSession(ralph.workspace, [said(user("z".repeat(20_000)))]);
  const copy = await forkStored(ralph.workspace, source.path);
  const { blobs } = sessionPlaces(ralph.workspace);
  const old = (Date.now() - 2 * DAY) / 1000;
  for (const name of readdirSync(blobs)) utimesSync(join(blobs, name), old, old);
  await ralph.run(["sessions", "rm", source.id, "--yes"]);
  const { stdout, stderr } = await ralph.run(["sessions", "show", copy.id]);
  expect([stderr, stdout.includes("z".repeat(20_000)), stdout.includes(`forked from  ${source.id}`)]).toEqual([
    "",
    true,
    true,
  ]);
});

function tinySession(number: number): { name: string; text: string } {
  const id = `s${number.toString(36).padStart(11, "0")}`;
  const at = "2026-01-02T03:04:05.000Z";
  const header = { type: "session", version: 1, id, at, cwd: "/x" };
  const entry = { id: "e1", parentId: null, at, ...said(user(`question ${number}`)) };
  return { name: sessionFileName(id, Date.parse(at)), text: `${JSON.stringify(header)}\n${JSON.stringify(entry)}\n` };
}
