import type { Concern } from "../command-analysis.ts";
import type { CommandReading } from "../option-reading.ts";
import { type ProgramTable, rows } from "../program-table.ts";

// Programs that run code. A rule for one means "run a script of the project with it": code in an argument or on standard input
// asks, unless the rule spells it out.

function interpreter(options: string, more: Partial<ProgramTable> = {}): ProgramTable {
  return {
    effect: "code",
    options: `--version --help ${options}`,
    operands: ["execute", "text"],
    strictOrder: true,
    runsCode: true,
    check: standardInput,
    ...more,
  };
}

const JAVASCRIPT_TEST_OPTIONS =
  "--test --test-name-pattern= --test-reporter= --test-only --watch --enable-source-maps --no-warnings --trace-warnings --trace-uncaught --experimental-strip-types --experimental-test-coverage --max-old-space-size= --stack-trace-limit= --check -c -v -h";

export const INTERPRETERS: Readonly<Record<string, ProgramTable>> = {
  ...rows(
    "bash sh dash zsh ksh fish csh tcsh ash mksh yash nu xonsh elvish pwsh powershell",
    interpreter("-c=code -e -u -x -n -l=! -i=! -s=! --norc --noprofile --posix"),
  ),
  ...rows(
    "python python2 python3 python3.10 python3.11 python3.12 python3.13 python3.14 pypy3",
    interpreter("-c=code -m= -B -u -O -OO -q -s -S -E -I -v -V -VV -W= -X= -h", {
      check: pythonConcerns,
      operandKinds: pythonOperands,
    }),
  ),
  node: interpreter(
    `-e=code --eval=code -p=code --print=code -r=code --require=code --import=code --loader=code --experimental-loader=code ${JAVASCRIPT_TEST_OPTIONS}`,
    { operandKinds: nodeOperands },
  ),
  ...rows("ruby", interpreter("-e=code -c -w -W=? -v -I=read -r=code -E= -n=! -p=!")),
  perl: interpreter("-e=code -E=code -c -w -v -I=read -M=code -m=code -n=! -p=! -i=?danger"),
  php: interpreter("-r=code -B=code -R=code -E=code -f=execute -l -v -i -m -d=danger"),
  ...rows(
    "lua luajit Rscript R julia tclsh osascript groovy scala elixir erl ghc runghc sbcl octave clojure ocaml guile racket crystal dart kotlin ipython ipython3 irb mongosh",
    interpreter("-e=code -E=code -l=code -c=code --eval=code -eval=code --execute=code -v"),
  ),
  ...rows(
    "tsx ts-node",
    interpreter(
      "-e=code --eval=code -p=code --print=code -r=code --require=code --watch -v -T -P=read --project=read --tsconfig=read",
    ),
  ),
  java: interpreter("-jar=execute -cp=read -classpath=read -version", { singleDash: true }),
  ...rows("vim vi nvim ex ed emacs nano view gdb lldb sqlite3 psql mysql expect busybox toybox dc m4", {
    effect: "code",
    options: "--version -V",
    operands: ["danger"],
    runsCode: true,
    check: ({ words }) =>
      words.length === 2 && /^(--version|-V)$/.test(words[1]?.text ?? "") ? [] : [runsAnything(words[0]?.text ?? "it")],
  }),
};

function runsAnything(name: string): Concern {
  return { type: "runs-code", detail: `${name} can run anything it is told to` };
}

/** Without a script the code comes from standard input. */
function standardInput({ operands, options, words }: CommandReading): Concern[] {
  const [script] = operands;
  const tells = options.some(
    ({ name, kind }) =>
      kind === "code" || kind === "execute" || /^(--version|--help|-v|-V|-version|-h|--test|-m|-i)$/.test(name),
  );
  if (script?.word.text.startsWith("+") === true)
    return [{ type: "unknown-option", detail: `the option ${script.word.text} is not known`, word: script.index }];
  if (script?.word.text !== "-" && (script !== undefined || tells)) return [];
  return [{ type: "runs-code", detail: `${words[0]?.text} would run what comes in on standard input` }];
}

/** Modules that run the project's own code or only read; a rule may name any other. */
const PYTHON_MODULES =
  /^(pytest|unittest|doctest|json\.tool|compileall|py_compile|mypy|ruff|black|isort|flake8|pylint|pyflakes|coverage|tox|nox|build|venv|this|platform|site|sysconfig|pre_commit|django|mkdocs|sphinx)$/;

function pythonConcerns(reading: CommandReading): Concern[] {
  const module = reading.options.find(({ name }) => name === "-m");
  if (module === undefined) return standardInput(reading);
  if (PYTHON_MODULES.test(module.value?.text ?? "")) return [];
  return [{ type: "runs-code", detail: `the module ${module.value?.text ?? ""} may run anything`, word: module.word }];
}

/** Behind -m the rest belongs to the module. */
function pythonOperands({ options }: CommandReading) {
  return options.some(({ name }) => name === "-m") ? (["read"] as const).slice() : undefined;
}

function nodeOperands({ options }: CommandReading) {
  return options.some(({ name }) => name === "--test") ? (["execute"] as const).slice() : undefined;
}
