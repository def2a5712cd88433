import { openRegistry } from "../../../src/loop/state/registry.ts";

// Registers a loop and changes it a few times: DATABASE NAME [stay]. Prints what failed, or "done".

const [database = "", name = "", stay] = process.argv.slice(2);
const opened = await openRegistry({ database, now: Date.now });
if (!opened.ok) throw new Error(opened.message);
const { registry } = opened;
const loop = { folder: `/loops/${name}`, taskName: name, taskDirectory: `/tasks/${name}`, agent: "claude" };
const outcomes = [await registry.begin({ ...loop, startedAt: 1, iteration: 0, maxIterations: 50 })];
for (let iteration = 1; iteration <= 5; iteration++) {
  outcomes.push(await registry.change(loop.folder, { iteration, currentStory: `US-${iteration}` }));
}
const failed = outcomes.find(({ ok }) => !ok);
console.log(failed === undefined ? "done" : JSON.stringify(failed));
if (stay !== undefined) setInterval(() => undefined, 1000);
else {
  await registry.change(loop.folder, { status: "completed", verdict: "done", currentStory: undefined });
  await registry.close();
}
