// Appends entries to a session without end and says of each, on its own line, when it was acknowledged.
import { writeSync } from "node:fs";
import { openSession } from "../../../src/sessions/journal.ts";

const [path = "", sessions = "", blobs = ""] = process.argv.slice(2);
const opened = await openSession(path, { places: { sessions, blobs } });
if (!opened.ok) {
  writeSync(1, `refused ${opened.message}\n`);
  process.exit(1);
}
const { session } = opened;
writeSync(1, "open\n");
for (let number = 0; ; number++) {
  const text = number % 5 === 4 ? `${number} `.repeat(6000) : `entry ${number}`;
  const drafts = Array.from({ length: (number % 3) + 1 }, () => ({
    role: "user" as const,
    content: [{ type: "text" as const, text }],
  }));
  const results = await Promise.all(drafts.map((message) => session.append({ type: "message", message })));
  for (const result of results) if (result.ok) writeSync(1, `stored ${result.entry.id}\n`);
}
