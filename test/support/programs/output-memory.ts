// Runs a program that prints much and says by how much this process grew: alone, because other tests leave garbage.
import { runProcess } from "../../../src/system/run-process.ts";

const before = process.memoryUsage.rss();
let highest = before;
const { stdout } = await runProcess({
  argv: ["head", "-c", "200000000", "/dev/zero"],
  environment: process.env,
  onOutput: () => {
    highest = Math.max(highest, process.memoryUsage.rss());
  },
}).result;
console.log(
  JSON.stringify({ total: stdout.totalBytes, kept: stdout.head.length + stdout.tail.length, grown: highest - before }),
);
