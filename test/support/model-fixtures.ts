import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ModelsFileFormat, parseModelsFile } from "../../src/models/models-file-parse.ts";
import type { ModelsFile } from "../../src/models/models-file-schema.ts";
import { createRegistry, type Registry, type RegistryInput } from "../../src/models/registry.ts";
import type { Model } from "../../src/protocol/models.ts";

/** A model with everything required and nothing else. */
export function modelNamed(selector: string, over: Partial<Model> = {}): Model {
  const slash = selector.indexOf("/");
  const id = selector.slice(slash + 1);
  return {
    provider: selector.slice(0, slash),
    id,
    name: id,
    api: "openai-completions",
    baseUrl: "https://example.test/v1",
    auth: "apiKey",
    reasoning: false,
    tools: true,
    input: ["text"],
    contextWindow: 128_000,
    maxTokens: 16_384,
    ...over,
  };
}

/** A registry in which only the named providers have keys; without names all have. */
export function registryWith(input: Partial<RegistryInput> & { keys?: string[] }): Registry {
  return createRegistry({
    builtIns: [],
    credentialsAvailable: ({ provider }) =>
      input.keys === undefined || input.keys.includes(provider)
        ? { ok: true }
        : { ok: false, variables: [`${provider.toUpperCase()}_KEY`], message: `No key for ${provider}.` },
    ...input,
  });
}

export function modelsFileFrom(text: string, format: ModelsFileFormat = "yaml"): ModelsFile {
  const parsed = parseModelsFile(text, { file: "models.yml", format });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

export function temporaryDirectory(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "ralph-models-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
