import { type EmbedWish, embedContext } from "../cli/embed-context.ts";
import type { Embedded } from "../cli/run-context.ts";
import type { ModelsFile } from "../models/models-file-schema.ts";
import type { Registry } from "../models/registry.ts";
import type { Model } from "../protocol/models.ts";
import type { AuthStorage } from "./auth-storage.ts";
import { RalphError } from "./ralph-error.ts";
import type { Settings } from "./settings.ts";

export interface ModelRegistryOptions extends Pick<EmbedWish, "cwd" | "agentDir" | "environment"> {
  /** They say which models are enabled. */
  settings?: Settings | undefined;
  /** Providers in the words of models.yml, which is not read then. */
  providers?: ModelsFile["providers"];
}

/** Every model there is, and which of them can be asked now. */
export class ModelRegistry {
  private known: Registry | undefined;

  constructor(
    readonly authStorage: AuthStorage,
    private readonly options: ModelRegistryOptions = {},
  ) {}

  /** Reads everything anew, and asks the servers that list their own models. */
  async refresh(): Promise<void> {
    await this.load({ discover: true });
  }

  /** Reads what is written down, and asks no server. */
  async load({ discover }: { discover: boolean } = { discover: false }): Promise<void> {
    const { cwd, agentDir, environment, settings } = this.options;
    const embedded = await this.embedded();
    const opened = await embedContext({ cwd, agentDir, environment, settings: settings?.inForce, embedded });
    if (!opened.ok) throw new RalphError("invalid", opened.message);
    const { modelInput } = await import("../cli/model-choice.ts");
    const { loadRegistry } = await import("../models/load-registry.ts");
    const { registry } = await loadRegistry(modelInput(opened.context), { discover });
    this.known = registry;
  }

  getAll(): readonly Model[] {
    return this.loaded().getAll();
  }

  /** Those that have a key, or need none, and are enabled. */
  getAvailable(): readonly Model[] {
    return this.loaded().getAvailable();
  }

  find(provider: string, id: string): Model | undefined {
    return this.loaded().find(provider, id);
  }

  get isLoaded(): boolean {
    return this.known !== undefined;
  }

  /** What a session has to know to choose the same models. */
  async embedded(): Promise<Embedded> {
    const { providers } = this.options;
    const modelsFile = providers === undefined ? undefined : await checked(providers);
    return { keys: this.authStorage.keys, ...(modelsFile === undefined ? {} : { modelsFile }) };
  }

  private loaded(): Registry {
    if (this.known === undefined)
      throw new RalphError("invalid", "The registry has not read its models yet. Await refresh() first.");
    return this.known;
  }
}

async function checked(providers: NonNullable<ModelsFile["providers"]>): Promise<ModelsFile> {
  const { parseModelsFile } = await import("../models/models-file-parse.ts");
  const parsed = parseModelsFile(JSON.stringify({ providers }), { file: "ModelRegistry", format: "json" });
  if (parsed.ok) return parsed.value;
  const lines = parsed.problems.map(({ key, message, remedy }) => `${key}: ${message} ${remedy}`);
  throw new RalphError("invalid", `The providers of the registry cannot be used. ${lines.join("\n")}`);
}
