/** What replaces the person's own in the environment of a sandboxed command. */
export interface OwnPlaces {
  temporary: string;
  /** Where caches go that cannot be put in place of the person's; undefined where they can. */
  caches: string | undefined;
}

/** The environment of a sandboxed command: without the addresses of programs outside, and with folders of its own. */
export function sandboxEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  { temporary, caches }: OwnPlaces,
): Record<string, string | undefined> {
  const kept = Object.entries(environment).filter(([name]) => !ADDRESS_OUTSIDE.test(name));
  const redirected =
    caches === undefined ? [] : Object.entries(CACHE_VARIABLES).map(([name, folder]) => [name, `${caches}/${folder}`]);
  return { ...Object.fromEntries([...kept, ...redirected]), TMPDIR: temporary, TMP: temporary, TEMP: temporary };
}

/** How programs are told where to keep what they fetched or built. */
const CACHE_VARIABLES: Readonly<Record<string, string>> = {
  XDG_CACHE_HOME: "cache",
  GOCACHE: "go-build",
  PIP_CACHE_DIR: "pip",
  UV_CACHE_DIR: "uv",
  YARN_CACHE_FOLDER: "yarn",
  DENO_DIR: "deno",
  CCACHE_DIR: "ccache",
  GRADLE_USER_HOME: "gradle",
};

/** Agents, buses, displays and multiplexers: whoever reaches them can have something done outside. */
const ADDRESS_OUTSIDE =
  /^(SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|GPG_TTY|DBUS_.*_BUS_ADDRESS|DOCKER_HOST|CONTAINER_HOST|XDG_RUNTIME_DIR|DISPLAY|WAYLAND_DISPLAY|WAYLAND_SOCKET|XAUTHORITY|TMUX|TMUX_PANE|STY|VSCODE_(IPC|GIT).*|GIT_ASKPASS|SSH_ASKPASS|NVIM|NVIM_LISTEN_ADDRESS|KITTY_LISTEN_ON|WEZTERM_UNIX_SOCKET|LISTEN_FDS|LISTEN_PID|NOTIFY_SOCKET|PULSE_SERVER|SWAYSOCK|I3SOCK)$/;
