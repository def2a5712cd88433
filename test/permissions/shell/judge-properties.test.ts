// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are shell text
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { analyseCommand } from "../../../src/permissions/shell/analyse-command.ts";
import { HOME, judgeLine, WORKSPACE } from "../../support/judge-line.ts";

const DENIED = { tool: "shell", pattern: ["curl"], action: "deny" };
const ALLOWED = "ls cat echo git npm bash sh env timeout xargs find grep sudo-like time if eval watch"
  .split(" ")
  .map((word) => [word]);

/** Spellings of one word that bash reads as the same. */
const spelled = fc.constantFrom(
  "curl",
  "'curl'",
  '"curl"',
  "cu''rl",
  'c"ur"l',
  "\\curl",
  "c\\url",
  "$'curl'",
  "$'\\x63url'",
  "cur\\\nl",
  "/usr/bin/curl",
  "./curl",
  "{curl,x}",
);

/** Places a command can be put into. */
const NESTS: ((inner: string) => string)[] = [
  (inner) => `( ${inner} )`,
  (inner) => `{ ${inner}; }`,
  (inner) => `ls; ${inner}`,
  (inner) => `ls && ${inner}`,
  (inner) => `ls | { ${inner}; }`,
  (inner) => `${inner} &`,
  (inner) => `! ${inner}`,
  (inner) => `time ${inner}`,
  (inner) => `echo $( ${inner} )`,
  (inner) => `echo "$( ${inner} )"`,
  (inner) => `cat <( ${inner} )`,
  (inner) => `if ls; then ${inner}; fi`,
  (inner) => `for i in a b; do ${inner}; done`,
  (inner) => `while ls; do ${inner}; done`,
  (inner) => `case a in a) ${inner};; esac`,
  (inner) => `f() { ${inner}; }`,
  (inner) => `echo \${x:-$( ${inner} )}`,
  (inner) => `cat <<END\n$( ${inner} )\nEND`,
  (inner) => `ls\n${inner}\n`,
  (inner) => `ls # x\n${inner}`,
];
const WRAPS = [
  "",
  "env ",
  "timeout 5 ",
  "nice -n 1 ",
  "nohup ",
  "command ",
  "exec ",
  "CI=1 ",
  "env A=1 ",
  "xargs ",
  "xargs -n 1 ",
  "stdbuf -oL ",
  "watch ",
  "eval ",
];

const hidden = fc
  .tuple(fc.constantFrom(...WRAPS), spelled, fc.array(fc.constantFrom(...NESTS), { maxLength: 3 }))
  .map(([wrap, word, nests]) => nests.reduce((inner, nest) => nest(inner), `${wrap}${word} x`));

describe("judging a command", () => {
  test("a denied program is refused however it is spelled, wrapped and nested", () => {
    fc.assert(
      fc.property(hidden, (command) => {
        expect({
          command,
          decision: judgeLine({ command, allow_rules: [...ALLOWED, ["curl"], DENIED] }).decision,
        }).toEqual({ command, decision: "deny" });
      }),
      { numRuns: 600 },
    );
  });

  test("a program without a rule is never allowed, however it is nested", () => {
    fc.assert(
      fc.property(hidden, (command) => judgeLine({ command, allow_rules: ALLOWED }).decision !== "allow"),
      { numRuns: 600 },
    );
  });

  test("any text gets an answer", () => {
    const shellText = fc.string({
      unit: fc.constantFrom(..."aA01 \t\n'\"\\$`(){}[]<>|&;!#~*?=,:@%^+-./éx\u200b\u0000"),
      maxLength: 60,
    });
    fc.assert(
      fc.property(fc.oneof(shellText, fc.string({ unit: "binary", maxLength: 40 })), (command) => {
        const analysis = analyseCommand(command, { cwd: WORKSPACE, home: HOME });
        expect(analysis.text).toBe(command);
        expect(["allow", "ask", "deny"]).toContain(judgeLine({ command, allow_rules: [["a"], ["x"]] }).decision);
      }),
      { numRuns: 2_000 },
    );
  });

  test("more rules to deny never allow more", () => {
    fc.assert(
      fc.property(hidden, (command) => {
        const before = judgeLine({ command, allow_rules: ALLOWED }).decision;
        const after = judgeLine({ command, allow_rules: [...ALLOWED, DENIED] }).decision;
        expect(before === "allow" || after !== "allow").toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test("hostile text up to the cap is answered in bounded time", () => {
    const length = 16_000;
    const hostile = [
      "$(",
      "`",
      "((",
      "{ ",
      "${x:-",
      "$((1+",
      "cat <<A\nx\nA\n",
      "ls;",
      "|ls",
      "if ls;then ",
      "[[ a && ",
      "xargs ",
      "A=1 ",
      ">a ",
      "cd a&&",
      "'a'\"b\"",
      "\\\n",
      "{a,b}",
      "@(",
    ];
    const slow = hostile.map((piece) => {
      const command = `ls ${piece.repeat(Math.floor(length / piece.length))}`;
      const times = Array.from({ length: 3 }, () => {
        const start = performance.now();
        judgeLine({ command, allow_rules: [["ls"], DENIED] });
        return performance.now() - start;
      });
      return { piece, milliseconds: Math.min(...times) };
    });
    // Ten times the promised bound: this proves there is no blow-up; bench/ measures speed.
    expect(slow.filter(({ milliseconds }) => milliseconds > 500)).toEqual([]);
  });
});
