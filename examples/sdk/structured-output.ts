// The work ends with a value that fits a schema, handed in with the hidden tool `yield`.

import { createAgentSession, SessionManager } from "ralph";

const { session } = await createAgentSession({
  sessionManager: SessionManager.inMemory(),
  outputSchema: {
    type: "object",
    properties: {
      verdict: { enum: ["good", "bad"] },
      reasons: { type: "array", items: { type: "string" }, minItems: 1 },
    },
    required: ["verdict", "reasons"],
    additionalProperties: false,
  },
});

const { outcome, yielded } = await session.prompt("Judge the last change.");
if (yielded === undefined) throw new Error(`There is no verdict: ${outcome.type}.`);
console.log(JSON.stringify(session.lastYield));
await session.dispose();
