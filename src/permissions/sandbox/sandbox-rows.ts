// What the sandbox does with places everybody has, as data. Paths without a leading slash count from the home.

/** Stores of passwords, sessions and keys beside those among the protected names; hidden where they exist. */
export const SECRET_PLACES: readonly string[] = [
  ".config/BraveSoftware",
  ".config/microsoft-edge",
  ".config/vivaldi",
  ".config/opera",
  ".librewolf",
  ".thunderbird",
  "snap/firefox",
  "snap/chromium",
  ".var/app",
  "Library/Application Support/Google/Chrome",
  "Library/Application Support/Firefox",
  "Library/Application Support/BraveSoftware",
  "Library/Safari",
  "Library/Cookies",
  "Library/Messages",
  "Library/Mail",
  ".config/Bitwarden",
  ".config/Bitwarden CLI",
  ".config/1Password",
  ".1password",
  ".config/keepassxc",
  ".local/share/kwalletd",
  ".config/github-copilot",
  ".config/doctl",
  ".config/heroku",
  ".config/fly",
  ".fly",
  ".config/configstore",
  ".config/Slack",
  ".config/discord",
  ".config/Signal",
  ".config/solana",
  ".ethereum",
  ".bitcoin",
  ".electrum",
  ".local/share/opencode/auth.json",
  ".local/share/fish/fish_history",
  ".python_history",
  ".node_repl_history",
  ".psql_history",
  ".mysql_history",
  // Only root can read these, and inside a sandbox root still may.
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/sudoers",
  "/etc/ssh/ssh_host_rsa_key",
  "/etc/ssh/ssh_host_ecdsa_key",
  "/etc/ssh/ssh_host_ed25519_key",
];

/**
 * Folders of sockets: whoever may connect to one asks a program outside to act, and a read-only mount does not stop that.
 * They are emptied.
 */
export const SOCKET_PLACES: readonly string[] = [
  "/run",
  "/var/run",
  "/var/lib/lxd",
  "/var/lib/incus",
  "/var/snap/lxd/common/lxd",
  ".docker/run",
  ".docker/desktop",
  ".colima",
  ".lima",
  ".orbstack",
  ".rd",
  ".local/share/containers/podman",
];

/** Of these places, what programs need to read. */
export const KEPT_PLACES: readonly { path: string; onlyWithNetwork: boolean }[] = [
  { path: "/run/current-system", onlyWithNetwork: false },
  { path: "/run/booted-system", onlyWithNetwork: false },
  { path: "/run/opengl-driver", onlyWithNetwork: false },
  { path: "/run/systemd/resolve", onlyWithNetwork: true },
  { path: "/run/NetworkManager/resolv.conf", onlyWithNetwork: true },
  { path: "/run/resolvconf", onlyWithNetwork: true },
];

/**
 * `shared`: written in place, because every reader compares what it reads with a checksum, or nobody runs it.
 * `own`: the sandbox has a folder of its own there, so that nothing made inside is run outside.
 * `read-only`: the person's own, below a folder that is `own`.
 */
export interface CacheRow {
  path: string;
  way: "shared" | "own" | "read-only";
}

/** Where package managers keep what they fetched; only where it exists. Folders of programs are never among them. */
export const CACHE_ROWS: readonly CacheRow[] = [
  { path: ".npm/_cacache", way: "shared" },
  { path: ".npm/_logs", way: "shared" },
  { path: ".cargo/registry/index", way: "shared" },
  { path: ".cargo/registry/cache", way: "shared" },
  { path: ".cargo/registry/src", way: "own" },
  { path: ".cargo/git/db", way: "shared" },
  { path: ".cargo/git/checkouts", way: "own" },
  { path: "go/pkg/mod", way: "own" },
  { path: "go/pkg/mod/cache/download", way: "shared" },
  { path: ".bun/install/cache", way: "own" },
  { path: ".gradle", way: "own" },
  { path: ".gradle/wrapper", way: "read-only" },
  { path: ".cache", way: "own" },
  { path: ".cache/ms-playwright", way: "read-only" },
  { path: ".cache/puppeteer", way: "read-only" },
  { path: ".cache/Cypress", way: "read-only" },
  { path: ".cache/huggingface/hub", way: "read-only" },
  { path: "Library/Caches", way: "own" },
];

/**
 * Names in the top folder of a workspace that something outside obeys as soon as somebody opens, enters or looks at the folder.
 * They cannot be made where they are missing.
 */
export const HELD_NAMES: readonly string[] = [
  ".git",
  ".git/hooks",
  ".vscode",
  ".idea",
  ".mcp.json",
  ".claude",
  ".cursor",
  ".codex",
  ".gemini",
  ".ralph",
];

/** The same where the workspace is the home itself: what starts with the person's next shell or desktop. */
export const HELD_IN_HOME: readonly string[] = [
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".ssh",
  ".gitconfig",
  ".config/autostart",
  ".config/systemd",
  ".local/bin",
];

/** In a folder git uses: what runs programs or leads to another configuration. The rest git must write to make a commit. */
export const GIT_READ_ONLY: readonly string[] = [
  "config",
  "config.worktree",
  "hooks",
  "commondir",
  "gitdir",
  "info/attributes",
  "modules",
  "worktrees",
];

/** Of Ralph's data, what a command may read. The rest is hidden: conversations, credentials, sockets. */
export const READABLE_DATA: readonly string[] = ["artifacts", "tools", "plugins"];

/** Secret by their names, but the programs and tests of a project cannot do without; readable inside the workspace. */
export const READABLE_IN_WORKSPACE: ReadonlySet<string> = new Set([
  ".npmrc",
  "privkey*.pem",
  "*private*.pem",
  "*private*.key",
  "*-key.pem",
  "key.pem",
  "*.p12",
  "*.pfx",
  "*.jks",
  "*.keystore",
]);
