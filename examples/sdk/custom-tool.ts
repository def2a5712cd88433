// A function of the program becomes a tool of the model.

import { type CustomTool, createAgentSession, SessionManager } from "ralph";

const stock = new Map([
  ["apples", 12],
  ["pears", 0],
]);

const countStock: CustomTool = {
  name: "count_stock",
  description: "How many of a thing are in stock.",
  parameters: {
    type: "object",
    properties: { thing: { type: "string" } },
    required: ["thing"],
    additionalProperties: false,
  },
  isReadOnly: true,
  execute({ thing }) {
    const count = stock.get(String(thing));
    if (count === undefined) throw new Error(`Nothing is called ${thing}. There are: ${[...stock.keys()].join(", ")}.`);
    return `${count}`;
  },
};

const { session } = await createAgentSession({
  sessionManager: SessionManager.inMemory(),
  toolNames: [],
  customTools: [countStock],
});

session.subscribe((event) => {
  if (event.type === "tool_execution_end") console.log(`${event.toolName}: ${JSON.stringify(event.result.content)}`);
});

console.log((await session.prompt("How many apples are there?")).text);
await session.dispose();
