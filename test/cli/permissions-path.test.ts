import { describe, expect, test } from "bun:test";
import { linkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { runRalph, startRalph } from "../support/run-ralph.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

async function ask(lines: unknown[], workspace = tempWorkspace()) {
  using place = workspace;
  const stdin = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  const exit = await runRalph(["permissions", "path"], { workspace: place, stdin });
  return {
    ...exit,
    answers: exit.stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  };
}

describe("ralph permissions path", () => {
  test("answers each line with a class, a place and a reason", async () => {
    const workspace = tempWorkspace();
    workspace.write("project/.env", "KEY=1");
    workspace.write("outside/secret", "x");
    symlinkSync("../outside", join(workspace.project, "out"));
    linkSync(join(workspace.project, ".env"), join(workspace.project, "notes.txt"));
    const { project, root, home } = workspace;
    const request = { workspace: project, op: "read" };
    const { code, stderr, answers } = await ask(
      [
        { id: "a", ...request, path: "src/new.ts" },
        { id: 2, ...request, path: "out/secret", grants: [`Read(${root}/outside/*)`] },
        { id: 3, ...request, path: "notes.txt" },
        { id: 4, ...request, path: "~/.ssh/id_rsa" },
        { id: 5, ...request, path: join(home, "config/models.yml") },
        { id: 6, ...request, op: "copy", path: "src/new.ts", dest: ".git/hooks/pre-push" },
      ],
      workspace,
    );
    expect({ code, stderr, answers }).toEqual({
      code: 0,
      stderr: "",
      answers: [
        { id: "a", class: "inside", resolved: join(project, "src/new.ts"), reason: "it is in the workspace" },
        {
          id: 2,
          class: "inside",
          resolved: join(root, "outside/secret"),
          reason: `it leads out of the workspace; Read(${root}/outside/*) allows it`,
          grants: [`Read(${root}/outside/*)`],
        },
        {
          id: 3,
          class: "protected",
          resolved: join(project, "notes.txt"),
          reason:
            ".env is protected: it may hold secrets of the environment, and this is the same file or folder under another name",
        },
        {
          id: 4,
          class: "protected",
          resolved: join(root, "user/.ssh/id_rsa"),
          reason: ".ssh is protected: it holds keys of a person or a machine",
        },
        {
          id: 5,
          class: "protected",
          resolved: join(home, "config/models.yml"),
          reason:
            ".config/ralph/models.yml is protected: it is Ralph's own configuration, which sets what an agent may do",
        },
        {
          id: 6,
          class: "protected",
          resolved: join(project, ".git/hooks/pre-push"),
          reason: ".git is protected: version control runs programs named there",
        },
      ],
    });
  });

  test("answers a line it cannot use with an error and goes on", async () => {
    const good = { workspace: "/nowhere", op: "read", path: "a" };
    const { code, answers } = await ask([
      "{",
      "",
      "[1]",
      { id: 1, ...good, op: "chmod" },
      { id: 2, workspace: "/nowhere", op: "move", path: "a" },
      { id: 3, ...good, path: 7 },
      { ...good },
      `${JSON.stringify({ id: 4, ...good })}\r`,
      JSON.stringify({ id: 5, ...good, path: "x".repeat(1_000_001) }),
      { id: 6, ...good },
    ]);
    const inside = { class: "inside", resolved: "/nowhere/a", reason: "it is in the workspace" };
    expect(code).toBe(0);
    expect(answers).toEqual([
      { id: null, error: "the line is not a JSON object" },
      { id: null, error: "the line is not a JSON object" },
      { id: 1, error: expect.stringContaining("op:") },
      { id: 2, error: "dest: a copy and a move need dest" },
      { id: 3, error: expect.stringContaining("path:") },
      { id: null, ...inside },
      { id: 4, ...inside },
      { id: null, error: "the line is longer than 1000000 characters" },
      { id: 6, ...inside },
    ]);
  });

  test("answers ten thousand lines in order", async () => {
    const workspace = tempWorkspace();
    const paths = ["src/a.ts", "../x", ".env", "a/b/../c", "/etc/passwd", ".git/config", "~/x", "out\\x"];
    const lines = Array.from({ length: 10_000 }, (_, id) => ({
      id,
      workspace: workspace.project,
      op: "write",
      path: paths[id % paths.length],
    }));
    const { answers, durationMs } = await ask(lines, workspace);
    expect(answers.map(({ id }) => id)).toEqual(lines.map(({ id }) => id));
    expect(answers.slice(0, 8).map((answer) => answer.class)).toEqual([
      ...["inside", "external", "protected", "inside"],
      ...["external", "protected", "external", "inside"],
    ]);
    expect(durationMs).toBeLessThan(20_000);
  });

  test("answers a line before the next one is there", async () => {
    using workspace = tempWorkspace();
    await using live = startRalph(["permissions", "path"], { workspace });
    live.write(`${JSON.stringify({ id: "first", workspace: "/nowhere", op: "read", path: "a" })}\n`);
    await live.waitForOutput('"first"');
    live.write(`${JSON.stringify({ id: "second", workspace: "/nowhere", op: "read", path: "a" })}`);
    live.closeInput();
    expect((await live.exited).stdout.split("\n")).toHaveLength(3);
  });

  test("needs to be told what to look at", async () => {
    using workspace = tempWorkspace();
    const { code, stderr } = await runRalph(["permissions"], { workspace });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        "ralph: Say what to look at: ralph permissions check < lines.jsonl, or path < lines.jsonl, or simulate RULE\n",
    });
  });
});
