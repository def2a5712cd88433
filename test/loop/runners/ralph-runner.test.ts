import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runAgent } from "../../../src/loop/runners/run-agent.ts";
import type { InvokeOptions } from "../../../src/loop/runners/runner.ts";
import { createRunners } from "../../../src/loop/runners/runners.ts";
import { asArray, asObject, asString, at } from "../../../src/protocol/json.ts";
import { textAnswer, toolCallAnswer } from "../../support/fake-answer.ts";
import { KEY, NO_SERVERS, openFrontDoor } from "../../support/front-door.ts";
import { ralphCommand } from "../../support/run-ralph.ts";

// The real Ralph, started as the loop starts it.

const LONG_WAIT_MS = 20_000;

test(
  "Ralph as an agent writes files and runs the commands of the checks, and nothing else",
  async () => {
    using door = await openFrontDoor({
      answers: [
        toolCallAnswer(
          { name: "write_file", input: { path: "made.txt", content: "made\n" } },
          { name: "shell", input: { command: "sh check.sh" }, id: "call_2" },
          { name: "shell", input: { command: "touch other.txt" }, id: "call_3" },
        ),
        textAnswer("Made.\n<promise>COMPLETE</promise>"),
      ],
    });
    const { workspace, provider } = door;
    workspace.write("project/check.sh", "cp made.txt checked.txt\n");
    const options: InvokeOptions = {
      prompt: "Make the file made.txt, not @missing.txt.",
      root: workspace.project,
      isRepository: false,
      model: "anthropic/claude-sonnet-4-6",
      effort: "low",
      yolo: false,
      checkCommands: ["sh check.sh", "echo 'not a rule'"],
      finalMessageFile: join(workspace.root, "final.txt"),
      promptFile: join(workspace.root, "prompt.md"),
    };
    const invocation = createRunners({ ralph: ralphCommand() }).ralph?.invoke(options);
    if (invocation === undefined) throw new Error("no runner");
    const events: Record<string, unknown>[] = [];
    const run = await runAgent({
      invocation,
      root: workspace.project,
      environment: {
        ...workspace.environment,
        ...NO_SERVERS,
        ANTHROPIC_API_KEY: KEY,
        ANTHROPIC_BASE_URL: provider.origin,
      },
      logFile: join(workspace.root, "agent.log"),
      deadlineMs: LONG_WAIT_MS,
      onLines(lines) {
        for (const { text, stream } of lines) if (stream === "stdout") events.push(asObject(JSON.parse(text)) ?? {});
      },
    });
    expect(run.ending).toEqual({ type: "finished" });
    const made = ["made.txt", "checked.txt", "other.txt"].map((name) => existsSync(join(workspace.project, name)));
    expect(made).toEqual([true, true, false]);
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(["agent-start", "result"]);
    const session = asString(events[0]?.sessionId) ?? "";
    expect(workspace.find(`ralph-home/data/sessions/**/*${session}*.jsonl`)).toHaveLength(1);
    const [asked] = asArray(at(provider.requests[0]?.body, "messages"));
    expect(JSON.stringify(asked)).toContain("Make the file made.txt, not @missing.txt.");
  },
  LONG_WAIT_MS,
);
