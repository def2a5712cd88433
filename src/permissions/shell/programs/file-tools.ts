import type { Concern } from "../command-analysis.ts";
import { seeksHidden } from "../file-lists.ts";
import type { CommandReading } from "../option-reading.ts";
import { type InnerCommand, type ProgramTable, rows } from "../program-table.ts";
import { plainWord, type ReadWord } from "../read-word.ts";

// Programs about files and folders.

const HELP = "--help --version";

function reads(options: string, more: Partial<ProgramTable> = {}): ProgramTable {
  return { effect: "read", options: `${HELP} ${options}`, ...more };
}

function writes(options: string, more: Partial<ProgramTable> = {}): ProgramTable {
  return { effect: "write", options: `${HELP} ${options}`, operands: ["write"], ...more };
}

const LS = reads(
  `-a -A -b -B -c -C -d -f -F -g -G -h -H -i -I= -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T= -u -U -v -w= -x -X -Z -1 -e -O -@
  --all --almost-all --author --block-size= --classify=? --color=? --context --dereference --directory --file-type --format=
  --full-time --group-directories-first --hide= --human-readable --hyperlink=? --ignore= --ignore-backups --indicator-style= --inode
  --literal --no-group --numeric-uid-gid --quote-name --quoting-style= --recursive --reverse --si --size --sort= --time= --time-style=
  --width= --zero`,
  { careless: true, operands: ["look"] },
);

const FIND_TESTS = `-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -size -mtime
  -mmin -atime -amin -ctime -cmin -newermt -perm -user -group -uid -gid -links -inum -lname -ilname -fstype -printf`;
const FIND_FILES = "-newer -anewer -cnewer -samefile";
const FIND_SWITCHES = `-not -o -or -a -and -empty -print -print0 -ls -prune -quit -readable -writable -executable -true -false -follow
  -xdev -mount -depth -d -daystart -nouser -nogroup -noleaf -ignore_readdir_race -L -H -P -E -X -s -O1 -O2 -O3`;

const FIND: ProgramTable = {
  effect: "read",
  options: [
    ...FIND_TESTS.split(/\s+/).map((name) => `${name}=`),
    ...FIND_FILES.split(" ").map((name) => `${name}=read`),
    FIND_SWITCHES,
    HELP,
  ].join(" "),
  singleDash: true,
  operands: ["read"],
  check: findConcerns,
  mask: findMask,
  inner: findInner,
};

export const FILE_TOOLS: Readonly<Record<string, ProgramTable>> = {
  ...rows("ls dir vdir", LS),
  find: FIND,
  fd: reads(
    `-a -c= -d= -e= -E= -F -g -H -i -I -j= -l -L -p -q -s -t= -u -1 -0 -S= --absolute-path --case-sensitive --color= --exclude=
    --exact-depth= --extension= --fixed-strings --follow --full-path --glob --hidden --ignore-case --max-depth= --max-results= --min-depth=
    --no-ignore --no-ignore-vcs --print0 --quiet --regex --size= --threads= --type= --changed-within= --changed-before= --owner= --list-details`,
    { operands: ["text", "read"] },
  ),
  tree: reads(
    `-a -A -c -C -d -D -f -F -g -h -i -I= -J -l -L= -n -N -p -P= -q -Q -r -s -S -t -u -U -v -x -X --charset= --dirsfirst --du --filelimit=
    --gitignore --ignore-case --inodes --matchdirs --noreport --nolinks --prune --si --sort= --timefmt= --filesfirst`,
    { careless: false },
  ),
  stat: reads("-c= -f= -l -L -n -q -r -s -t= -x --format= --printf= --dereference --file-system --terse --cached=", {
    careless: true,
  }),
  du: reads(
    `-a -A -b -B= -c -d= -D -g -h -H -I= -k -l -L -m -P -s -S -t= -x -0 --all --apparent-size --block-size= --bytes --total --max-depth=
    --human-readable --si --summarize --separate-dirs --exclude= --one-file-system --threshold= --time=? --dereference --inodes`,
    { careless: true },
  ),
  df: reads(
    "-a -B= -g -h -H -i -k -l -m -P -t= -T -x= --all --block-size= --human-readable --inodes --local --output=? --portability --si --total --type= --print-type",
    {
      careless: true,
    },
  ),
  ...rows("basename dirname", reads("-a -s= -z --multiple --suffix= --zero", { operands: ["text"], careless: true })),
  ...rows(
    "realpath readlink",
    reads(
      "-e -f -m -n -L -P -q -s -z -v --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --relative-to= --relative-base= --strip --no-symlinks --zero --quiet",
      { careless: true },
    ),
  ),
  mkdir: writes("-m= -p -v --mode= --parents --verbose"),
  touch: writes("-a -c -d= -h -m -t= -r=read --date= --no-create --no-dereference --time= --reference=read"),
  ...rows(
    "rm unlink",
    writes(
      "-d -f -i -I -r -R -v --dir --force --interactive=? --one-file-system --preserve-root=? --recursive --verbose",
    ),
  ),
  rmdir: writes("-p -v --parents --verbose --ignore-fail-on-non-empty"),
  cp: writes(
    `-a -b -d -f -i -l -L -n -p -P -r -R -s -t=write -T -u -v -x -H -c --archive --attributes-only --dereference --force --interactive --link
    --no-clobber --no-dereference --no-target-directory --one-file-system --parents --preserve=? --recursive --reflink=? --sparse=
    --strip-trailing-slashes --symbolic-link --target-directory=write --update=? --verbose`,
    { operandKinds: (reading) => copyKinds(reading, "read") },
  ),
  mv: writes(
    "-b -f -i -n -t=write -T -u -v --force --interactive --no-clobber --no-target-directory --strip-trailing-slashes --target-directory=write --update=? --verbose",
  ),
  ln: writes(
    "-f -i -n -r -s -t=write -T -v -P -L --force --interactive --no-dereference --relative --symbolic --verbose --no-target-directory",
  ),
  install: writes(
    "-b -c -d -D -g= -m= -o= -p -t=write -T -v --directory --group= --mode= --owner= --preserve-timestamps --target-directory=write --verbose",
  ),
  ...rows(
    "chmod chown chgrp",
    writes(
      "-c -f -h -R -v -H -L -P --changes --silent --quiet --verbose --recursive --no-dereference --reference=read",
      {
        operands: ["text", "write"],
      },
    ),
  ),
  truncate: writes("-c -o -s= -r=read --no-create --size= --reference=read"),
  ...rows("dd shred", writes("-n= -u -v -z -f -x", { operands: ["danger"] })),
};

/** The last operand is where the copy goes. */
function copyKinds({ operands, options }: CommandReading, source: "read" | "write"): ("read" | "write")[] {
  const target = options.some(({ name }) => name === "-t" || name === "--target-directory");
  return operands.map((_, index) => (index === operands.length - 1 && !target ? "write" : source));
}

function findConcerns({ operands }: CommandReading, words: readonly ReadWord[]): Concern[] {
  const actions = words.flatMap((word, index): Concern[] =>
    /^-(delete|fprint|fprint0|fprintf|fls|ok|okdir|execdir|files0-from)$/.test(word.text)
      ? [{ type: "dangerous-option", detail: `find ${word.text} writes or runs`, word: index }]
      : [],
  );
  const loose = operands.filter(({ word }) => word.loose === true);
  return [
    ...actions,
    ...loose.map(
      ({ word, index }): Concern => ({
        type: "glob",
        detail: `${word.source} may turn into an action of find`,
        word: index,
      }),
    ),
  ];
}

function findMask(words: readonly ReadWord[]): ReadWord[] {
  const ranges = execRanges(words);
  return words.map((word, index) => {
    const inner = ranges.some(([from, to]) => index >= from && index <= to);
    return inner || /^[()!,]$/.test(word.text) ? plainWord("-print") : word;
  });
}

function findInner(words: readonly ReadWord[]): InnerCommand[] {
  const hidden = seeksHidden(words.map(({ text }) => text));
  return execRanges(words).map(([from, to]) => ({
    words: words.slice(from + 1, to).map((word) => (hidden ? hiddenFile(word) : foundFile(word))),
    fed: false,
  }));
}

/** From `-exec` to its `;` or `{} +`; to the end where it is not closed. */
function execRanges(words: readonly ReadWord[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (let index = 1; index < words.length; index += 1) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(words[index]?.text ?? "")) continue;
    let end = index + 1;
    while (end < words.length && !endsExec(words, end)) end += 1;
    ranges.push([index, end]);
    index = end;
  }
  return ranges;
}

function endsExec(words: readonly ReadWord[], index: number): boolean {
  const text = words[index]?.text;
  return text === ";" || (text === "+" && words[index - 1]?.text === "{}");
}

function hiddenFile(word: ReadWord): ReadWord {
  return word.text === "{}" ? { ...word, soft: "value" } : word;
}

/** Names start with the folder the search began in, so they are no options. */
function foundFile(word: ReadWord): ReadWord {
  return word.text === "{}" ? { ...word, soft: "listed", loose: false } : word;
}
