// Runs an agent that prints a million lines and says how large this process became: alone, because other tests leave garbage.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runAgent } from "../../../src/loop/runners/run-agent.ts";
import { agentProgram } from "../agent-programs.ts";

const folder = mkdtempSync(join(tmpdir(), "ralph-test-"));
const logFile = join(folder, "agent.log");
let lines = 0;
let last = "";
let highest = 0;
const run = await runAgent({
  invocation: { argv: [agentProgram("prints-million")], environment: {}, stdin: "", transcript: "plain" },
  root: folder,
  environment: process.env,
  logFile,
  onLines(batch) {
    lines += batch.length;
    last = batch.at(-1)?.text ?? last;
    highest = Math.max(highest, process.memoryUsage.rss());
  },
});
const logBytes = statSync(logFile).size;
rmSync(folder, { recursive: true, force: true });
console.log(JSON.stringify({ ending: run.ending, lines, last, logBytes, highest, durationMs: run.durationMs }));
