// The smallest program: everything is found as the command line finds it.

import { createAgentSession } from "ralph";

const { session, modelFallbackMessage } = await createAgentSession();
if (modelFallbackMessage !== undefined) console.error(modelFallbackMessage);

session.subscribe((event) => {
  if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
    process.stdout.write(event.assistantMessageEvent.delta);
});

const { outcome } = await session.prompt("Summarise this repository in three lines.");
console.log(`\n${outcome.type}, kept in ${session.sessionFile}`);
await session.dispose();
