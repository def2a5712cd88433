import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { COMMANDS } from "../../src/cli/command-line.ts";
import { FLAGS } from "../../src/cli/flags.ts";
import { type Parsed, parseArguments } from "../../src/cli/parse-arguments.ts";

/** The command by name, so that whole values can be compared. */
function parsed(argv: string[]): unknown {
  const result = parseArguments(argv);
  if (!result.ok) return result.message;
  const { command, words, flags } = result.arguments;
  return { command: command?.name, words, flags: Object.fromEntries(flags) };
}

const flagWord = fc.constantFrom(...FLAGS.flatMap(({ name, short }) => [`--${name}`, ...(short ? [`-${short}`] : [])]));
const anyWord = fc.oneof(flagWord, fc.constantFrom("--", "-", ...COMMANDS.map(({ name }) => name)), fc.string());
const valued = FLAGS.filter(({ value, choices }) => value !== undefined && choices === undefined);

describe("arguments", () => {
  const cases: [string[], unknown][] = [
    [[], { command: undefined, words: [], flags: {} }],
    [["-p", "a", "b"], { command: undefined, words: ["a", "b"], flags: { print: true } }],
    [["models", "son"], { command: "models", words: ["son"], flags: {} }],
    [["-p", "models"], { command: undefined, words: ["models"], flags: { print: true } }],
    [["models", "--json"], { command: "models", words: [], flags: { json: true } }],
    [["-ph"], { command: undefined, words: [], flags: { print: true, help: true } }],
    [["-p", "-5", "-"], { command: undefined, words: ["-5", "-"], flags: { print: true } }],
    [["--list-models", "--json"], { command: undefined, words: [], flags: { "list-models": true, json: true } }],
    [["--list-models", "son"], { command: undefined, words: [], flags: { "list-models": "son" } }],
    [["-p", "--", "--json", "--"], { command: undefined, words: ["--json", "--"], flags: { print: true } }],
    [["--mode", "text", "--mode", "json"], { command: undefined, words: [], flags: { mode: "json" } }],
  ];
  test.each(cases)("%j are read as they are meant", (argv, expected) => {
    expect(parsed(argv)).toEqual(expected);
  });

  const refusals: [string[], string][] = [
    [["--modle", "x"], "Unknown flag --modle. Did you mean --model?"],
    [["--qqqqqqqqqqqqqqqq"], "Unknown flag --qqqqqqqqqqqqqqqq. See: ralph --help"],
    [["-x"], "Unknown flag -x. See: ralph --help"],
    [["--model"], "--model needs a value: --model MODEL."],
    [["--json=yes"], "--json takes no value."],
    [["--mode", "xml"], 'Unknown --mode "xml". Valid: text, json, stream-json, rpc, acp.'],
    [["modles"], 'Unknown command "modles". Did you mean "ralph models"? To ask a model: ralph -p "modles"'],
    [["doctor", "--model", "x"], "ralph doctor does not take --model. See: ralph help doctor"],
    [["config", "wyh"], 'Unknown argument of ralph config "wyh". Did you mean why?'],
    [["completion", "powershell"], 'Unknown argument of ralph completion "powershell". Valid: bash, zsh, fish.'],
  ];
  test.each(refusals)("%j are refused in one line with what to do", (argv, message) => {
    expect(parsed(argv)).toBe(message);
  });
});

describe("whatever the arguments", () => {
  test("reading them never throws, and a refusal is one line", () => {
    fc.assert(
      fc.property(fc.array(anyWord), (argv) => {
        const result: Parsed = parseArguments(argv);
        if (!result.ok) expect(result.message).not.toBe("");
      }),
    );
  });

  test("everything behind -- is a word as it stands", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(flagWord, fc.string())), (words) => {
        expect(parsed(["-p", "--", ...words])).toEqual({ command: undefined, words, flags: { print: true } });
      }),
    );
  });

  test("--flag=value is --flag value", () => {
    const value = fc.string().filter((text) => !text.startsWith("--"));
    fc.assert(
      fc.property(fc.constantFrom(...valued), value, (flag, text) => {
        // Behind a flag that can stand alone, what begins like a flag is one.
        fc.pre(flag.optionalValue !== true || text === "-" || !text.startsWith("-"));
        expect(parsed(["-p", `--${flag.name}=${text}`])).toEqual(parsed(["-p", `--${flag.name}`, text]));
      }),
      { examples: valued.map((flag) => [flag, "- "]) },
    );
  });
});
