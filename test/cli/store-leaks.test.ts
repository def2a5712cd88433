import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentEvent } from "../../src/protocol/agent-events.ts";
import { runRalph } from "../support/run-ralph.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";
import { textOf } from "../support/tool-runs.ts";

// The model tries every tool on the credential store, wherever the data folder is, and a person has allowed everything.

interface Place {
  where: string;
  environment(workspace: TempWorkspace): Record<string, string | undefined>;
  /** The data folder, from the root. */
  data: string;
  /** Where the model works, from the root. */
  cwd?: string;
  /** Something to do before the model begins. */
  arrange?(workspace: TempWorkspace): void;
}

const PLACES: Place[] = [
  { where: "in RALPH_HOME", environment: () => ({}), data: "ralph-home/data" },
  {
    where: "in RALPH_HOME in the workspace",
    environment: ({ project }) => ({ RALPH_HOME: join(project, "own") }),
    data: "project/own/data",
  },
  {
    where: "in RALPH_HOME behind a link",
    environment: ({ root }) => ({ RALPH_HOME: join(root, "link") }),
    data: "ralph-home/data",
    arrange: ({ root }) => symlinkSync("ralph-home", join(root, "link")),
  },
  {
    where: "that is the workspace itself",
    environment: ({ root }) => ({ RALPH_HOME: root }),
    data: "data",
    cwd: "data",
  },
  {
    where: "in XDG_DATA_HOME",
    environment: ({ root }) => ({ RALPH_HOME: undefined, XDG_DATA_HOME: join(root, "xdg") }),
    data: "xdg/ralph",
  },
  {
    where: "where it usually is",
    environment: () => ({ RALPH_HOME: undefined }),
    data: "user/.local/share/ralph",
  },
];

type Call = [name: string, input: Record<string, unknown>];

function attempts(data: string): Call[] {
  const parent = dirname(data);
  const search = (pattern: string, path: string, more = {}): Call => ["search_files", { pattern, path, ...more }];
  return [
    ["read_file", { path: `${data}/credentials.key` }],
    ["read_file", { path: "dlink/credentials.key" }],
    ["view_image", { path: `${data}/credentials.key` }],
    ["web_fetch", { url: `file://${data}/credentials.key` }],
    search("[0-9a-f]{64}", data),
    search("[0-9a-f]{64}", data, { count_only: true }),
    search("sealed", data, { context_lines: 5 }),
    search("(?=sealed)sealed", data),
    search("sealed", data, { glob_filter: "*.db" }),
    search("sealed|[0-9a-f]{64}", "dlink"),
    search("sealed|[0-9a-f]{64}", parent),
    search("sealed|[0-9a-f]{64}", "."),
    ["copy_file", { source: `${data}/credentials.key`, destination: "one" }],
    ["copy_file", { source: data, destination: "copied" }],
    ["copy_file", { source: "dlink", destination: "copied-link" }],
    ["copy_file", { source: parent, destination: "../copied-parent" }],
    ["move_file", { source: data, destination: "moved" }],
    ["move_file", { source: parent, destination: "../moved-parent" }],
    ["apply_delta", { path: `${data}/credentials.db`, operations: [] }],
    ["delete_directory", { path: data }],
    ["glob_files", { pattern: "**/*", path: data }],
    ["list_dir", { path: data }],
    ["file_info", { path: `${data}/credentials.key` }],
    ["shell", { command: `cat ${data}/credentials.key` }],
    ["shell", { command: `cp -r ${data} shelled; cat shelled/*` }],
    ["shell", { command: `grep -r . ${data} ${parent} dlink` }],
    ...["one", "copied", "copied-link", "../copied-parent", "moved", "../moved-parent"].flatMap((path): Call[] => [
      ["read_file", { path: `${path}/credentials.key` }],
      search("sealed|[0-9a-f]{64}", path),
    ]),
  ];
}

async function attempt({ environment, data, cwd = "project", arrange }: Place, workspace: TempWorkspace) {
  const folder = join(workspace.root, data);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  arrange?.(workspace);
  const own = { workspace, cwd: join(workspace.root, cwd), environment: environment(workspace) };
  const stored = await runRalph(["login", "anthropic"], { ...own, stdin: "sk-ant-stored-0123456789" });
  expect([stored.code, stored.stderr]).toEqual([0, ""]);
  const key = readFileSync(join(folder, "credentials.key"), "utf8").trim();
  const { sealed } = JSON.parse(readFileSync(join(folder, "credentials.db"), "utf8")).entries.anthropic;
  symlinkSync(folder, join(own.cwd, "dlink"));
  const calls = attempts(folder);
  const turns = [...calls.map(([name, input]) => ({ tool: { name, input } })), { text: "done" }];
  const script = workspace.write(
    "script.json",
    JSON.stringify({ version: 1, turns: turns.map((step) => ({ steps: [step] })) }),
  );
  const args = ["-p", "--yolo", "--mode", "json", "--model", `scripted/${script}`, "go"];
  const { code, stdout } = await runRalph(args, own);
  const results = stdout
    .trimEnd()
    .split("\n")
    .map((line): AgentEvent => JSON.parse(line))
    .flatMap((event) => (event.type === "tool-end" ? [textOf(event.result)] : []));
  const leaks = calls.filter((_, index) => [key, sealed].some((secret) => results[index]?.includes(secret)));
  const said = (field: string, value: string) => results[calls.findIndex(([, input]) => input[field] === value)];
  const isThere = readFileSync(join(folder, "credentials.key"), "utf8").trim() === key;
  return { code, leaks, said, isThere, tried: results.length };
}

describe("the credential store", () => {
  for (const place of PLACES) {
    test(`${place.where} is out of reach of every tool`, async () => {
      using workspace = tempWorkspace();
      const { code, leaks, isThere, tried } = await attempt(place, workspace);
      expect({ code, leaks, isThere, tried }).toEqual({
        code: 0,
        leaks: [],
        isThere: true,
        tried: attempts("").length,
      });
    }, 30_000);
  }

  test("is named in what a copy and a move of a folder above it say", async () => {
    using workspace = tempWorkspace();
    const place = PLACES.find(({ where }) => where === "in RALPH_HOME");
    if (place === undefined) throw new Error("there is no such place");
    const { said } = await attempt(place, workspace);
    const refusal = `${workspace.home} holds data/credentials.db, which is protected, so it is not taken as a whole. Nothing was done. Take the parts you need one by one.`;
    expect(["../copied-parent", "../moved-parent"].map((destination) => said("destination", destination))).toEqual([
      refusal,
      refusal,
    ]);
  });
});

describe("a file of the data folder", () => {
  test("is attached to no prompt, not even through a link", async () => {
    using workspace = tempWorkspace();
    const name = workspace.write("ralph-home/data/credentials.key", "LEAKED-KEY\n");
    symlinkSync(name, join(workspace.project, "key.txt"));
    const script = workspace.write("script.json", JSON.stringify({ version: 1, turns: [{ steps: [{ text: "ok" }] }] }));
    const ask = (word: string) => runRalph(["-p", "--model", `scripted/${script}`, `look at @${word}`], { workspace });
    const told = await Promise.all([name, "key.txt"].map(ask));
    const refusal = (word: string) =>
      `ralph: @${word} cannot be attached: it is protected, because it may hold secrets.\n`;
    expect(told.map(({ code, stderr }) => [code, stderr])).toEqual([
      [2, refusal(name)],
      [2, refusal("key.txt")],
    ]);
  });

  test("is not read where an instruction file of a project around it mentions it", async () => {
    using workspace = tempWorkspace();
    const environment = { RALPH_HOME: join(workspace.project, "own") };
    workspace.write("project/own/data/credentials.key", "LEAKED-KEY\n");
    workspace.write("project/AGENTS.md", "See @own/data/credentials.key\n");
    const script = workspace.write("script.json", JSON.stringify({ version: 1, turns: [{ steps: [{ text: "ok" }] }] }));
    const { stderr } = await runRalph(["-p", "--model", `scripted/${script}`, "hello"], { workspace, environment });
    expect(stderr).toBe("ralph: own/data/credentials.key was left out: it is a protected file.\n");
  });
});
