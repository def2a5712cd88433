// The program says which models there are and brings their key. No models.yml is read.

import { AuthStorage, createAgentSession, ModelRegistry, SessionManager } from "ralph";

const authStorage = new AuthStorage();
authStorage.setRuntimeApiKey("house", process.env.HOUSE_KEY ?? "");

const modelRegistry = new ModelRegistry(authStorage, {
  providers: {
    house: {
      api: "openai-completions",
      baseUrl: process.env.HOUSE_URL ?? "",
      apiKeyEnv: "HOUSE_KEY_OF_THE_MACHINE",
      models: [{ id: "small", contextWindow: 32_000, maxTokens: 4_000 }],
    },
  },
});
await modelRegistry.refresh();

const model = modelRegistry.find("house", "small");
if (model === undefined) throw new Error("The house has no small model.");

const { session } = await createAgentSession({
  authStorage,
  modelRegistry,
  model,
  sessionManager: SessionManager.inMemory(),
});

console.log((await session.prompt("Who are you?")).text);
console.log(`asked: ${session.model?.provider}/${session.model?.id}`);
await session.dispose();
