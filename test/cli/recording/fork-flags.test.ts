import { describe, expect, test } from "bun:test";
import { forkFlags } from "../../../src/cli/recording/fork-flags.ts";

describe("the flags of a fork", () => {
  test("are those of the recording that allow nothing, and those that are given now", () => {
    const recorded = { safe: true, tools: "read_file", json: true, allow: "Bash(*)", yolo: true } as const;
    expect(forkFlags(recorded, new Map([["allow", "Bash(npm test:*)"]]))).toEqual({
      flags: new Map<string, string | true>([
        ["safe", true],
        ["tools", "read_file"],
        ["json", true],
        ["allow", "Bash(npm test:*)"],
      ]),
      left: ["yolo"],
    });
  });

  test("never write or read a file the recording names, nor anything nobody knows", () => {
    const recorded: Record<string, string | true> = {
      ...{ record: "/etc/cron.d/x", "system-prompt-file": "/home/me/.ssh/id", resume: "abc" },
      ...{ "api-key": "key", "allow-category": "shell" },
    };
    for (const name of ["trust", "default", "constructor"]) recorded[name] = true;
    expect(forkFlags(recorded, new Map())).toEqual({
      flags: new Map(),
      left: ["allow-category", "trust", "system-prompt-file"],
    });
  });
});
