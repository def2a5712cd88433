import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LiveRalph, startRalph } from "../support/run-ralph.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";

// Programs that speak to `ralph mcp serve` and `ralph acp` and read nothing after one line, until the pipe `go` is written to.

const LIMIT_MS = 60_000;

/** They read up to the line with this word in it. */
function startStalled(workspace: TempWorkspace, words: string[], lastRead: string): LiveRalph {
  execFileSync("mkfifo", [join(workspace.project, "go")]);
  const read = `while IFS= read -r line; do printf '%s\\n' "$line"; case "$line" in *'"${lastRead}"'*) break;; esac; done`;
  const throughShell = `{ "$@"; echo $? > code; } | { ${read}; cat go > /dev/null; cat > /dev/null; }`;
  return startRalph(words, { workspace, throughShell, timeoutMs: LIMIT_MS });
}

/** Resolves when the file is there and not empty. */
async function appearance(workspace: TempWorkspace, name: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const isThere = () => existsSync(join(workspace.project, name)) && workspace.read(`project/${name}`) !== "";
  const look = () => void (isThere() && resolve());
  const watcher = watch(workspace.project, look);
  look();
  await promise.finally(() => watcher.close());
}

/** The exit code of Ralph, which ends although nobody has read what it said. */
async function exitCode(workspace: TempWorkspace): Promise<string> {
  await appearance(workspace, "code");
  writeFileSync(join(workspace.project, "go"), "now");
  return workspace.read("project/code").trim();
}

const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const BATCH = Array.from({ length: 32 }, (_, id) => ({ jsonrpc: "2.0", id, method: "tools/list" }));

describe("ralph mcp serve", () => {
  const hello = line({ id: "hello", method: "initialize", params: { protocolVersion: "2025-03-26" } });

  test(
    "ends with a client that closes its side without reading the rest",
    async () => {
      using workspace = tempWorkspace();
      await using ralph = startStalled(workspace, ["mcp", "serve"], "protocolVersion");
      ralph.write(`${hello}${JSON.stringify(BATCH)}\n`);
      ralph.closeInput();
      expect(await exitCode(workspace)).toBe("0");
    },
    LIMIT_MS,
  );

  test(
    "gives a client up that lets far too much wait, with the reason on standard error",
    async () => {
      using workspace = tempWorkspace();
      workspace.write("project/scripts/ralph/progress.txt", "x".repeat(3_900_000));
      await using ralph = startStalled(workspace, ["mcp", "serve"], "protocolVersion");
      const read = { method: "resources/read", params: { uri: "ralph://progress" } };
      ralph.write(hello + Array.from({ length: 20 }, (_, id) => line({ id, ...read })).join(""));
      expect(await exitCode(workspace)).toBe("1");
      const { stderr } = await ralph.exited;
      expect(stderr).toBe(
        `ralph: The program that started Ralph does not read what it is sent: more than ${64 * 1024 * 1024} characters wait. Ralph ends; loops go on.\n`,
      );
    },
    LIMIT_MS,
  );
});

describe("ralph acp", () => {
  test(
    "ends with an editor that closes its side without reading the rest",
    async () => {
      using workspace = tempWorkspace();
      workspace.write("ralph-home/config/config.yml", "permissions:\n  allow: ['Write(**)']\n");
      const steps = [
        { text: "x".repeat(2_000_000) },
        { tool: { name: "write_file", input: { path: "done", content: "x" } } },
      ];
      const script = workspace.write("script.json", JSON.stringify({ version: 1, turns: [{ steps }] }));
      await using ralph = startStalled(workspace, ["acp", "--model", `scripted/${script}`], "modes");
      ralph.write(line({ id: 0, method: "initialize", params: { protocolVersion: 1 } }));
      await ralph.waitForOutput("protocolVersion");
      ralph.write(line({ id: 1, method: "session/new", params: { cwd: workspace.project, mcpServers: [] } }));
      const [, sessionId] = await ralph.waitForOutput(/"sessionId":"(\w+)","modes"/);
      const params = { sessionId, prompt: [{ type: "text", text: "go" }] };
      ralph.write(line({ id: 2, method: "session/prompt", params }));
      await appearance(workspace, "done");
      ralph.closeInput();
      expect(await exitCode(workspace)).toBe("0");
    },
    LIMIT_MS,
  );

  test(
    "says why it hangs up on an editor whose message is too long",
    async () => {
      using workspace = tempWorkspace();
      await using ralph = startRalph(["acp"], { workspace, timeoutMs: LIMIT_MS });
      ralph.write("x".repeat(64 * 1024 * 1024 + 1));
      const { code, stdout, stderr } = await ralph.exited;
      expect([code, stdout, stderr]).toEqual([
        1,
        "",
        `ralph: The editor sent a message of more than ${64 * 1024 * 1024} bytes. Ralph ends; its sessions are kept. Send less, or a link to the file.\n`,
      ]);
    },
    LIMIT_MS,
  );
});
