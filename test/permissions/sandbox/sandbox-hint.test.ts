import { expect, test } from "bun:test";
import { sandboxEnvironment } from "../../../src/permissions/sandbox/sandbox-environment.ts";
import { sandboxHint } from "../../../src/permissions/sandbox/sandbox-hint.ts";

const CONTEXT = { network: false, workspace: "/home/me/app" };

test.each([
  ["touch: cannot touch '/etc/x': Read-only file system", "writes only in /home/me/app and /tmp"],
  ["Error: EROFS: read-only file system, open '/home/me/.bashrc'", "writes only in /home/me/app and /tmp"],
  ["error: could not write config file .git/config: Device or resource busy", "git can commit"],
  ["fatal: cannot copy 'x' to '/home/me/app/.git/description': Read-only file system", "git can commit"],
  ["curl: (6) Could not resolve host: example.org", "no network"],
  ["npm error request to x failed, reason: getaddrinfo EAI_AGAIN example.org", "no network"],
  ["connect: Network is unreachable", "no network"],
  [
    "curl: (7) Failed to connect to localhost port 3000 after 0 ms: Couldn't connect to server",
    "loopback network of its own",
  ],
  ["Error: connect ECONNREFUSED 127.0.0.1:5432", "loopback network of its own"],
  ["git@example.org: Permission denied (publickey).", "keys and passwords"],
  ["fatal: could not read Username for 'https://example.org': terminal prompts disabled", "keys and passwords"],
  ["bash: fork: retry: Resource temporarily unavailable", "number of processes"],
  ["Cannot connect to the Docker daemon at unix:///var/run/docker.sock.", "Docker"],
  ["bwrap: Can't mkdir /x: Read-only file system", "could not be set up"],
])("%s has its reason in the sandbox", (output, part) => {
  expect(sandboxHint(output, CONTEXT)).toContain(part);
});

test.each([
  "1 test failed",
  "bash: foo: command not found",
  "error TS2345: Argument of type 'string' is not assignable",
  "connect ECONNREFUSED 10.0.0.5:5432",
  "cat: secret.txt: Permission denied",
  "",
])("%j is nobody's fault but the command's", (output) => {
  expect(sandboxHint(output, CONTEXT)).toBeUndefined();
});

test("with the network granted the network is no reason", () => {
  expect(sandboxHint("curl: (6) Could not resolve host: example.org", { ...CONTEXT, network: true })).toBeUndefined();
});

test("only the end of a long output counts", () => {
  expect(sandboxHint(`Read-only file system\n${"fine\n".repeat(2000)}`, CONTEXT)).toBeUndefined();
});

test("the environment loses the addresses of programs outside and gets its own folder for temporary files", () => {
  const given = {
    PATH: "/usr/bin",
    SSH_AUTH_SOCK: "/x",
    DBUS_SESSION_BUS_ADDRESS: "x",
    TMUX: "x",
    DISPLAY: ":0",
    TMPDIR: "/var/x",
    LANG: "C",
  };
  const kept = { PATH: "/usr/bin", LANG: "C", TMPDIR: "/tmp", TMP: "/tmp", TEMP: "/tmp" };
  expect(sandboxEnvironment(given, { temporary: "/tmp", caches: undefined })).toEqual(kept);
  expect(sandboxEnvironment(given, { temporary: "/tmp", caches: "/own" })).toEqual({
    ...kept,
    XDG_CACHE_HOME: "/own/cache",
    GOCACHE: "/own/go-build",
    PIP_CACHE_DIR: "/own/pip",
    UV_CACHE_DIR: "/own/uv",
    YARN_CACHE_FOLDER: "/own/yarn",
    DENO_DIR: "/own/deno",
    CCACHE_DIR: "/own/ccache",
    GRADLE_USER_HOME: "/own/gradle",
  });
});
