import type { Concern } from "../command-analysis.ts";
import type { CommandReading } from "../option-reading.ts";
import { type ProgramTable, rows } from "../program-table.ts";
import { awkConcerns, jqConcerns, sedConcerns, sedOperands } from "./text-programs.ts";

// Programs that read text and print it. Left out on purpose, so that they ask: options that write, run or read a list of names
// (sort -o, --compress-program; rg --pre, -z; wc --files0-from; file -C, -m; shuf -o; split and csplit write by nature).

const HELP = "--help --version";

function reads(options: string, more: Partial<ProgramTable> = {}): ProgramTable {
  return { effect: "read", options: `${HELP} ${options}`, ...more };
}

const GREP_OPTIONS = `-a -b -c -E -F -G -h -H -i -I -l -L -n -o -P -q -r -R -s -T -U -v -w -x -y -z -Z
  -A= -B= -C= -d= -D= -e= -f=read -m=
  --text --byte-offset --count --extended-regexp --fixed-strings --basic-regexp --perl-regexp --no-filename --with-filename
  --ignore-case --no-ignore-case --files-with-matches --files-without-match --line-number --only-matching --quiet --silent
  --recursive --dereference-recursive --no-messages --initial-tab --invert-match --word-regexp --line-regexp --null-data --null
  --line-buffered --after-context= --before-context= --context= --color=? --colour=? --directories= --devices= --regexp=
  --file=read --max-count= --include= --exclude= --exclude-dir= --exclude-from=read --label= --binary-files=`;

const GREP = reads(GREP_OPTIONS, {
  operands: ["text", "read"],
  insteadOfFirst: "-e -f --regexp --file",
  numbers: true,
  careless: true,
});

const RG = reads(
  `-a -b -c -F -h -H -i -I -l -L -n -N -o -p -P -q -s -S -u -U -v -V -w -x -0 -. -A= -B= -C= -d= -e= -E= -f=read -g= -j= -m= -M= -r= -t= -T=
  --after-context= --before-context= --binary --block-buffered --byte-offset --case-sensitive --color= --colors= --column --no-column
  --context= --context-separator= --count --count-matches --crlf --debug --encoding= --engine= --field-context-separator=
  --field-match-separator= --file=read --files --files-with-matches --files-without-match --fixed-strings --follow --glob=
  --glob-case-insensitive --heading --no-heading --hidden --no-hidden --iglob= --ignore-case --ignore-file=read --include-zero
  --invert-match --json --line-buffered --line-number --no-line-number --line-regexp --max-columns= --max-columns-preview
  --max-count= --max-depth= --max-filesize= --mmap --no-config --no-filename --no-ignore --no-ignore-dot --no-ignore-exclude
  --no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs --no-messages --no-mmap
  --no-require-git --no-unicode --null --null-data --one-file-system --only-matching --passthru --pcre2 --pcre2-version --pretty
  --quiet --regex-size-limit= --regexp= --replace= --smart-case --sort= --sortr= --stats --stop-on-nonmatch --text --threads=
  --trim --type= --type-add= --type-list --type-not= --unrestricted --vimgrep --with-filename --word-regexp --multiline
  --multiline-dotall`,
  {
    operands: ["text", "read"],
    insteadOfFirst: "-e -f --regexp --file --files --type-list",
    numbers: false,
  },
);

const CHECKSUMS = reads(
  "-a= -b -c -t -w -z -l= --algorithm= --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn --length= --untagged --raw --base64",
  { careless: true },
);

export const TEXT_TOOLS: Readonly<Record<string, ProgramTable>> = {
  ...rows("grep egrep fgrep", GREP),
  rg: RG,
  cat: reads(
    "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting",
    {
      careless: true,
    },
  ),
  tac: reads("-b -r -s= --before --regex --separator=", { careless: true }),
  nl: reads("-b= -d= -f= -h= -i= -l= -n= -p -s= -v= -w= --body-numbering= --number-width= --number-format=", {
    careless: true,
  }),
  head: reads("-c= -n= -q -v -z --bytes= --lines= --quiet --silent --verbose --zero-terminated", {
    careless: true,
    numbers: true,
  }),
  tail: reads(
    "-c= -f -F -n= -q -s= -v -z -r --bytes= --follow=? --lines= --retry --quiet --silent --verbose --sleep-interval= --zero-terminated",
    {
      careless: true,
      numbers: true,
    },
  ),
  wc: reads("-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total=", { careless: true }),
  cut: reads(
    "-b= -c= -d= -f= -n -s -z --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated",
    {
      careless: true,
    },
  ),
  tr: reads("-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1", { operands: ["text"] }),
  sort: reads(
    `-b -c -C -d -f -g -h -i -k= -m -M -n -r -R -s -S= -t= -u -V -z --ignore-leading-blanks --dictionary-order --ignore-case
    --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --sort=
    --version-sort --check=? --debug --key= --merge --stable --buffer-size= --field-separator= --parallel= --unique --zero-terminated`,
  ),
  uniq: reads(
    "-c -d -D -f= -i -s= -u -w= -z --count --repeated --all-repeated=? --skip-fields= --group=? --ignore-case --skip-chars= --unique --zero-terminated --check-chars=",
    { operands: ["read", "danger"] },
  ),
  comm: reads("-1 -2 -3 -z --check-order --nocheck-order --output-delimiter= --total --zero-terminated", {
    careless: true,
  }),
  ...rows(
    "diff cmp",
    reads(
      `-a -b -B -c -C= -d -e -E -f -i -I= -l -L= -n -N -p -q -r -s -S= -t -T -u -U= -v -w -W= -x= -X=read -y -Z -D= -F= --text --brief --color=?
      --context=? --exclude= --exclude-from=read --expand-tabs --ignore-all-space --ignore-blank-lines --ignore-case
      --ignore-file-name-case --ignore-matching-lines= --ignore-space-change --ignore-tab-expansion --ignore-trailing-space --label=
      --left-column --minimal --new-file --no-dereference --normal --rcs --recursive --report-identical-files --side-by-side
      --show-c-function --speed-large-files --starting-file= --strip-trailing-cr --suppress-common-lines --suppress-blank-empty
      --unified=? --unidirectional-new-file --width= --tabsize= --bytes= --silent --quiet --verbose --print-bytes --ignore-initial=`,
      { careless: true, numbers: true },
    ),
  ),
  paste: reads("-d= -s -z --delimiters= --serial --zero-terminated", { careless: true }),
  join: reads("-1= -2= -a= -e= -i -j= -o= -t= -v= -z --ignore-case --check-order --nocheck-order --header", {
    careless: true,
  }),
  ...rows("rev expand unexpand", reads("-a -i -t= --all --initial --tabs= --first-only", { careless: true })),
  ...rows(
    "fold fmt",
    reads("-b -c -s -t -u -w= -g= -p= --bytes --spaces --width= --goal= --prefix=", { careless: true }),
  ),
  column: reads(
    "-c= -e -J -l= -n= -N= -o= -r= -R= -s= -t -T= -x -H= -d -O= -W= -E= --json --separator= --table --output-separator=",
    {
      careless: true,
    },
  ),
  strings: reads("-a -d -e= -f -n= -o -t= -w --all --bytes= --encoding= --radix= --print-file-name", {
    careless: true,
    numbers: true,
  }),
  od: reads(
    "-A= -a -b -c -d -f -i -j= -l -N= -o -s -S=? -t= -v -w=? -x --address-radix= --format= --read-bytes= --skip-bytes=",
    {
      careless: true,
    },
  ),
  hexdump: reads("-b -c -C -d -e= -n= -o -s= -v -x", { careless: true }),
  xxd: reads("-a -b -c= -C -d -e -E -g= -i -l= -n= -o= -p -s= -u -ps", { operands: ["read", "danger"] }),
  ...rows("base64 base32", reads("-d -D -i -w= --decode --ignore-garbage --wrap=", { careless: true })),
  ...rows("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum cksum b2sum sum md5", CHECKSUMS),
  seq: reads("-f= -s= -w --format= --separator= --equal-width", { operands: ["text"], numbers: true }),
  tsort: reads("", { careless: true }),
  shuf: reads("-e -i= -n= -r -z --echo --input-range= --head-count= --repeat --zero-terminated"),
  iconv: reads("-c -f= -l -s -t= --from-code= --to-code= --list --silent"),
  ...rows(
    "less more",
    reads("-N -R -S -X -F -E -r -n -i -I -e -g -m -M -s -Q", { effect: "code", check: pagerConcerns }),
  ),
  file: reads(
    "-b -h -i -I -k -L -N -p -s -z -0 -F= --brief --dereference --mime --mime-type --mime-encoding --no-pad --keep-going",
  ),
  sed: reads(
    "-n -e= -E -r -s -u -z -l= -i=?danger --in-place=?danger --quiet --silent --expression= --regexp-extended --separate --unbuffered --null-data --posix --debug --line-length= --sandbox",
    {
      operands: ["text", "read"],
      insteadOfFirst: "-e --expression",
      check: sedConcerns,
      operandKinds: sedOperands,
    },
  ),
  ...rows(
    "awk gawk mawk nawk",
    reads("-F= -v= --field-separator= --assign= -W=danger", {
      operands: ["text", "read"],
      strictOrder: true,
      check: awkConcerns,
    }),
  ),
  jq: reads(
    "-a -c -C -e -j -M -n -r -R -s -S --ascii-output --compact-output --color-output --exit-status --join-output --monochrome-output --null-input --raw-output --raw-input --slurp --sort-keys --tab --indent= --stream --seq --unbuffered",
    { operands: ["text", "read"], check: jqConcerns },
  ),
  yq: reads(
    "-r -e -M -C -j -y -P -N -o= -p= -I= --prettyPrint --output-format= --input-format= --no-colors --colors --unwrapScalar=? --exit-status --null-input -n",
    { operands: ["text", "read"], check: jqConcerns },
  ),
  bat: reads(
    "-n -p -pp -A -l= -r= -P --language= --line-range= --plain --number --paging= --color= --style= --theme= --no-pager --show-all --wrap=",
  ),
  ...rows(
    "ag ack",
    reads(
      "-i -l -L -n -c -w -Q -v -s -S -H -h -o -A= -B= -C= -g= -G= -m= --ts --js --py --go --rust --nocolor --nogroup --hidden --ignore= --ignore-dir=",
      {
        operands: ["text", "read"],
      },
    ),
  ),
  tee: { effect: "write", options: `${HELP} -a -i -p --append --ignore-interrupts`, operands: ["write"] },
  split: {
    effect: "write",
    options: `${HELP} -a= -b= -C= -d -l= -n= -x --lines= --bytes= --numeric-suffixes=? --suffix-length=`,
    operands: ["read", "write"],
  },
};

/** `+!id` is a command typed on the way in. */
function pagerConcerns({ operands }: CommandReading): Concern[] {
  return operands
    .filter(({ word }) => word.text.startsWith("+"))
    .map(({ index }) => ({ type: "runs-code", detail: "a pager runs what stands behind +", word: index }));
}
