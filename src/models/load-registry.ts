import { discoveredRegistry, knownRegistry, loadModelSources, type ModelSourcesInput } from "./model-sources.ts";
import type { Registry } from "./registry.ts";

/** Every model there is, for those who list them. `discover` also asks the servers that list their own. */
export async function loadRegistry(
  input: ModelSourcesInput,
  { discover }: { discover: boolean },
): Promise<{ registry: Registry; notes: string[] }> {
  const { sources, notes } = await loadModelSources(input);
  return { registry: await (discover ? discoveredRegistry(sources) : knownRegistry(sources)), notes };
}
