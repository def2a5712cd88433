import type { Concern, ProgramEffect } from "../command-analysis.ts";
import type { CommandReading } from "../option-reading.ts";
import { type ProgramTable, rows, type SubcommandTable } from "../program-table.ts";

// Git runs programs named in options, in configuration and in addresses. What is not listed here asks:
// -c, --exec-path, --git-dir, --ext-diff, --textconv, --output, --upload-pack, --receive-pack, --exec, --template,
// -O of grep, `bisect run`, `submodule foreach`, `config` that writes, aliases.

const DIFF = `-a -b -B=? -c -C=? -D -G= -l= -M=? -O=read -p -P -r -R -s -S= -t -u -U= -w -W -X=? -z --abbrev=? --anchored= --binary --break-rewrites=?
  --cached --cc --check --color=? --color-moved=? --color-words=? --compact-summary --cumulative --diff-algorithm= --diff-filter= --dirstat=?
  --dst-prefix= --exit-code --find-copies=? --find-copies-harder --find-object= --find-renames=? --follow --full-index --function-context
  --histogram --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol --ignore-matching-lines= --ignore-space-at-eol
  --ignore-space-change --ignore-submodules=? --indent-heuristic --inter-hunk-context= --irreversible-delete --ita-invisible-in-index
  --line-prefix= --merge-base --minimal --name-only --name-status --no-abbrev --no-color --no-color-moved --no-ext-diff
  --no-index --no-indent-heuristic --no-patch --no-prefix --no-relative --no-renames --no-textconv --numstat --patch --patch-with-raw
  --patch-with-stat --patience --pickaxe-all --pickaxe-regex --quiet --raw --relative=? --rename-empty --no-rename-empty --shortstat
  --skip-to= --rotate-to= --src-prefix= --staged --stat=? --stat-count= --stat-name-width= --stat-width= --submodule=? --summary --text
  --unified= --word-diff=? --word-diff-regex= --ws-error-highlight= --default-prefix -h --help`;

const COMMITS = `--after= --all --all-match --ancestry-path=? --author= --author-date-order --basic-regexp --before= --bisect --boundary --branches=?
  --cherry --cherry-mark --cherry-pick --children --clear-decorations --committer= --count --date= --date-order --decorate=?
  --decorate-refs= --decorate-refs-exclude= --dense --disk-usage=? --do-walk --early-output --encoding= --exclude= --expand-tabs=?
  --extended-regexp -E -F -P -i --first-parent --fixed-strings --format= --full-diff --full-history --glob= --graph --grep= --grep-reflog=
  --ignore-missing --invert-grep --left-only --left-right --log-size --mailmap --no-mailmap --max-count= -n= -g -L= --max-parents= --merge
  --merges --min-parents= --no-decorate --no-expand-tabs --no-max-parents --no-merges --no-min-parents --no-notes --no-walk=? --not
  --notes=? --objects --oneline --parents --perl-regexp --pretty=? --reflog --regexp-ignore-case --relative-date --remotes=?
  --remove-empty --reverse --right-only --show-linear-break=? --show-notes=? --show-pulls --show-signature --simplify-by-decoration
  --simplify-merges --since= --since-as-filter= --single-worktree --skip= --source --sparse --standard-notes --stdin --tags=? --timestamp
  --topo-order --unpacked --until= --use-mailmap --walk-reflogs --abbrev-commit --no-abbrev-commit -m --diff-merges= --no-diff-merges
  --remerge-diff --dd -q`;

const REF_LIST = `-a -l -r -v -vv -i --all --list=? --remotes --contains=? --no-contains=? --merged=? --no-merged=? --points-at= --sort= --format=
  --color=? --no-color --column=? --no-column --abbrev=? --no-abbrev --show-current --verbose --ignore-case --omit-empty -h --help`;

/** Operands of git are revisions, patterns and paths; only what is plainly a path is looked at. */
function git(effect: ProgramTable["effect"], options: string, more: Partial<ProgramTable> = {}): ProgramTable {
  return { effect, options: `-h --help ${options}`, operands: ["read"], numbers: true, revisions: true, ...more };
}

const LOG = git("read", `${DIFF} ${COMMITS}`);
const TEXT: Partial<ProgramTable> = { operands: ["text"] };

const READING: Readonly<Record<string, ProgramTable>> = {
  status: git(
    "read",
    "-b -s -u=? -v -z --ahead-behind --no-ahead-behind --branch --column=? --no-column --find-renames=? --ignore-submodules=? --ignored=? --long --no-renames --porcelain=? --renames --short --show-stash --untracked-files=? --verbose",
  ),
  diff: git("read", `${DIFF} -1 -2 -3 -0 --base --ours --theirs`),
  ...rows("log show whatchanged reflog shortlog rev-list range-diff cherry", LOG),
  shortlog: git("read", `${COMMITS} -s -n -e -c -w=? --summary --numbered --email --committer --group=`),
  "rev-list": git("read", `${DIFF} ${COMMITS} --header --use-bitmap-index`),
  reflog: git("read", `${DIFF} ${COMMITS}`, {
    effectOf: (reading) =>
      firstWord(reading, /^(expire|delete|drop|write)$/) === "read" && reading.operands.length > 0 ? "write" : "read",
  }),
  ...rows(
    "diff-tree diff-index diff-files",
    git("read", `${DIFF} --root --no-commit-id --pretty=? --stdin -m -q -v --always`),
  ),
  blame: git(
    "read",
    "-b -c -C=? -e -f -l -L= -M=? -n -p -s -t -w -S=read --abbrev= --color-by-age --color-lines --date= --encoding= --first-parent --ignore-rev= --ignore-revs-file=read --incremental --line-porcelain --minimal --no-progress --porcelain --progress --reverse --root --score-debug --show-email --show-name --show-number --show-stats --since=",
  ),
  branch: git(
    "read",
    `${REF_LIST} -q --quiet -c -C -d -D -f -m -M -t=? -u= --copy --delete --force --move --track=? --no-track --set-upstream-to= --unset-upstream --create-reflog`,
    {
      operands: ["text"],
      effectOf: (reading) =>
        listing(
          reading,
          /^(-l|--list|-a|--all|-r|--remotes|--(no-)?contains|--(no-)?merged|--points-at|--show-current)$/,
        ),
    },
  ),
  tag: git(
    "read",
    `${REF_LIST} -n=? -a -d -f -m= -F=read -s -u= --annotate --cleanup= --delete --file=read --force --message= --no-sign --sign`,
    {
      operands: ["text"],
      effectOf: (reading) => listing(reading, /^(-l|--list|-n|--(no-)?contains|--points-at|--(no-)?merged)$/),
    },
  ),
  remote: git("read", "-v -f -t= -m= --verbose --all --push --add --delete --tags --no-tags --fetch -n -p", {
    operands: ["text"],
    check: addressConcerns,
    effectOf: (reading) => firstWord(reading, /^(get-url|show)$/),
  }),
  "rev-parse": git(
    "read",
    "-q --abbrev-ref=? --absolute-git-dir --all --branches=? --disambiguate= --exclude= --git-common-dir --git-dir --git-path= --glob= --is-bare-repository --is-inside-git-dir --is-inside-work-tree --is-shallow-repository --path-format= --prefix= --quiet --remotes=? --resolve-git-dir= --revs-only --no-revs --flags --no-flags --shared-index-path --short=? --show-cdup --show-object-format=? --show-prefix --show-superproject-working-tree --show-toplevel --sq --symbolic --symbolic-full-name --tags=? --verify --default= --local-env-vars --not --since= --after= --until= --before=",
    TEXT,
  ),
  "ls-files": git(
    "read",
    "-c -d -f -i -k -m -o -r -s -t -u -v -x= -X=read -z --abbrev=? --cached --debug --deduplicate --deleted --directory --eol --error-unmatch --exclude= --exclude-from=read --exclude-per-directory= --exclude-standard --format= --full-name --ignored --killed --modified --no-empty-directory --others --recurse-submodules --resolve-undo --sparse --stage --unmerged --with-tree=",
  ),
  "ls-tree": git(
    "read",
    "-d -l -r -t -z --abbrev=? --format= --full-name --full-tree --long --name-only --name-status --object-only",
  ),
  grep: git(
    "read",
    "-a -A= -B= -c -C= -e= -E -f=read -F -G -h -H -i -I -l -L -m= -n -o -p -P -q -r -v -w -W -z --after-context= --all-match --and --basic-regexp --before-context= --break --cached --color=? --column --context= --count --exclude-standard --no-exclude-standard --extended-regexp --files-with-matches --files-without-match --fixed-strings --full-name --function-context --heading --ignore-case --invert-match --line-number --max-count= --max-depth= --name-only --no-color --no-index --no-recursive --not --null --only-matching --or --perl-regexp --quiet --recurse-submodules --recursive --show-function --text --threads= --untracked --word-regexp",
    { operands: ["text", "read"], insteadOfFirst: "-e -f" },
  ),
  ...rows(
    "describe name-rev merge-base show-ref for-each-ref count-objects check-ignore check-attr var version ls-remote symbolic-ref cat-file",
    git(
      "read",
      "-a -d -e -H -p -q -s -t -v -z --abbrev=? --all --always --broken=? --candidates= --contains --count= --debug --dereference --dirty=? --exact-match --exclude= --fork-point --format= --first-parent --hash=? --heads --human-readable --independent --is-ancestor --long --match= --name-only --no-index --non-matching --octopus --points-at= --quiet --refs= --short --sort= --tags --verbose --verify --no-undefined --batch-check=?",
      TEXT,
    ),
  ),
  "ls-remote": git(
    "network",
    "-b -h -q -t --branches --exit-code --get-url --heads --quiet --refs --sort= --symref --tags",
    { operands: ["text"], network: true, check: addressConcerns },
  ),
  "symbolic-ref": git("read", "-q --quiet --short --no-recurse", { operands: ["text", "danger"] }),
  config: git(
    "read",
    "-l -z --list --get= --get-all= --get-regexp= --show-origin --show-scope --name-only --global --local --system --worktree --null --type= --bool --int --default= --includes",
    {
      operands: ["text"],
      check: configConcerns,
    },
  ),
  help: git("read", "-a -g --all", {
    operands: ["text"],
    check: () => [{ type: "runs-program", detail: "git help opens another program" }],
  }),
};

const STASH: ProgramTable = git(
  "write",
  `${DIFF} -k -m= -q --all --include-untracked --keep-index --message= --no-keep-index --staged --index`,
  {
    operands: ["text"],
    effectOf: (reading) => (reading.operands.length > 0 ? firstWord(reading, /^(list|show)$/) : "write"),
  },
);

/** They change the repository: a rule allows them, the default tier asks. Editors and programs in options are left out. */
const WRITING: Readonly<Record<string, ProgramTable>> = {
  add: git(
    "write",
    "-A -f -i -n -N -p -u -v --all --chmod= --dry-run --force --ignore-errors --ignore-missing --ignore-removal --intent-to-add --no-all --patch --refresh --renormalize --sparse --update --verbose",
    { careless: true },
  ),
  commit: git(
    "write",
    "-a -m= -n -q -s -v -F=read -c= -C= -o -p -e -S=? -u=? --all --allow-empty --allow-empty-message --amend --author= --branch --cleanup= --date= --dry-run --edit --file=read --fixup= --gpg-sign=? --long --message= --no-edit --no-gpg-sign --no-post-rewrite --no-signoff --no-status --no-verify --only --patch --porcelain --quiet --reedit-message= --reset-author --reuse-message= --short --signoff --squash= --status --trailer= --untracked-files=? --verbose --verify",
  ),
  ...rows(
    "checkout switch restore",
    git(
      "write",
      "-b= -B= -c= -C= -d -f -l -m -p -q -s= -S -t=? -W --conflict= --create= --detach --discard-changes --force --force-create= --guess --no-guess --ignore-other-worktrees --ignore-skip-worktree-bits --merge --no-overlay --no-progress --no-track --orphan= --ours --overlay --patch --progress --quiet --source= --staged --theirs --track=? --worktree --recurse-submodules",
    ),
  ),
  stash: STASH,
  ...rows(
    "reset rm mv clean",
    git(
      "write",
      "-d -e= -f -i -k -n -N -p -q -r -v -x -X --cached --dry-run --force --hard --ignore-unmatch --keep --merge --mixed --no-refresh --patch --quiet --refresh --soft --verbose",
    ),
  ),
  ...rows(
    "merge cherry-pick revert",
    git(
      "write",
      "-e -m= -n -q -s= -S=? -v -x -X= --abort --allow-empty --allow-unrelated-histories --autostash --commit --continue --edit --ff --ff-only --keep-redundant-commits --log=? --mainline= --no-commit --no-edit --no-ff --no-gpg-sign --no-log --no-progress --no-squash --no-stat --no-verify --progress --quiet --quit --signoff --skip --squash --stat --strategy= --strategy-option= --verbose",
      TEXT,
    ),
  ),
  rebase: git(
    "write",
    "-f -i -m -q -r=? -s= -v -X= --abort --autosquash --autostash --continue --edit-todo --empty= --ff --force-rebase --fork-point --interactive --keep-base --merge --no-autosquash --no-autostash --no-ff --no-stat --no-verify --onto= --quiet --quit --reapply-cherry-picks --rebase-merges=? --root --show-current-patch --signoff --skip --stat --strategy= --strategy-option= --update-refs --verbose --verify",
    TEXT,
  ),
  ...rows(
    "fetch pull push",
    git(
      "network",
      "-4 -6 -a -d -f -j= -k -n -p -P -q -r=? -s= -t -u -v -X= --all --append --atomic --auto-maintenance --autostash --commit --deepen= --delete --depth= --dry-run --ff --ff-only --follow-tags --force --force-if-includes --force-with-lease=? --ipv4 --ipv6 --jobs= --keep --mirror --multiple --no-autostash --no-commit --no-edit --no-ff --no-rebase --no-recurse-submodules --no-squash --no-stat --no-tags --no-thin --no-verify --porcelain --progress --prune --prune-tags --quiet --rebase=? --recurse-submodules=? --refetch --set-upstream --shallow-exclude= --shallow-since= --signed=? --squash --stat --strategy= --tags --thin --unshallow --update-head-ok --update-shallow --verbose --verify",
      { operands: ["text"], network: true, check: addressConcerns },
    ),
  ),
  clone: git(
    "network",
    "-b= -j= -l -n -o= -q -s -v --bare --branch= --depth= --filter= --jobs= --local --mirror --no-checkout --no-hardlinks --no-local --no-single-branch --no-tags --origin= --progress --quiet --recurse-submodules=? --recursive --remote-submodules --revision= --shallow-exclude= --shallow-since= --shallow-submodules --shared --single-branch --sparse --verbose",
    { operands: ["text", "write"], network: true, check: addressConcerns },
  ),
  init: git("write", "-b= -q --bare --initial-branch= --object-format= --quiet --shared=?", { operands: ["write"] }),
  worktree: git(
    "write",
    "-b= -B= -d -f -v -z --checkout --detach --expire= --force --lock --no-checkout --no-track --orphan --porcelain --quiet --reason= --track --verbose",
    {
      operands: ["text", "write"],
      effectOf: (reading) => firstWord(reading, /^list$/),
    },
  ),
  ...rows(
    "gc prune fsck",
    git(
      "write",
      "-n -v -q --aggressive --auto --dry-run --expire= --full --no-prune --prune=? --quiet --verbose",
      TEXT,
    ),
  ),
  submodule: git(
    "write",
    "-q -f -N -b= --init --recursive --quiet --remote --force --depth= --jobs= --merge --rebase --checkout --cached --files",
    {
      operands: ["text"],
      network: true,
      check: (reading) => [...startsProgram(reading, /^foreach$/), ...addressConcerns(reading)],
    },
  ),
  bisect: git("write", "--no-checkout --first-parent", {
    operands: ["text"],
    check: (reading) => startsProgram(reading, /^(run|visualize|view)$/),
  }),
  archive: git("write", "-v -l -o=danger --format= --prefix= --output=danger --verbose --list"),
  "format-patch": git(
    "write",
    `${DIFF} ${COMMITS} -o=write --output-directory=write --stdout --cover-letter -k -v= --start-number= --signoff --subject-prefix= --base=`,
  ),
  apply: git(
    "write",
    "-3 -C= -N -p= -q -R -v -z --3way --allow-empty --cached --check --ignore-space-change --ignore-whitespace --include= --exclude= --index --intent-to-add --numstat --quiet --recount --reject --reverse --stat --summary --unidiff-zero --verbose --whitespace=",
  ),
};

export const GIT: SubcommandTable = {
  globals:
    "--no-pager -P --no-optional-locks --literal-pathspecs --no-replace-objects --no-lazy-fetch -C=enter -c= --version --help -h -v",
  subcommands: { ...READING, ...WRITING },
  bare: { effect: "read", options: "--no-pager -P --no-optional-locks -C=enter --version --help -h -v" },
};

/** Everything `git -c` may set: how things look. Keys that name programs, files or protocols are many more. */
export const HARMLESS_GIT_SETTINGS =
  /^(color\.[a-z]+|core\.quotepath|core\.abbrev|core\.pager=cat|pager\.[a-z]+=(false|cat)|log\.(date|decorate|abbrevcommit)|diff\.(renames|algorithm|context|mnemonicprefix|noprefix)|advice\.[a-z]+|column\.[a-z]+|safe\.barerepository=explicit|core\.fsmonitor=false|commit\.gpgsign=false|user\.(name|email)|init\.defaultbranch)(=[^\n]*)?$/i;

/** A name without a listing option creates or changes something. */
function listing(reading: CommandReading, lists: RegExp): ProgramEffect {
  const changes =
    /^(-[cCdDfmMuas]|-t|-F|--(copy|delete|force|move|track|set-upstream-to|unset-upstream|annotate|file|message|sign))$/;
  const { operands, options } = reading;
  const named = operands.length > 0 && !options.some(({ name }) => lists.test(name));
  const changing = options.some(({ name }) => changes.test(name) && !lists.test(name));
  return named || changing ? "write" : "read";
}

/** Only reads when the first operand is one of the known words, or there is none. */
function firstWord({ operands }: CommandReading, known: RegExp): ProgramEffect {
  const [first] = operands;
  return first === undefined || known.test(first.word.text) ? "read" : "write";
}

/** Reading one key, or all; a second operand would write. */
function configConcerns({ operands, options }: CommandReading): Concern[] {
  const [first, second] = operands;
  if (first === undefined) return [];
  if (/^(get|list)$/.test(first.word.text)) return [];
  const reads = options.some(({ name }) => /^--(get|get-all|get-regexp|list)$/.test(name)) || second === undefined;
  if (reads && !/^(set|unset|edit|rename-section|remove-section)$/.test(first.word.text)) return [];
  return [{ type: "dangerous-option", detail: "writes git configuration, which can run programs", word: first.index }];
}

/** `ext::sh -c …` and its relatives run commands; a leading dash is an option in disguise. */
function addressConcerns({ operands }: CommandReading): Concern[] {
  return operands
    .filter(({ word }) => /::|^-/.test(word.text))
    .map(({ word, index }) => ({ type: "dangerous-option", detail: `${word.text} is no plain address`, word: index }));
}

/** The words behind it are a command. */
function startsProgram({ operands }: CommandReading, names: RegExp): Concern[] {
  const [first] = operands;
  if (first === undefined || !names.test(first.word.text)) return [];
  return [
    { type: "runs-program", detail: `git … ${first.word.text} runs what stands behind it`, word: first.index + 1 },
  ];
}
