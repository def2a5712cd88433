import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isSecretVariable } from "../../src/system/secret-names.ts";
import { commandEnvironment } from "../../src/tools/command-environment.ts";

const FIXED = { TERM: "dumb", PAGER: "cat", GIT_PAGER: "cat", MANPAGER: "cat", GIT_TERMINAL_PROMPT: "0" };

describe("the environment of a command", () => {
  test("has what programs need to find their way, and nothing else", () => {
    const kept = {
      PATH: "/bin",
      HOME: "/home/x",
      USER: "x",
      LC_ALL: "C",
      XDG_RUNTIME_DIR: "/run/user/1",
      CARGO_HOME: "/c",
      VIRTUAL_ENV: "/v",
      CI: "1",
      RALPH_RUN_ID: "r",
      no_proxy: "*",
    };
    const dropped = {
      EDITOR: "vi",
      SSH_AUTH_SOCK: "/tmp/agent",
      RALPH_HOME: "/r",
      XDG_SECRET_TOKEN: "t",
      KUBECONFIG: "/k",
      DOCKER_HOST: "tcp://d",
      FOO: "bar",
    };
    expect(commandEnvironment({ ...kept, ...dropped })).toEqual({ ...kept, ...FIXED });
  });

  test("has what the person added, secrets and what changes programs only by their exact names", () => {
    const environment = {
      AWS_PROFILE: "p",
      AWS_SECRET_ACCESS_KEY: "s",
      MY_TOKEN: "t",
      NODE_OPTIONS: "--max-old-space-size=4096",
      NODE_PATH: "/n",
      EDITOR: "vi",
      OTHER: "o",
    };
    expect(commandEnvironment(environment, ["AWS_*", "NODE_*", "E*"])).toEqual({ AWS_PROFILE: "p", ...FIXED });
    expect(commandEnvironment(environment, ["MY_TOKEN", "NODE_OPTIONS"])).toEqual({
      MY_TOKEN: "t",
      NODE_OPTIONS: "--max-old-space-size=4096",
      ...FIXED,
    });
  });

  test("never has a secret by its name, whatever pattern was added", () => {
    const name = fc.stringMatching(/^[A-Z]{1,6}_(KEY|TOKEN|SECRET|PASSWORD)(_[A-Z]{1,4})?$/);
    fc.assert(
      fc.property(name, fc.constantFrom("*", "A*", "LC_*"), (secret, pattern) => {
        expect(isSecretVariable(secret)).toBe(true);
        expect(commandEnvironment({ [secret]: "value" }, [pattern])).toEqual(FIXED);
      }),
    );
  });
});
