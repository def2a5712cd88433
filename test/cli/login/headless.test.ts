import { expect, test } from "bun:test";
import { isHeadless } from "../../../src/cli/login/headless.ts";

const nothing = () => false;

test.each([
  [false, "darwin", {}],
  [false, "linux", { DISPLAY: ":0" }],
  [false, "linux", { WAYLAND_DISPLAY: "wayland-0", SSH_TTY: "" }],
  [false, "win32", {}],
  [true, "linux", {}],
  [true, "linux", { DISPLAY: "" }],
  [true, "linux", { DISPLAY: ":0", SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" }],
  [true, "darwin", { SSH_TTY: "/dev/ttys000" }],
  [true, "linux", { DISPLAY: ":0", CODESPACES: "true" }],
  [true, "linux", { DISPLAY: ":0", container: "podman" }],
] as const)("no browser is opened: %s, on %s with %j", (expected, platform, environment) => {
  expect(isHeadless({ platform, environment, exists: nothing })).toBe(expected);
});

test("no browser is opened in a container", () => {
  const environment = { DISPLAY: ":0" };
  expect(isHeadless({ platform: "linux", environment, exists: (path) => path === "/.dockerenv" })).toBe(true);
});
