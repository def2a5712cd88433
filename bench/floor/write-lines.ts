// The floor of a program that tells a host about its work: makes every line from an object, as anybody has to, and writes it.
import { readFileSync } from "node:fs";

const frames = readFileSync(process.argv[2] ?? "", "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as unknown);
process.stdout.write("ready\n");
for await (const _ of process.stdin) {
  for (const frame of frames) process.stdout.write(`${JSON.stringify(frame)}\n`);
  break;
}
