import type { Concern } from "../command-analysis.ts";
import type { CommandReading } from "../option-reading.ts";
import { type ProgramTable, rows } from "../program-table.ts";

// Programs that talk to other machines, and archives. Their options write files, read configuration and run programs: few are known.

function network(options: string, more: Partial<ProgramTable> = {}): ProgramTable {
  return { effect: "network", options: `--help --version ${options}`, operands: ["text"], network: true, ...more };
}

export const NETWORK_TOOLS: Readonly<Record<string, ProgramTable>> = {
  curl: network(
    `-f -g -G -i -I -k -L -N -q -s -S -v -V -4 -6 -# -A= -H= -X= -m= -r= -e= --compressed --connect-timeout= --fail --fail-with-body --get --globoff
    --head --header= --http1.1 --http2 --include --insecure --ipv4 --ipv6 --location --max-redirs= --max-time= --no-buffer --no-progress-meter
    --progress-bar --request= --retry= --retry-delay= --retry-max-time= --show-error --silent --url= --user-agent= --verbose --referer= -d= --data=
    --data-raw= --data-urlencode= --json= -w= --write-out= -o=write --output=write`,
    { check: curlConcerns },
  ),
  wget: network(
    "-q -v -S -T= -t= -4 -6 --quiet --spider --server-response --timeout= --tries= --no-verbose -nv --max-redirect= --header= -O=write --output-document=write -P=write",
    { check: wgetConcerns },
  ),
  ...rows(
    "ping ping6 traceroute dig nslookup host whois",
    network("-4 -6 -c= -i= -n -q -s= -t= -v -W= -w= -x= -a +short"),
  ),
  ...rows("ssh scp sftp nc ncat netcat telnet ftp socat mosh rclone", network("-V", { check: remoteConcerns })),
  rsync: {
    effect: "write",
    options:
      "-a -v -z -r -n -h -P -u -t -p -l -q --archive --verbose --dry-run --delete --exclude= --include= --progress --stats --recursive --update --quiet --checksum -c",
    operands: ["write"],
    check: rsyncConcerns,
  },
  ...rows(
    "tar bsdtar",
    archive("-t -v -f=read -z -j -J --list --verbose --file=read --gzip --bzip2 --xz", tarConcerns),
  ),
  ...rows("zipinfo", { effect: "read", options: "-1 -2 -h -l -m -s -t -v" }),
  unzip: archive("-l -v -t -q -Z", listOnly),
  ...rows("zip 7z 7za 7zr cpio ar unrar", { effect: "write", options: "", operands: ["danger"] }),
  ...rows("gzip gunzip bzip2 bunzip2 xz unxz zstd", {
    effect: "write",
    options:
      "-c -d -k -l -n -q -t -v -1 -2 -3 -4 -5 -6 -7 -8 -9 --stdout --decompress --keep --list --quiet --test --verbose",
    operands: ["write"],
  }),
  ...rows("zcat bzcat xzcat", { effect: "read", options: "-f -q -v" }),
};

function archive(options: string, check: ProgramTable["check"]): ProgramTable {
  return { effect: "read", options: `--help --version ${options}`, operands: ["read"], check };
}

/** A value that starts with @ is read from a file and sent away; `-w @file` and `%output{…}` read and write. */
function curlConcerns({ options, operands }: CommandReading): Concern[] {
  const fromFile = options.filter(
    ({ name, value }) =>
      /^(-d|--data|--data-urlencode|--json|-H|--header|-w|--write-out)$/.test(name) &&
      /^@|^[^=&]*@[./~]|%output\{/.test(value?.text ?? ""),
  );
  const encoded = options.filter(({ name, value }) => name === "--data-urlencode" && /^[^=]*@/.test(value?.text ?? ""));
  const strange = operands.filter(
    ({ word }) =>
      !/^(https?:\/\/)?[\w.-]+\.?[\w.-]*(:\d+)?([/?#].*)?$/i.test(word.text) ||
      /^(file|ftp|dict|gopher|scp|smb|telnet|ldap):/i.test(word.text),
  );
  return [
    ...[...fromFile, ...encoded].map(
      ({ word }): Concern => ({ type: "dangerous-option", detail: "curl reads a file to send or write", word }),
    ),
    ...strange.map(
      ({ word, index }): Concern => ({
        type: "dangerous-option",
        detail: `${word.text} is no plain web address`,
        word: index,
      }),
    ),
  ];
}

/** Without -O it makes a file of a name the other side chooses. */
function wgetConcerns({ options, operands }: CommandReading): Concern[] {
  if (operands.length === 0 || options.some(({ name }) => /^(-O|--output-document|--spider)$/.test(name))) return [];
  return [{ type: "dangerous-option", detail: "wget writes a file" }];
}

function rsyncConcerns({ operands }: CommandReading): Concern[] {
  return operands
    .filter(({ word }) => word.text.includes(":"))
    .map(({ word, index }) => ({ type: "runs-program", detail: `${word.text} is on another machine`, word: index }));
}

function remoteConcerns({ words }: CommandReading): Concern[] {
  if (words.length === 2 && words[1]?.text === "-V") return [];
  return [{ type: "runs-program", detail: `${words[0]?.text} can run programs here and elsewhere` }];
}

/** Only listing: the old style `tar tf x` is read as what it is not, so it asks with the rest. */
function tarConcerns({ options, operands, words }: CommandReading): Concern[] {
  const lists = options.some(({ name }) => name === "-t" || name === "--list");
  if (words.some(({ text }) => text.includes(":")))
    return [{ type: "runs-program", detail: "an archive on another machine" }];
  if (lists || (words.length === 2 && options.length === 1)) return [];
  if (/^z?tv?z?f$/.test(operands[0]?.word.text ?? "") && operands.length === 2 && options.length === 0) return [];
  return [{ type: "dangerous-option", detail: "unpacks or writes an archive" }];
}

function listOnly({ options, words }: CommandReading): Concern[] {
  if (options.some(({ name }) => /^-[lvtZ]$/.test(name))) return [];
  return [{ type: "dangerous-option", detail: `${words[0]?.text} unpacks an archive` }];
}
