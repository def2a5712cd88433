import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, watch, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { MAX_HELD } from "../../src/rpc/outbound.ts";
import type { SessionEvent } from "../../src/rpc/session-event-shapes.ts";
import { type RpcHost, startRpcHost } from "../support/rpc-host.ts";
import { type TempWorkspace, tempWorkspace } from "../support/temp-workspace.ts";

// A host that stops reading after the first line, until the pipe `go` is written to.

const STALLED = `{ "$@"; echo $? > code; } | { IFS= read -r line; printf '%s\\n' "$line"; cat go > /dev/null; cat; }`;

function startStalled(workspace: TempWorkspace, steps: object[]): RpcHost {
  execFileSync("mkfifo", [join(workspace.project, "go")]);
  workspace.write("ralph-home/config/config.yml", "permissions:\n  allow: ['Write(**)']\n");
  const script = { version: 1, turns: [{ steps }, { steps: [{ text: "Done." }] }] };
  const path = workspace.write("script.json", JSON.stringify(script));
  return startRpcHost(["--model", `scripted/${path}`], { workspace, throughShell: STALLED, timeoutMs: 60_000 });
}

function letRead(workspace: TempWorkspace): void {
  writeFileSync(join(workspace.project, "go"), "now");
}

/** Resolves when the file is there. */
function appearance(path: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher = watch(join(path, ".."), (_, name) => name === basename(path) && resolve());
  if (existsSync(path)) resolve();
  return promise.finally(() => watcher.close());
}

describe("a host that does not read", () => {
  test("gets fewer and longer pieces, and misses nothing", async () => {
    const line = `${"x".repeat(99)}\n`;
    using workspace = tempWorkspace();
    await using host = startStalled(workspace, [
      { text: line, repeat: 10_000 },
      { tool: { name: "write_file", input: { path: "done", content: "x" } } },
    ]);
    host.send({ type: "prompt", message: "go" });
    await appearance(join(workspace.project, "done"));
    letRead(workspace);
    await host.waitForEvent("agent_end");
    const frames = host.frames().filter(({ type }) => type === "event");
    expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, index) => index + 1));
    const pieces = host.events().flatMap(pieceOf);
    expect(pieces.length).toBeLessThan(9_000);
    expect(pieces.join("")).toBe(`${line.repeat(10_000)}Done.`);
    const [answer] = host.events().flatMap((event) => (event.type === "turn_end" ? [event.message] : []));
    expect(answer?.content[0]).toEqual({ type: "text", text: line.repeat(10_000) });
  }, 60_000);

  test("is given up when far too much waits, with the reason on standard error", async () => {
    using workspace = tempWorkspace();
    await using host = startStalled(workspace, [
      { text: "x".repeat(2_000_000) },
      { tool: { name: "write_file", input: { path: "done", content: "x" } } },
    ]);
    host.send({ type: "prompt", message: "go" });
    await appearance(join(workspace.project, "done"));
    for (let request = 0; request < 40; request++) host.send({ type: "get_messages" });
    await appearance(join(workspace.project, "code"));
    letRead(workspace);
    const { stderr } = await host.ralph.exited;
    expect([workspace.read("project/code"), stderr]).toEqual([
      "1\n",
      `ralph: The program that started Ralph does not read what Ralph sends: more than ${MAX_HELD} characters wait. Ralph ends; the session is kept.\n`,
    ]);
  }, 60_000);
});

function pieceOf(event: SessionEvent): string[] {
  const isPiece = event.type === "message_update" && event.assistantMessageEvent.type === "text_delta";
  return isPiece && "delta" in event.assistantMessageEvent ? [event.assistantMessageEvent.delta] : [];
}
