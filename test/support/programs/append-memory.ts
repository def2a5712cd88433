// Appends many entries to a new session and prints what memory the process has after a tenth of them and at the end.
import { createSession } from "../../../src/sessions/journal.ts";

const [home = "", count = "30000", bytes = "2048"] = process.argv.slice(2);
const places = { sessions: `${home}/sessions`, blobs: `${home}/blobs` };
const created = await createSession({ places, cwd: "/projects" });
if (!created.ok) throw new Error(created.message);
const { session } = created;
const total = Number(count);
const megabytes = () => Math.round(process.memoryUsage().rss / 1e6);
let early = 0;
for (let number = 0; number < total; number += 10) {
  const results = await Promise.all(Array.from({ length: 10 }, (_, index) => session.append(draftOf(number + index))));
  if (results.some((result) => !result.ok)) throw new Error("an entry was not stored");
  if (number === total / 10) early = megabytes();
}
console.log(JSON.stringify({ early, end: megabytes(), entries: session.entries.length }));
await session.close();

function draftOf(number: number) {
  const content = [{ type: "text" as const, text: `${number} `.padEnd(Number(bytes), "x") }];
  return { type: "message" as const, message: { role: "user" as const, content } };
}
