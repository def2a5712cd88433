import { describe, expect, test } from "bun:test";
import { createTools } from "../../../src/coder/all-tools.ts";
import { pinPlace } from "../../../src/permissions/paths/pin-place.ts";
import type { AskCategory } from "../../../src/protocol/ask-categories.ts";
import type { CommandFacts } from "../../../src/protocol/command-facts.ts";
import type { AskDraft, Tool } from "../../../src/protocol/tool-runs.ts";
import { SCOPES } from "../../../src/rpc/scopes.ts";
import {
  ACTION_NAMES,
  actionsOfCall,
  actionsOfCommand,
  allowedBy,
  commandClass,
  OWN_TOOLS,
} from "../../../src/rpc/unattended/action-classes.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { createSeenFiles } from "../../../src/tools/tool-world.ts";

const READS: CommandFacts = {
  isReadOnly: true,
  isReadable: true,
  deletes: false,
  destroys: false,
  forcePushes: false,
  usesNetwork: false,
  leavesWorkspace: false,
  leavesSandbox: false,
};
const CHANGES = { ...READS, isReadOnly: false };

/** A world in which `/w` is the workspace and commands are as they say. */
const WORLD = {
  inspectCommand: async (command: string): Promise<CommandFacts> =>
    command === "ls" ? READS : { ...CHANGES, deletes: true },
  isInWorkspace: async (path: string) => path.startsWith("/w/"),
};

function toolOf(name: string): Tool {
  return {
    name,
    aliases: [],
    description: "",
    parameters: {},
    isReadOnly: false,
    prepare: () => ({ message: "not called" }),
  };
}

function ask(category: AskCategory, resource: string, more: Partial<AskDraft> = {}): AskDraft {
  return { category, resources: [resource], summary: resource, ...more };
}

test("every scope has a class for its commands", () => {
  expect(SCOPES.map(commandClass).filter((name) => !ACTION_NAMES.includes(name))).toEqual([]);
});

test("a class covers what it cannot do without", () => {
  const closed = (...names: string[]) => [...allowedBy(names)].toSorted();
  expect([
    closed(),
    closed("file.write"),
    closed("bash.destructive"),
    closed("host_uri.write"),
    closed("__proto__"),
  ]).toEqual([
    [],
    ["file.read", "file.write"],
    ["bash.destructive", "bash.mutating", "bash.readonly", "file.read"],
    ["host_uri.write"],
    ["__proto__"],
  ]);
});

describe("what a call does", () => {
  for (const [title, tool, asks, actions] of [
    ["reads", "read_file", [ask("file_read", "/w/a")], ["file.read"]],
    ["writes outside", "write_file", [ask("file_write", "/etc/a")], ["file.write", "file.outside"]],
    ["deletes", "delete_directory", [ask("file_write", "/w/a")], ["file.delete"]],
    [
      "reads one and writes another",
      "copy_file",
      [ask("file_read", "/w/a"), ask("file_write", "/w/b")],
      ["file.read", "file.write"],
    ],
    ["fetches", "web_fetch", [ask("network", "https://a.b/")], ["network.fetch"]],
    ["looks with a command", "shell", [ask("shell", "ls")], ["bash.readonly"]],
    ["deletes with a command", "shell", [ask("shell", "rm a")], ["bash.mutating", "file.delete"]],
    [
      "wishes to leave the sandbox",
      "shell",
      [ask("shell", "ls", { needs: { unsandboxed: true } })],
      ["bash.readonly", "bash.unsandboxed"],
    ],
    [
      "would write a key",
      "write_file",
      [ask("file_write", "/w/a", { warning: "a key" })],
      ["file.write", "secret.write"],
    ],
    ["only talks", "ask_user", [], []],
    ["belongs to the host", "deploy", [], ["host_tool.invoke"]],
    ["is of a server", "server_tool", [ask("mcp", "server:tool")], ["mcp.call"]],
  ] as const) {
    test(title, async () => {
      expect(await actionsOfCall(toolOf(tool), asks, WORLD)).toEqual([...actions]);
    });
  }
});

test("a command needs every class it falls under", () => {
  const facts = {
    ...CHANGES,
    deletes: true,
    forcePushes: true,
    usesNetwork: true,
    leavesWorkspace: true,
    leavesSandbox: true,
  };
  expect(actionsOfCommand({ ...facts, destroys: true })).toEqual([
    "bash.destructive",
    "file.delete",
    "git.force_push",
    "network.fetch",
    "file.outside",
    "bash.unsandboxed",
  ]);
  expect(actionsOfCommand({ ...CHANGES, isReadable: false })).toEqual(["bash.destructive"]);
  expect(actionsOfCommand(CHANGES)).toEqual(["bash.mutating"]);
});

test("the list of Ralph's own tools has all of them, so that another's is never taken for one", () => {
  const { tools } = createTools({
    world: {
      root: "/",
      clock: systemClock,
      environment: {},
      artifacts: "/",
      pin: pinPlace,
      seen: createSeenFiles(),
      beforeChange: async () => undefined,
    },
    tasks: { read: () => [], write: () => {} },
    askUser: async () => ({ type: "nobody-there" }),
    findRipgrep: async () => undefined,
  });
  // These two work on the list of tools itself and are made with it.
  const names = [...tools.map(({ name }) => name), "search_tools", "switch_mode"];
  expect(names.toSorted()).toEqual([...OWN_TOOLS].toSorted());
});
