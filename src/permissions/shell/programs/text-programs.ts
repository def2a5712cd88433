import type { Concern } from "../command-analysis.ts";
import type { CommandReading, ValueKind } from "../option-reading.ts";

// Small languages inside arguments: sed scripts, awk programs, jq filters. Only forms that print are known; the rest asks.

export function sedConcerns(reading: CommandReading): Concern[] {
  const given = reading.options.filter(({ name }) => name === "-e" || name === "--expression");
  const scripts: { text: string; word: number }[] = given.map(({ value, word }) => ({ text: value?.text ?? "", word }));
  const [first] = reading.operands;
  if (given.length === 0 && first !== undefined) scripts.push({ text: first.word.text, word: first.index });
  return scripts
    .filter(({ text }) => !isPlainSed(text))
    .map(({ word }) => ({
      type: "runs-code",
      detail: "a sed script with more than print, delete and substitute",
      word,
    }));
}

/** With -i the files are written. */
export function sedOperands(reading: CommandReading): ValueKind[] | undefined {
  const inPlace = reading.options.some(({ name }) => name === "-i" || name === "--in-place");
  if (!inPlace) return undefined;
  const separate = reading.options.some(({ name }) => name === "-e" || name === "--expression");
  return separate ? ["write"] : ["text", "write"];
}

const SED_ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n\[]|\\[^\n]|\[\^?\]?[^\]/\n\\]*\])*/I?)`;
const SED_COMMAND = new RegExp(
  String.raw`^(?:${SED_ADDRESS}(?:\s*,\s*(?:${SED_ADDRESS}|[+~]\d+))?)?\s*!?\s*(?:[pdDPqQ=nNhHgGx]|y/(?:[^/\\\n])*/(?:[^/\\\n])*/)[ \t]*`,
);
const SED_SUBSTITUTE = new RegExp(
  String.raw`^(?:${SED_ADDRESS}(?:\s*,\s*(?:${SED_ADDRESS}|[+~]\d+))?)?\s*!?\s*s([/|#,:@%!])`,
);

/** Commands behind each other with `;` or a new line, each one known to do nothing but change what is printed. */
export function isPlainSed(script: string): boolean {
  let rest = script.trimStart();
  while (rest !== "") {
    const after = afterSedCommand(rest);
    if (after === undefined) return false;
    if (after !== "" && !/^[;\n]/.test(after)) return false;
    rest = after.replace(/^[;\s]+/, "");
  }
  return true;
}

function afterSedCommand(rest: string): string | undefined {
  const plain = SED_COMMAND.exec(rest);
  if (plain !== null) return rest.slice(plain[0].length);
  const substitute = SED_SUBSTITUTE.exec(rest);
  if (substitute === null) return undefined;
  const body = rest.slice(substitute[0].length);
  const end = endOfSubstitute(body, substitute[1] ?? "/");
  if (end === undefined) return undefined;
  const flags = /^[gpiIm0-9]*[ \t]*/.exec(body.slice(end))?.[0] ?? "";
  return body.slice(end + flags.length);
}

/** Behind the third delimiter. A bracket may hide a delimiter from some seds and not from others, so it may not hold one. */
function endOfSubstitute(body: string, delimiter: string): number | undefined {
  let seen = 0;
  for (let at = 0; at < body.length; at += 1) {
    const character = body[at];
    if (character === "\n") return undefined;
    if (character === "\\") at += 1;
    else if (character === "[" && seen === 0 && bracketHolds(body, at, delimiter)) return undefined;
    else if (character === delimiter) seen += 1;
    if (seen === 2) return at + 1;
  }
  return undefined;
}

function bracketHolds(body: string, at: number, delimiter: string): boolean {
  const close = body.indexOf("]", at + 2);
  return close < 0 || body.slice(at, close).includes(delimiter);
}

/** Output to a file or a command needs `print` before the sign; nothing else may be spelled that reads or runs. */
export function awkConcerns({ operands }: CommandReading): Concern[] {
  const [program] = operands;
  if (program === undefined) return [];
  const text = program.word.text;
  // Without a slash or a # there are no patterns and no comments, so a quote always starts a string.
  const bare = /[/#]/.test(text) ? text : text.replace(/"(?:[^"\\\n]|\\[^\n])*"/g, '""');
  const print = bare.indexOf("print");
  const output = print >= 0 && /[>|]/.test(bare.slice(print).replaceAll("||", ""));
  if (!output && !/system|getline|close|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|@|\\\n/.test(text)) return [];
  return [{ type: "runs-code", detail: "an awk program that may write, run or read elsewhere", word: program.index }];
}

export function jqConcerns({ operands }: CommandReading): Concern[] {
  const [filter] = operands;
  if (filter === undefined || !/env|\$ENV|\bimport\b|\binclude\b|\binput_line|\$__prog|\bload/.test(filter.word.text))
    return [];
  return [{ type: "runs-code", detail: "a jq filter that reads the environment or other files", word: filter.index }];
}
