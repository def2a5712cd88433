import { expect, test } from "bun:test";
import { runRalph } from "../support/run-ralph.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

test("an address without a port, as all real providers have it, is asked like any other", async () => {
  await using workspace = tempWorkspace();
  workspace.write("ralph-home/config/models.yml", "providers:\n  anthropic:\n    baseUrl: http://127.0.0.1\n");
  workspace.write("ralph-home/config/config.yml", "retry:\n  beforeFirstByte: 0\n");
  workspace.environment.ANTHROPIC_API_KEY = "sk-ant-a-key-of-a-test-0123456789";
  const { code, stdout, stderr } = await runRalph(["-p", "--model", "anthropic/claude-sonnet-4-6", "hello"], {
    workspace,
  });
  expect([code, stdout]).toEqual([4, ""]);
  expect(stderr).toMatch(/^ralph: 127\.0\.0\.1/);
});
