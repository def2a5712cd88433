import { expect, test } from "bun:test";
import { ralphPaths } from "../../src/system/paths.ts";

test("every named place lies below the home directory by default", () => {
  expect(ralphPaths({ home: "/home/a", environment: {}, platform: "linux" })).toEqual({
    config: "/home/a/.config/ralph",
    data: "/home/a/.local/share/ralph",
    sessions: "/home/a/.local/share/ralph/sessions",
    blobs: "/home/a/.local/share/ralph/blobs",
    artifacts: "/home/a/.local/share/ralph/artifacts",
    memory: "/home/a/.local/share/ralph/memory",
    database: "/home/a/.local/share/ralph/ralph.db",
    credentials: "/home/a/.local/share/ralph/credentials.db",
    sockets: "/home/a/.local/share/ralph/sockets",
    loops: "/home/a/.local/share/ralph/loops",
    plugins: "/home/a/.local/share/ralph/plugins",
    tools: "/home/a/.local/share/ralph/tools",
    logs: "/home/a/.local/share/ralph/logs",
    cache: "/home/a/.local/share/ralph/cache",
  });
});

const roots: [string, Record<string, string>, { config: string; data: string }][] = [
  [
    "absolute XDG directories",
    { XDG_CONFIG_HOME: "/c", XDG_DATA_HOME: "/d" },
    { config: "/c/ralph", data: "/d/ralph" },
  ],
  [
    "relative and empty XDG directories, which do not count",
    { XDG_CONFIG_HOME: "c", XDG_DATA_HOME: "" },
    { config: "/home/a/.config/ralph", data: "/home/a/.local/share/ralph" },
  ],
  [
    "RALPH_HOME, which wins over XDG",
    { RALPH_HOME: "/r", XDG_CONFIG_HOME: "/c", XDG_DATA_HOME: "/d" },
    { config: "/r/config", data: "/r/data" },
  ],
  ["a relative RALPH_HOME", { RALPH_HOME: "r" }, { config: "/home/a/r/config", data: "/home/a/r/data" }],
  [
    "an empty RALPH_HOME, which does not count",
    { RALPH_HOME: "" },
    { config: "/home/a/.config/ralph", data: "/home/a/.local/share/ralph" },
  ],
];
for (const [name, environment, expected] of roots) {
  test(`the roots follow ${name}`, () => {
    const { config, data } = ralphPaths({ home: "/home/a", environment, platform: "linux" });
    expect({ config, data }).toEqual(expected);
  });
}

test("RALPH_HOME moves the sockets too", () => {
  expect(ralphPaths({ home: "/h", environment: { RALPH_HOME: "/r" }, platform: "darwin" }).sockets).toBe(
    "/r/data/sockets",
  );
});

test("Windows paths are built with its own separator", () => {
  const paths = ralphPaths({
    home: "C:\\Users\\a",
    environment: { XDG_DATA_HOME: "D:\\data" },
    platform: "win32",
  });
  expect([paths.config, paths.database]).toEqual(["C:\\Users\\a\\.config\\ralph", "D:\\data\\ralph\\ralph.db"]);
});
