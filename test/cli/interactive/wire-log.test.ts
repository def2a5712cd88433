import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { startConversation } from "../../support/conversation-terminal.ts";
import { textAnswer } from "../../support/fake-answer.ts";
import { startFakeProvider } from "../../support/fake-provider.ts";
import { tempWorkspace } from "../../support/temp-workspace.ts";

setDefaultTimeout(20_000);

test("with --debug what goes over the wire is in a file, and the conversation stays readable", async () => {
  using provider = await startFakeProvider({ answers: [textAnswer("Here I am.")] });
  await using workspace = tempWorkspace();
  workspace.write("ralph-home/config/models.yml", `providers:\n  anthropic:\n    baseUrl: ${provider.origin}\n`);
  workspace.environment.ANTHROPIC_API_KEY = "sk-ant-a-key-of-a-test-0123456789";
  await using ralph = startConversation(["--debug", "--model", "anthropic/claude-sonnet-4-6"], { workspace });
  await ralph.seeOnScreen("claude-sonnet-4-6");
  ralph.type("are you there\r");
  const screen = await ralph.see("Here I am.");
  expect([screen.includes("wire.log"), screen.includes("POST")]).toEqual([true, false]);
  await ralph.seeOnScreen(/^anthropic/m);
  ralph.type("/exit\r");
  await ralph.exited;
  const path = join(workspace.root, "ralph-home/data/logs/wire.log");
  const lines = readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toEqual([
    {
      time: expect.any(String),
      level: "debug",
      message: expect.stringContaining(`> POST ${provider.origin}/v1/messages`),
    },
    { time: expect.any(String), level: "debug", message: `< 200 ${provider.origin}/v1/messages` },
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
