import type { Concern } from "../command-analysis.ts";
import type { CommandReading } from "../option-reading.ts";
import { type ProgramTable, rows, type SubcommandTable } from "../program-table.ts";

// Tools that run the project's own code: that is what a rule for them means. What points them at other code, other configuration
// or another folder asks.

function build(danger: string, more: Partial<ProgramTable> = {}): ProgramTable {
  return { effect: "build", options: danger, lenient: true, runsCode: true, ...more };
}

const NPM_DANGER =
  "--prefix=enter -C=enter --script-shell=danger --node-options=danger --userconfig=danger --globalconfig=danger --registry=danger --shell=danger --call=code --git=danger --ignore-scripts --cache=danger --init-module=danger --viewer=danger --editor=danger --browser=danger -c=code --dir=enter --cwd=enter --use-node-version=danger --config=danger";
const PACKAGE_READ: ProgramTable = {
  effect: "network",
  options: "-g --global --json --depth= -a --all --long -l",
  operands: ["text"],
  network: true,
  lenient: true,
};
const PACKAGE_INSTALL = build(NPM_DANGER, { effect: "network", network: true, operands: ["text"] });
const PACKAGE_RUN = build(NPM_DANGER, { operands: ["text"] });
const PACKAGE_LIST: ProgramTable = { effect: "read", options: NPM_DANGER, operands: ["text"], lenient: true };

/** A download that is run at once. */
const PACKAGE_EXECUTE = build("-p=danger --package=danger -c=code --call=code", {
  effect: "code",
  network: true,
  operands: ["text"],
  strictOrder: true,
  check: ({ operands }) =>
    operands
      .slice(0, 1)
      .map(({ word, index }) => ({ type: "runs-program", detail: `runs the package ${word.text}`, word: index })),
});

function packageManager(): SubcommandTable {
  return {
    globals: `${NPM_DANGER} --silent -s --workspace= -w= --workspaces --filter= -F= -r --recursive --loglevel= --if-present --no-audit --no-fund -D`,
    subcommands: {
      ...rows("test t tst start stop restart build lint run run-script check typecheck format dev", PACKAGE_RUN),
      ...rows("ls list la ll why explain outdated root bin prefix help fund query", PACKAGE_LIST),
      ...rows("view info show search ping audit doctor", PACKAGE_READ),
      ...rows(
        "install i ci add install-test update upgrade remove uninstall rm dedupe prune rebuild pack link fetch import",
        PACKAGE_INSTALL,
      ),
      ...rows("exec x dlx create init", PACKAGE_EXECUTE),
    },
    bare: { effect: "read", options: "-v --version -h --help" },
  };
}

const CARGO_DANGER =
  "--config=danger --manifest-path=read --target-dir=write -Z=danger -C=enter --path=read --root=write --git=danger --registry=danger --index=danger";
const GO_DANGER =
  "-exec=danger -toolexec=danger -vettool=danger -overlay=danger -modfile=read -o=write -C=enter -ldflags=danger -gcflags=danger -asmflags=danger -gccgoflags=danger -compiler=danger -pkgdir=write -coverprofile=write -cpuprofile=write -memprofile=write -blockprofile=write -mutexprofile=write -trace=write -outputdir=write -tags= -run= -count= -timeout= -bench= -p= -v -race -short -mod= -parallel= -cover -json -w=!";

function subcommands(names: string, table: ProgramTable, globals: string): SubcommandTable {
  return {
    globals,
    subcommands: rows(names, table),
    bare: { effect: "read", options: "-V --version -h --help -v --list version" },
  };
}

export const BUILD_TOOLS: Readonly<Record<string, ProgramTable | SubcommandTable>> = {
  npm: packageManager(),
  pnpm: packageManager(),
  yarn: { ...packageManager(), others: PACKAGE_RUN, bare: PACKAGE_INSTALL },
  bun: { ...packageManager(), bare: { effect: "read", options: "-v --version --revision -h --help" } },
  ...rows(
    "npx pnpx bunx",
    build(
      "-p=danger --package=danger -c=code --call=code --shell=danger --node-options=danger --prefix=enter --registry=danger --userconfig=danger",
      { effect: "code", network: true, operands: ["text"], strictOrder: true },
    ),
  ),
  cargo: {
    ...subcommands(
      "build b check c test t run r bench clippy fmt doc d tree metadata clean nextest expand locate-project verify-project pkgid version help",
      build(CARGO_DANGER),
      `${CARGO_DANGER} -q -v -vv --quiet --verbose --locked --offline --frozen --color= --version -V --help -h --list`,
    ),
    bare: { effect: "read", options: "-V --version -h --help --list -v" },
  },
  go: subcommands(
    "build test vet run list fmt doc env version mod generate install get tool work clean",
    build(GO_DANGER, { singleDash: true, check: fetchedCode }),
    "-C=enter",
  ),
  make: build(
    "-f=execute --file=execute --makefile=execute -C=enter --directory=enter -I=read --include-dir=read --eval=danger -E=danger -o= -W= --shell=danger -j=? -k -n -s -B -q",
    {
      operands: ["text"],
      check: ({ operands }) =>
        operands
          .filter(({ word }) => /^(SHELL|MAKEFLAGS|\.SHELLFLAGS|CC|CXX|LD|AR|MAKE|PATH)[:+?]?=|\$/.test(word.text))
          .map(({ word, index }) => ({
            type: "dangerous-option",
            detail: `${word.text} may choose what make runs`,
            word: index,
          })),
    },
  ),
  ...rows("gmake ninja", build("-f=execute -C=enter", { operands: ["text"] })),
  just: build(
    "-f=execute --justfile=execute -d=enter --working-directory=enter -c=code --command=code --shell=danger --shell-arg=danger --set=danger",
    { operands: ["text"] },
  ),
  cmake: build(
    "-C=execute -P=execute -E=danger -B=write -S=read --build=read --install=danger -D= --toolchain=danger --preset= --target= --config= -j=? -G=",
    { check: definedNames },
  ),
  ...rows(
    "gradle ./gradlew mvn ./mvnw",
    build(
      "-I=execute --init-script=execute -b=execute -p=enter --project-dir=enter -c=read -f=read -D= -P= --include-build=danger",
      { operands: ["text"], check: definedNames },
    ),
  ),
  tsc: build(
    "-p=read --project=read --outDir=write --outFile=write --declarationDir=write --rootDir=read --build -b --plugins=danger",
    { effect: "build", runsCode: false },
  ),
  ...rows(
    "pytest py.test",
    build(
      "-p=danger -c=read --rootdir=read --confcutdir=read -o=danger --override-ini=danger --pdbcls=danger --basetemp=write --junitxml=write --junit-xml=write -n=",
    ),
  ),
  ...rows(
    "jest vitest mocha ava tap",
    build(
      "-c=read --config=read --globalSetup=execute --globalTeardown=execute --setupFiles=execute --require=execute -r=execute --import=execute --loader=danger --runner=danger --reporter= --rootDir=read --root=read --outputFile=write",
    ),
  ),
  ...rows(
    "eslint prettier biome stylelint oxlint",
    build(
      "-c=read --config=read --rulesdir=danger --resolve-plugins-relative-to=danger --plugin=danger --parser=danger -o=write --output-file=write -f= --format= --config-path=read",
    ),
  ),
  ...rows(
    "ruff black mypy flake8 isort pylint pyright",
    build(
      "--config=read -c= -o=write --output-file=write --cache-dir=write --python-executable=execute --load-plugins=danger --init-hook=danger",
    ),
  ),
  ...rows(
    "pip pip3 gem composer brew apt apt-get dnf yum apk pacman",
    build(
      "--target=write -t=write --prefix=write --root=write -r=read --requirement=read --index-url=danger --extra-index-url=danger -i=danger --trusted-host=danger --config-settings=danger",
      { effect: "network", network: true, operands: ["text"] },
    ),
  ),
  ...rows(
    "dotnet swift zig mix rake rails rspec phpunit",
    build("--config=danger -c= -e=code --eval=code -r= --require=execute", {
      effect: "build",
      operands: ["text"],
      check: givenCode,
    }),
  ),
  deno: subcommands(
    "test check fmt lint task run bench doc info cache",
    build("--config=danger -c=danger --import-map=danger --eval=code --cert=danger -A --allow-all", {
      operands: ["text"],
      check: fetchedCode,
    }),
    "-q --quiet",
  ),
  ...rows(
    "uv poetry bundle pipenv hatch pdm rye conda mise asdf nix devbox pipx uvx",
    build(
      "-c=code --command=code --with=danger --from=danger --index-url=danger --directory=enter --project=enter -C=enter",
      { effect: "network", network: true, operands: ["text"], check: startedProgram },
    ),
  ),
  ...rows(
    "gcc g++ cc c++ clang clang++",
    build(
      "-wrapper=danger -fplugin=danger -specs=danger -B=danger -o=write -fuse-ld=danger -load=danger -Xclang=danger -Xlinker=danger --sysroot=danger -no-integrated-cpp=!",
      { singleDash: true, runsCode: false },
    ),
  ),
  rustc: build("-C=danger -Z=danger -o=write --out-dir=write --codegen=danger", { runsCode: false }),
  ...rows("docker podman kubectl helm terraform aws gcloud az gh", {
    effect: "network",
    options: "",
    lenient: true,
    operands: ["text"],
    network: true,
  }),
};

/** A module by its address is fetched first, then run. */
function fetchedCode({ operands }: CommandReading): Concern[] {
  return operands
    .filter(({ word }) => /@|^https?:|^(npm|jsr):/.test(word.text))
    .map(({ word, index }) => ({ type: "runs-code", detail: `${word.text} would be fetched and run`, word: index }));
}

/** `rails runner CODE`, `mix run -e CODE`. */
function givenCode({ operands }: CommandReading): Concern[] {
  const [first, second] = operands;
  if (second === undefined || !/^(runner|r|console|c|eval|script|fsi|repl)$/.test(first?.word.text ?? "")) return [];
  return [{ type: "runs-code", detail: `${first?.word.text} runs the code behind it`, word: second.index }];
}

/** `uv run PROGRAM`: the program behind it needs to be in the rule. */
function startedProgram({ operands, words }: CommandReading): Concern[] {
  const direct = /^(pipx|uvx)$/.test(words[0]?.text ?? "");
  const [first, second] = operands;
  const program = direct && first?.word.text !== "run" ? first : second;
  const starts = direct || /^(run|exec|x|shell|develop|tool)$/.test(first?.word.text ?? "");
  if (!starts || program === undefined || /^(list|--version)$/.test(program.word.text)) return [];
  return [{ type: "runs-program", detail: `starts ${program.word.text}`, word: program.index }];
}

/** `-DNAME=value` of cmake, Maven and Gradle: plain values of names that choose no program. */
function definedNames({ options }: CommandReading): Concern[] {
  const names = options.filter(({ name, value }) => {
    const text = value?.text ?? "";
    if (name !== "-D") return false;
    return (
      !/^[\w.:-]+(=[\w.*#,+-]*)?$/.test(text) ||
      /compiler|launcher|linker|tool|exec|command|program|agent|argline|jvm|shell/i.test(text)
    );
  });
  return names.map(({ value, word }) => ({
    type: "dangerous-option",
    detail: `-D${value?.text ?? ""} may choose what is run`,
    word,
  }));
}
