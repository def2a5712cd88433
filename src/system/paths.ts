import { posix, win32 } from "node:path";

/** Where Ralph keeps what belongs to the user. Nothing here exists until somebody writes to it. */
export interface RalphPaths {
  config: string;
  data: string;
  sessions: string;
  blobs: string;
  artifacts: string;
  memory: string;
  database: string;
  credentials: string;
  sockets: string;
  loops: string;
  plugins: string;
  tools: string;
  logs: string;
  cache: string;
}

export interface PathSources {
  /** The user's home directory, absolute. */
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
}

/** `RALPH_HOME` moves everything; a relative value counts from the home directory, wherever Ralph was started. */
export function ralphPaths({ home, environment, platform }: PathSources): RalphPaths {
  const path = platform === "win32" ? win32 : posix;
  const override = environment.RALPH_HOME;
  if (override) {
    const root = path.resolve(home, override);
    return places(path.join(root, "config"), path.join(root, "data"), path);
  }
  const base = (name: string, ...standard: string[]) => {
    const value = environment[name];
    // The XDG specification: a relative path is invalid and must be ignored.
    return value && path.isAbsolute(value) ? value : path.join(home, ...standard);
  };
  return places(
    path.join(base("XDG_CONFIG_HOME", ".config"), "ralph"),
    path.join(base("XDG_DATA_HOME", ".local", "share"), "ralph"),
    path,
  );
}

function places(config: string, data: string, path: typeof posix): RalphPaths {
  const inData = (name: string) => path.join(data, name);
  return {
    config,
    data,
    sessions: inData("sessions"),
    blobs: inData("blobs"),
    artifacts: inData("artifacts"),
    memory: inData("memory"),
    database: inData("ralph.db"),
    credentials: inData("credentials.db"),
    sockets: inData("sockets"),
    loops: inData("loops"),
    plugins: inData("plugins"),
    tools: inData("tools"),
    logs: inData("logs"),
    cache: inData("cache"),
  };
}
