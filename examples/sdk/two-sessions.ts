// Two agents in one process, each with its own folder, model and conversation. They share a bus.

import { createAgentSession, EventBus, SessionManager } from "ralph";

const eventBus = new EventBus();
eventBus.on("agent_end", () => console.log("one of them is done"));

const agents = await Promise.all(
  ["writer", "reader"].map(async (name) => {
    const { session } = await createAgentSession({
      eventBus,
      modelPattern: `${name}/model`,
      sessionManager: SessionManager.inMemory(),
      systemPrompt: `You are the ${name}.`,
    });
    return { name, session };
  }),
);

const answers = await Promise.all(agents.map(({ session }) => session.prompt("Say who you are.")));
for (const [place, { text }] of answers.entries()) console.log(`${agents[place]?.name}: ${text}`);
await Promise.all(agents.map(({ session }) => session.dispose()));
