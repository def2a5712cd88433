import { expect, test } from "bun:test";
import { join } from "node:path";
import { watchAgent } from "../../../src/loop/run/watch-agent.ts";
import { ADAPTERS } from "../../../src/loop/transcripts/adapters.ts";
import { tempWorkspace } from "../../support/temp-workspace.ts";

test("nothing an agent prints is told before its start is stored, and all of it afterwards", async () => {
  using workspace = tempWorkspace();
  const log = join(workspace.root, "agent.log");
  const told: string[] = [];
  const watched = await watchAgent({
    invocation: { argv: ["sh", "-c", "echo one; echo two"], environment: {}, stdin: "", transcript: "plain" },
    root: workspace.project,
    environment: { PATH: process.env.PATH },
    logFile: log,
    adapter: ADAPTERS.plain,
    iteration: 1,
    prompt: "",
    echo: {},
    prices: undefined,
    room: undefined,
    tell: (news) => told.push(news.type === "line" ? news.line.text : news.type),
    async onStarted() {
      // What it prints is there before it is told: the log has it first.
      while (
        (await Bun.file(log)
          .text()
          .catch(() => "")) !== "one\ntwo\n"
      )
        await new Promise(setImmediate);
      told.push("stored");
    },
    now: Date.now,
  });
  expect([watched.ending, told]).toEqual([{ type: "finished" }, ["stored", "one", "two"]]);
});
