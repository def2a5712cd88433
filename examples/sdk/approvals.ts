// The program decides what no rule decides. Without `onAsk` everything of the kind is refused.

import { createAgentSession, SessionManager } from "ralph";

const { session } = await createAgentSession({
  sessionManager: SessionManager.inMemory(),
  onAsk(ask) {
    const isAllowed = ask.category === "file_write" && ask.resources.every((path) => path.endsWith(".md"));
    console.log(`${isAllowed ? "yes" : "no"}: ${ask.category} by ${ask.tool}`);
    return isAllowed;
  },
  onQuestion({ question, options }) {
    console.log(`${question} (${options.join(", ")})`);
    return options[0];
  },
});

console.log((await session.prompt("Write what you found into report.md and report.sh.")).text);
await session.dispose();
