// Runs a command that prints 300 MB through the shell tool and says by how much this process grew: alone, because other tests
// leave garbage. `shell-memory.ts DIRECTORY`
import { createJobs } from "../../../src/tools/jobs.ts";
import { shellTool } from "../../../src/tools/shell.ts";
import { callTool, toolWorldIn } from "../tool-runs.ts";

const world = toolWorldIn(process.argv[2] ?? "");
const jobs = createJobs(world);
const before = process.memoryUsage.rss();
const output = await callTool(shellTool(world, jobs), {
  command: "head -c 300000000 /dev/zero | tr '\\0' 'x'; echo; echo end",
});
const grown = process.memoryUsage.rss() - before;
await jobs.close();
console.log(JSON.stringify({ grown, output }));
