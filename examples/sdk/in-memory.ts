// Nothing is written down, and no file of the person or the project counts but the keys.

import { createAgentSession, SessionManager, Settings } from "ralph";

const { session } = await createAgentSession({
  sessionManager: SessionManager.inMemory(),
  settings: Settings.isolated({ "compaction.enabled": false }),
  contextFiles: [],
  promptTemplates: [],
  toolNames: ["read", "grep", "find"],
});

const first = await session.prompt("What does the file notes.txt say?");
const second = await session.prompt("And in one word?");
console.log(first.text);
console.log(second.text);
console.log(`file: ${session.sessionFile}, messages: ${(await session.messages()).length}`);
await session.dispose();
