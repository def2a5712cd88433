import { expect, test } from "bun:test";
import fc from "fast-check";
import { bubblewrapArguments, orderFor, waitingArguments } from "../../../src/permissions/sandbox/bubblewrap.ts";
import {
  type ProfileInput,
  type SandboxFindings,
  sandboxProfile,
} from "../../../src/permissions/sandbox/sandbox-profile.ts";
import { seatbeltArguments, seatbeltProfile } from "../../../src/permissions/sandbox/seatbelt.ts";

const NOTHING: SandboxFindings = {
  secrets: [],
  sockets: [],
  kept: [],
  caches: [],
  names: [],
  gitFolders: [],
  pinned: [],
};

const INPUT: ProfileInput = {
  workspace: "/home/me/app",
  writable: ["/srv/shared"],
  home: "/home/me",
  temporary: "/data/session/tmp",
  emptyFile: "/data/session/empty",
  ownCaches: "/data/caches",
  network: false,
  platform: "linux",
  mostProcesses: 1024,
  protectedNames: [
    { level: "secret", reason: "secret", names: [".env", ".env.*", ".npmrc"], except: [".env.example"] },
    { level: "read-only", reason: "runs", names: [".git", ".vscode", ".cargo/config*", "/etc/profile"] },
  ],
  findings: {
    ...NOTHING,
    secrets: [
      { path: "/home/me/.ssh", kind: "directory" },
      { path: "/home/me/.netrc", kind: "file" },
    ],
    sockets: [{ path: "/run", kind: "directory" }],
    kept: ["/run/current-system"],
    caches: [
      { path: "/home/me/.cache", source: "/data/caches/.cache", way: "own" },
      { path: "/home/me/.cache/puppeteer", source: "/home/me/.cache/puppeteer", way: "read-only" },
      { path: "/home/me/.npm/_cacache", source: "/home/me/.npm/_cacache", way: "shared" },
    ],
    names: [
      { path: "/home/me/app/.vscode", kind: "directory", isHidden: false },
      { path: "/home/me/app/.env", kind: "file", isHidden: true },
    ],
    gitFolders: [
      { path: "/home/me/app/.git", isPinned: true, existing: ["config", "hooks"] },
      { path: "/home/me/app/sub/.git", isPinned: false, existing: ["config"] },
    ],
  },
};

test("a profile puts what is deeper over what it is in", () => {
  expect(sandboxProfile(INPUT).layers).toEqual([
    { type: "writable", path: "/tmp", source: "/data/session/tmp" },
    { type: "hidden", path: "/run", kind: "directory" },
    { type: "writable", path: "/var/tmp", source: "/data/session/tmp" },
    { type: "read-only", path: "/run/current-system" },
    { type: "writable", path: "/srv/shared", source: "/srv/shared" },
    { type: "hidden", path: "/home/me/.ssh", kind: "directory" },
    { type: "hidden", path: "/home/me/.netrc", kind: "file" },
    { type: "writable", path: "/home/me/.cache", source: "/data/caches/.cache" },
    { type: "writable", path: "/home/me/app", source: "/home/me/app" },
    { type: "read-only", path: "/home/me/.cache/puppeteer" },
    { type: "writable", path: "/home/me/.npm/_cacache", source: "/home/me/.npm/_cacache" },
    { type: "writable", path: "/home/me/app/.git", source: "/home/me/app/.git" },
    { type: "read-only", path: "/home/me/app/.vscode" },
    { type: "hidden", path: "/home/me/app/.env", kind: "file" },
    { type: "read-only", path: "/home/me/app/.git/config" },
    { type: "read-only", path: "/home/me/app/.git/hooks" },
    { type: "read-only", path: "/home/me/app/sub/.git/config" },
  ]);
});

test("of several wishes for one place the strictest counts", () => {
  const findings: SandboxFindings = { ...NOTHING, secrets: [{ path: "/srv/shared", kind: "directory" }] };
  expect(sandboxProfile({ ...INPUT, findings }).layers.filter(({ path }) => path === "/srv/shared")).toEqual([
    { type: "hidden", path: "/srv/shared", kind: "directory" },
  ]);
});

test("a home among the temporary files stays visible", () => {
  const input: ProfileInput = {
    ...INPUT,
    home: "/tmp/home",
    workspace: "/tmp/home/app",
    findings: NOTHING,
    writable: [],
  };
  expect(sandboxProfile(input).layers).toEqual([
    { type: "writable", path: "/tmp", source: "/data/session/tmp" },
    { type: "writable", path: "/var/tmp", source: "/data/session/tmp" },
    { type: "read-only", path: "/tmp/home" },
    { type: "writable", path: "/tmp/home/app", source: "/tmp/home/app" },
  ]);
});

const COMMAND = { argv: ["/bin/bash", "-c", "make"], cwd: "/home/me/app/sub" };
const LIMIT = "ulimit -u 1024 2>/dev/null || ulimit -p 1024 2>/dev/null";

test("bubblewrap gets the layers in order, then everything else that separates", () => {
  const argv = bubblewrapArguments(
    { path: "/usr/bin/bwrap", forbidsNamespaces: true, setsSignals: true },
    sandboxProfile(INPUT),
    COMMAND,
  );
  expect(argv).toEqual([
    ...["/usr/bin/env", "--ignore-signal=TERM", "/usr/bin/bwrap"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...["--bind", "/data/session/tmp", "/tmp"],
    ...["--tmpfs", "/run"],
    ...["--bind", "/data/session/tmp", "/var/tmp"],
    ...["--ro-bind", "/run/current-system", "/run/current-system"],
    ...["--bind", "/srv/shared", "/srv/shared"],
    ...["--tmpfs", "/home/me/.ssh"],
    ...["--ro-bind", "/data/session/empty", "/home/me/.netrc"],
    ...["--bind", "/data/caches/.cache", "/home/me/.cache"],
    ...["--bind", "/home/me/app", "/home/me/app"],
    ...["--ro-bind", "/home/me/.cache/puppeteer", "/home/me/.cache/puppeteer"],
    ...["--bind", "/home/me/.npm/_cacache", "/home/me/.npm/_cacache"],
    ...["--bind", "/home/me/app/.git", "/home/me/app/.git"],
    ...["--ro-bind", "/home/me/app/.vscode", "/home/me/app/.vscode"],
    ...["--ro-bind", "/data/session/empty", "/home/me/app/.env"],
    ...["--ro-bind", "/home/me/app/.git/config", "/home/me/app/.git/config"],
    ...["--ro-bind", "/home/me/app/.git/hooks", "/home/me/app/.git/hooks"],
    ...["--ro-bind", "/home/me/app/sub/.git/config", "/home/me/app/sub/.git/config"],
    ...["--remount-ro", "/proc", "--remount-ro", "/run", "--remount-ro", "/home/me/.ssh"],
    ...[
      "--unshare-user",
      "--disable-userns",
      "--unshare-pid",
      "--unshare-ipc",
      "--unshare-uts",
      "--unshare-cgroup-try",
    ],
    ...["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    "--unshare-net",
    ...["--chdir", "/home/me/app/sub", "--"],
    ...[
      "/usr/bin/env",
      "--default-signal=TERM",
      "/bin/sh",
      "-c",
      `${LIMIT}; exec "$@"`,
      "sh",
      "/bin/bash",
      "-c",
      "make",
    ],
  ]);
});

test("a sandbox that waits for its command is the same but for the command", () => {
  const program = { path: "/usr/bin/bwrap", forbidsNamespaces: true, setsSignals: true };
  const profile = sandboxProfile(INPUT);
  const at = (argv: string[]) => argv.indexOf("/bin/sh");
  const [direct, waits] = [
    bubblewrapArguments(program, profile, COMMAND),
    waitingArguments(program, profile, COMMAND.cwd),
  ];
  expect(waits.slice(0, at(waits))).toEqual(direct.slice(0, at(direct)));
  expect(waits.slice(at(waits))).toEqual(["/bin/sh", "-c", `${LIMIT}; echo >&4; exec 4>&-; . /dev/fd/3`]);
});

test("an order is read by a shell as the words of the command, whatever is in them", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" }).map((word) => word.replaceAll("\0", ""))), (words) => {
      const order = orderFor(["printf", "%s\\0", "first", ...words]);
      const { stdout } = Bun.spawnSync(["/bin/sh", "-c", order]);
      expect(stdout.toString()).toBe(["first", ...words, ""].join("\0"));
    }),
    { numRuns: 60, examples: [[["it's", "a\nb", '$(x) `y` \\ "z"', "", "--", "é"]]] },
  );
});

test("with the network granted, and with an older bubblewrap, only those words are missing", () => {
  const program = { path: "/usr/bin/bwrap", forbidsNamespaces: true, setsSignals: true };
  const strict = bubblewrapArguments(program, sandboxProfile(INPUT), COMMAND);
  const loose = bubblewrapArguments(
    { ...program, forbidsNamespaces: false },
    sandboxProfile({ ...INPUT, network: true }),
    COMMAND,
  );
  expect(loose).toEqual(strict.filter((word) => word !== "--unshare-net" && word !== "--disable-userns"));
});

const MAC: ProfileInput = {
  ...INPUT,
  platform: "darwin",
  workspace: '/Users/me/a (b) "c"',
  writable: [],
  home: "/Users/me",
  findings: {
    ...NOTHING,
    secrets: [{ path: "/Users/me/.ssh", kind: "directory" }],
    names: [{ path: '/Users/me/a (b) "c"/.vscode', kind: "directory", isHidden: false }],
  },
};

test("seatbelt gets the same layers as rules, and the protected names as expressions that need no file", () => {
  const { text, parameters } = seatbeltProfile(sandboxProfile(MAC));
  const start = "^/Users/me/a \\(b\\) .c./(.*/)?";
  const git = "\\.[gG][iI][tT]";
  expect(parameters).toEqual({
    PLACE_0: "/data/caches",
    PLACE_1: "/data/session/tmp",
    PLACE_2: "/Users/me/.ssh",
    PLACE_3: '/Users/me/a (b) "c"',
    PLACE_4: '/Users/me/a (b) "c"/.vscode',
  });
  const lines = text.split("\n");
  expect(lines.slice(0, 5)).toEqual([
    "(version 1)",
    "(deny default)",
    "(allow process-exec)",
    "(allow process-fork)",
    "(allow signal (target same-sandbox))",
  ]);
  expect(lines.slice(lines.indexOf('(allow file-read* file-write* (subpath (param "PLACE_0")))'))).toEqual([
    '(allow file-read* file-write* (subpath (param "PLACE_0")))',
    '(allow file-read* file-write* (subpath (param "PLACE_1")))',
    '(deny file-read* file-write* (subpath (param "PLACE_2")))',
    '(allow file-read* file-write* (subpath (param "PLACE_3")))',
    '(allow file-read* (subpath (param "PLACE_4")))',
    '(deny file-write* (subpath (param "PLACE_4")))',
    `(deny file-write* (regex #"${start}\\.[nN][pP][mM][rR][cC](/|$)"))`,
    `(deny file-read-data file-write* (regex #"${start}\\.[eE][nN][vV](/|$)" #"${start}\\.[eE][nN][vV]\\.[^/]*(/|$)"))`,
    `(allow file-read-data (regex #"${start}\\.[eE][nN][vV]\\.[eE][xX][aA][mM][pP][lL][eE](/|$)"))`,
    `(deny file-write* (regex #"${start}\\.[vV][sS][cC][oO][dD][eE](/|$)" #"${start}\\.[cC][aA][rR][gG][oO]/[cC][oO][nN][fF][iI][gG][^/]*(/|$)"))`,
    `(deny file-write-create file-write-unlink (regex #"${start}${git}$"))`,
    expect.stringMatching(
      /^\(deny file-write\* \(regex #".*\\\.\[gG\]\[iI\]\[tT\]\/\(\(modules\|worktrees\)\/\.\*\/\)\?\(.*\[hH\]\[oO\]\[oO\]\[kK\]\[sS\].*\)\(\/\|\$\)"\)\)$/,
    ),
    "(deny network*)",
    "",
  ]);
});

test("the expressions of seatbelt fit the names that do not exist yet, and nothing that only looks like them", () => {
  const { text } = seatbeltProfile(sandboxProfile({ ...MAC, workspace: "/Users/me/app" }));
  const denied = text.split("\n").filter((line) => line.startsWith("(deny file-write"));
  const expressions = denied.flatMap((line) =>
    [...line.matchAll(/#"([^"]*)"/g)].map(([, source = ""]) => new RegExp(source)),
  );
  const isDenied = (path: string) => expressions.some((expression) => expression.test(`/Users/me/app/${path}`));
  const protectedPaths = [
    ".vscode",
    ".VSCode/tasks.json",
    "a/b/.vscode/x",
    ".git/hooks/pre-commit",
    ".git/config",
    ".git/modules/x/config",
    "sub/.git",
    ".cargo/config.toml",
    ".npmrc",
  ];
  const ordinary = [
    ".vscodeignore",
    "vscode/x",
    ".git/index",
    ".git/refs/heads/config",
    ".git/objects/ab/cd",
    ".gitignore",
    "src/.cargo/x",
    "config",
  ];
  expect([protectedPaths.filter((path) => !isDenied(path)), ordinary.filter(isDenied)]).toEqual([[], []]);
});

test("seatbelt runs the command with the rules and the places beside each other", () => {
  const profile = sandboxProfile({ ...MAC, network: true });
  const { text, parameters } = seatbeltProfile(profile);
  const definitions = Object.entries(parameters).flatMap(([name, value]) => ["-D", `${name}=${value}`]);
  expect(seatbeltArguments("/usr/bin/sandbox-exec", profile, COMMAND)).toEqual([
    "/usr/bin/sandbox-exec",
    "-p",
    text,
    ...definitions,
    "--",
    ...["/bin/sh", "-c", 'ulimit -u 1024 2>/dev/null; exec "$@"', "sh", "/bin/bash", "-c", "make"],
  ]);
  expect(text).toContain("(allow network-outbound (remote ip))");
  expect(text).not.toContain("(deny network*)");
});
