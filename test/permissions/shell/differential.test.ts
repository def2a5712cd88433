// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are shell text
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { analyseCommand } from "../../../src/permissions/shell/analyse-command.ts";
import { judgeCommand } from "../../../src/permissions/shell/judge-command.ts";
import type { CommandRule } from "../../../src/permissions/shell/rules.ts";

// What we allow is run by the real bash in a scratch folder where every program is a stub that writes down how it was called.
// RALPH_FUZZ_CASES=100000 makes a long run of it.

const CASES = Number(process.env.RALPH_FUZZ_CASES ?? 2_500);
const RUN_AT_MOST = Number(process.env.RALPH_FUZZ_CASES ?? 220);
const PROGRAMS = ["alpha", "beta", "gamma", "echo-like"];
const WRAPPERS = ["timeout", "env", "nice", "nohup", "xargs"];
const RULES: CommandRule[] = [
  { words: ["alpha"], action: "allow" },
  { words: ["beta", "x"], action: "allow" },
  { words: ["echo"], action: "allow" },
];

let root = "";
let work = "";
let runs = 0;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "shell-differential-"));
  work = join(root, "work");
  const programs = join(root, "bin");
  mkdirSync(join(work, "sub"), { recursive: true });
  mkdirSync(programs);
  for (const file of ["one.ts", "two.ts", "-dash.ts", "sub/three.ts"]) writeFileSync(join(work, file), "");
  for (const name of PROGRAMS) {
    // A file per process: pipelines run several at once.
    writeFileSync(join(programs, name), `#!/bin/sh\nprintf '%s\\037' "\${0##*/}" "$@" > "$CALLS/$$"\n`);
    chmodSync(join(programs, name), 0o755);
  }
  for (const name of WRAPPERS)
    if (existsSync(`/usr/bin/${name}`)) symlinkSync(`/usr/bin/${name}`, join(programs, name));
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

const SOUP =
  `alpha|beta x|gamma|echo| |  |\t|\n|;| && | \\|\\| | \\| |&|(|)|{ |; }|'|"|\\|$|$(|\`|a|b c|-x|--y=z|#|! |if |; then |; fi|for i in |; do |; done|$i|\${i}|"$i"|{a,b}|*|*.ts|sub/*.ts|?|[o]*|~|=|CI=1 |<|>|2>&1|>/dev/null|<<<|\\\n|$'|\\x61|[[ | ]]|time |timeout 5 |env |xargs |command |builtin |exec |cd sub && |cd sub; |[ -f one.ts ]|true|$((1+1))|$?|"$HOME"|$PWD|''|""|'a b'|"c d"|e\\ f|<(|@(|!(|\\;|\\&|%|^|,|:|+|é`
    .split(/(?<!\\)\|/)
    .map((token) => token.replaceAll("\\|", "|"));

const soup = fc
  .array(fc.constantFrom(...SOUP), { minLength: 1, maxLength: 9 })
  .map((tokens) => `alpha ${tokens.join("")}`);

const word = fc.oneof(
  fc.constantFrom(
    "a",
    "-x",
    "--y=z",
    "one.ts",
    "sub/three.ts",
    "'a b'",
    '"c d"',
    "e\\ f",
    "''",
    '""',
    "{a,b}",
    "\\;",
    "'$(gamma)'",
    '"\\$(gamma)"',
    "'`gamma`'",
    "a#b",
    "%",
    "$'t\\tb'",
    "$'\\x41'",
    "a'b'\"c\"",
    "\\\\",
    "'\\'",
    '"a\\"b"',
    "=",
    "k=v",
    "~x",
    "a~",
    "^",
    "HEAD~1",
    "@{u}",
    "!",
    '"!"',
    "[",
    "]",
    "}",
    "'*'",
    "sub/*.ts",
  ),
  fc.string({
    unit: fc.constantFrom("a", "'", '"', "\\", " ", "$", "{", "}", ",", "*", "~", "`", "(", ")", ";", "#"),
    maxLength: 5,
  }),
);
const simple = fc.tuple(
  fc.constantFrom(
    "",
    "CI=1 ",
    "timeout 5 ",
    "env ",
    "env CI=1 ",
    "nice -n 3 ",
    "nohup ",
    "command ",
    "time ",
    "! ",
    "exec ",
  ),
  fc.constantFrom("alpha", "alpha", "alpha", '"alpha"', "al''pha", "\\alpha", "beta x", "gamma", "echo"),
  fc.array(word, { maxLength: 3 }),
  fc.constantFrom("", "", " 2>&1", " >/dev/null", " # gamma", " </dev/null", " 2>/dev/null"),
);
const command = simple.map(([before, program, words, after]) => `${before}${[program, ...words].join(" ")}${after}`);
const structured = fc
  .tuple(
    command,
    fc.constantFrom(" && ", " || ", "; ", " | ", " & ", "\n", " |\n", " \\\n && ", "\n#x\\\n", ";\n"),
    command,
    fc.nat(9),
  )
  .map(([left, joint, right, shape]) => shaped(`${left}${joint}${right}`, shape));

function shaped(line: string, shape: number): string {
  const shapes = [
    `(${line}\n)`,
    `{ ${line}\n}`,
    `if ${line}\nthen beta x\nfi`,
    `for i in a 'b c' d; do alpha "$i"; ${line}\ndone`,
    `cd sub && ${line}`,
    `while false; do ${line}\ndone`,
  ];
  return shapes[shape] ?? line;
}

interface Allowed {
  text: string;
  known: Set<string>;
  names: Set<string>;
}

function allowed(text: string): Allowed | undefined {
  const analysis = analyseCommand(text, { cwd: work, home: join(root, "home") });
  const { decision } = judgeCommand(analysis, RULES, {
    home: join(root, "home"),
    classifyPath: (path) =>
      path === work || path.startsWith(`${work}/`) || path.startsWith(join(root, "home")) ? "inside" : "external",
  });
  if (decision !== "allow") return undefined;
  const words = analysis.segments.map((segment) => segment.words);
  return {
    text,
    known: new Set(words.map((list) => list.join("\x1f"))),
    names: new Set(words.map(([name]) => name ?? "")),
  };
}

async function calls(text: string): Promise<string[][]> {
  runs += 1;
  const log = join(root, `calls-${runs}`);
  mkdirSync(log);
  const child = Bun.spawn(["/bin/bash", "--norc", "--noprofile", "-c", text], {
    cwd: work,
    env: { PATH: join(root, "bin"), HOME: join(root, "home"), LC_ALL: "C.UTF-8", CALLS: log },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: 5_000,
  });
  // Children in the background hold the pipes open, so their calls are in the file as well.
  await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  const lines = readdirSync(log).map((file) => readFileSync(join(log, file), "utf8"));
  rmSync(log, { recursive: true });
  return lines.map((line) => line.split("\x1f").slice(0, -1));
}

describe("bash and the analysis agree", () => {
  test.skipIf(!existsSync("/bin/bash"))(
    "an allowed command starts only the programs it was said to start, with exactly those words",
    async () => {
      const texts = fc.sample(fc.oneof(soup, structured, command), { numRuns: CASES, seed: 20_261 });
      const cases = texts.flatMap((text) => allowed(text) ?? []).slice(0, RUN_AT_MOST);
      const surprises: unknown[] = [];
      for (const { text, known, names } of cases) {
        for (const call of await calls(text)) {
          const patterned = /[*?[]|\$\(\(|\$[?$#!]/.test(text);
          const expected = patterned ? names.has(call[0] ?? "") : known.has(call.join("\x1f"));
          if (!expected || call[0] === "gamma") surprises.push({ text, call, known: [...known] });
        }
      }
      expect(surprises).toEqual([]);
      expect(cases.length).toBeGreaterThan(Math.min(100, CASES / 20));
    },
    Math.max(30_000, CASES * 20),
  );
});
