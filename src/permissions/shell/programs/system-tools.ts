import type { Concern } from "../command-analysis.ts";
import type { CommandReading, ValueKind } from "../option-reading.ts";
import { type ProgramTable, rows } from "../program-table.ts";

// Builtins that change nothing, and programs that tell something about the machine.

const HELP = "--help --version";

function reads(options: string, more: Partial<ProgramTable> = {}): ProgramTable {
  return { effect: "read", options: `${HELP} ${options}`, ...more };
}

const SHELL_STATE = `alias unalias hash enable source . eval exec trap shopt export declare typeset local readonly unset read mapfile readarray
  let getopts bind complete compgen compopt fc history pushd popd dirs umask ulimit disown suspend logout fg bg set coproc function select
  builtin command return caller`;

/** They change what later words mean, or run their arguments again; no rule makes that checkable. */
const STATE: ProgramTable = {
  effect: "code",
  options: "",
  lenient: true,
  operands: ["text"],
  check: ({ words }) => [
    { type: "shell-state", detail: `${words[0]?.text} changes what later commands mean, or runs its arguments` },
  ],
};

export const SYSTEM_TOOLS: Readonly<Record<string, ProgramTable>> = {
  ...rows(SHELL_STATE.replace(/\s+/g, " "), STATE),
  set: { ...STATE, neutral: true, check: setConcerns },
  command: { ...STATE, neutral: true, check: lookupConcerns },
  ...rows("true false :", reads("", { operands: ["text"], neutral: true, inert: true, lenient: true })),
  ...rows(
    "exit break continue return",
    reads("", { operands: ["text"], neutral: true, inert: true, check: numberConcerns }),
  ),
  wait: reads("", { operands: ["danger"], neutral: true }),
  ...rows("test [", {
    effect: "read",
    options: "",
    lenient: true,
    operands: ["text"],
    inert: true,
    neutral: true,
    check: testConcerns,
    operandKinds: testOperands,
  }),
  cd: { effect: "read", options: "-P -L -e", operands: ["enter"], neutral: true },
  echo: { effect: "read", options: "-n -e -E", lenient: true, operands: ["text"], inert: true },
  printf: { effect: "read", options: "-v=danger", operands: ["text"], inert: true, strictOrder: true },
  ...rows(
    "pwd whoami groups logname tty arch nproc uptime users",
    reads("-P -L -a -p -s --all --ignore= --pretty --since", { operands: ["text"] }),
  ),
  ...rows(
    "which type whereis",
    reads("-a -f -p -P -s -t -b -m --all --skip-alias", { operands: ["text"], careless: true }),
  ),
  id: reads("-a -g -G -n -p -P -r -u -z --group --groups --name --real --user --zero", { operands: ["text"] }),
  uname: reads(
    "-a -i -m -n -o -p -r -s -v --all --machine --nodename --operating-system --kernel-name --kernel-release --kernel-version --processor",
    {
      operands: ["danger"],
    },
  ),
  date: reads(
    "-d= -I=? -R -r=read -u -j -v= --date= --iso-8601=? --rfc-3339= --rfc-email --reference=read --utc --universal",
    {
      operands: ["text"],
      check: dateConcerns,
    },
  ),
  cal: reads("-1 -3 -m -y -j -s", { operands: ["text"] }),
  hostname: reads("-a -A -d -f -i -I -s -y --fqdn --long --short --ip-address --all-ip-addresses", {
    operands: ["danger"],
  }),
  ps: reads("", { lenient: true, operands: ["text"], check: processConcerns }),
  ...rows(
    "pgrep pidof",
    reads(
      "-a -c -f -i -l -n -o -P= -s= -u= -U= -x -d= -t= --list-name --list-full --full --exact --newest --oldest --count",
      { operands: ["text"] },
    ),
  ),
  env: reads("-0 --null", { operands: ["danger"] }),
  printenv: reads("-0 --null", { operands: ["text"] }),
  sleep: reads("", { operands: ["text"] }),
  ...rows(
    "free lscpu lsblk vmstat",
    reads("-a -b -f -g -h -k -m -t -J -S -p --human --json --bytes --mega --giga --total", { operands: ["text"] }),
  ),
  jobs: reads("-l -n -p -r -s", { operands: ["text"] }),
  times: reads("", { operands: ["danger"] }),
  lsof: reads("-a -b -i=? -n -P -p= -t -u= -c= -l -U -s=? -w +D= -d= -F=?", {}),
  ...rows(
    "ss netstat",
    reads("-a -e -i -l -m -n -o -p -r -s -t -u -w -x -4 -6 --all --listening --numeric --processes --tcp --udp", {
      operands: ["text"],
    }),
  ),
  man: reads("-k -f -w", {
    effect: "code",
    operands: ["text"],
    check: ({ operands }) =>
      operands
        .filter(({ word }) => !/^[\w.+-]+$/.test(word.text))
        .map(({ index }) => ({ type: "runs-code", detail: "a manual page by its path", word: index })),
  }),
};

/** `set -euo pipefail` and its relatives; everything else changes what words mean. */
function setConcerns({ words }: CommandReading): Concern[] {
  const rest = words.slice(1).map(({ text, soft }) => (soft === undefined ? text : "?"));
  const line = rest.join(" ");
  if (
    /^([-+][eu]+|[-+][eu]*o (pipefail|errexit|nounset))( ([-+][eu]+|[-+][eu]*o (pipefail|errexit|nounset)))*$/.test(
      line,
    )
  )
    return [];
  return [{ type: "shell-state", detail: "set changes how the shell reads what follows" }];
}

/** Only `command -v NAME` gets here: with a command behind it, `command` was taken off. */
function lookupConcerns({ words }: CommandReading): Concern[] {
  if (/^-[vV]$/.test(words[1]?.text ?? "") && words.slice(2).every(({ soft }) => soft === undefined)) return [];
  return [{ type: "unknown-option", detail: "command is understood with -v and a name, or with a plain command" }];
}

function numberConcerns({ operands }: CommandReading): Concern[] {
  const good = operands.length === 0 || (operands.length === 1 && /^\d{1,3}$/.test(operands[0]?.word.text ?? ""));
  return good ? [] : [{ type: "expansion", detail: "an exit status that is no number" }];
}

/** `date 01011200` sets the clock; `date +%F` prints it. */
function dateConcerns({ operands }: CommandReading): Concern[] {
  return operands
    .filter(({ word }) => !word.text.startsWith("+"))
    .map(({ index }) => ({
      type: "dangerous-option",
      detail: "date with a plain operand sets the clock",
      word: index,
    }));
}

/** -v and -R evaluate their operand, numbers may be evaluated: only what is plainly a number stands beside -eq and its relatives. */
function testConcerns({ words }: CommandReading): Concern[] {
  const found: Concern[] = [];
  for (const [index, { text }] of words.entries()) {
    if (/^-[vRo]$/.test(text))
      found.push({ type: "expansion", detail: `test ${text} may evaluate its operand`, word: index });
    if (!/^-(eq|ne|lt|le|gt|ge)$/.test(text)) continue;
    const sides = [words[index - 1]?.text ?? "", words[index + 1]?.text ?? ""];
    if (!sides.every((side) => /^-?\d+$/.test(side)))
      found.push({ type: "expansion", detail: "test compares something that is no plain number", word: index });
  }
  return found;
}

/** What stands behind a test of a file is a path. */
function testOperands({ operands, words }: CommandReading): ValueKind[] {
  return operands.map(({ index }) => {
    const before = words[index - 1]?.text ?? "";
    const after = words[index + 1]?.text ?? "";
    const file =
      /^-[abcdefghkprsuwxLNSGO]$/.test(before) || /^-(nt|ot|ef)$/.test(before) || /^-(nt|ot|ef)$/.test(after);
    return file ? "look" : "text";
  });
}

/** `ps auxe` prints the environment of every process. */
function processConcerns({ operands }: CommandReading): Concern[] {
  const [first] = operands;
  if (first === undefined || !/^[A-Za-z]*e[A-Za-z]*$/.test(first.word.text)) return [];
  return [{ type: "dangerous-option", detail: "ps e prints the environment of processes", word: first.index }];
}
