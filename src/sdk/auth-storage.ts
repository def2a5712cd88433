import { type EmbedWish, embedContext } from "../cli/embed-context.ts";
import type { StoredCredentials } from "../models/credentials.ts";
import type { Credential } from "../protocol/models.ts";
import { RalphError } from "./ralph-error.ts";

export type AuthPlaces = Pick<EmbedWish, "agentDir" | "environment">;

/**
 * Keys of providers, in this order: what was set here, what `ralph login` stored, the variables of the provider, what models.yml
 * says.
 */
export class AuthStorage {
  private readonly runtime = new Map<string, string>();

  constructor(private readonly places: AuthPlaces = {}) {}

  /** For this storage and never on disk. It counts for every model that is chosen from now on. */
  setRuntimeApiKey(provider: string, key: string): void {
    if (provider === "" || key.trim() === "")
      throw new RalphError("invalid", "A key needs a provider and must not be empty.");
    this.runtime.set(provider, key.trim());
  }

  removeRuntimeApiKey(provider: string): void {
    this.runtime.delete(provider);
  }

  /** Undefined where there is none, or where the provider takes no key. */
  async getApiKey(provider: string): Promise<string | undefined> {
    const key = this.runtime.get(provider);
    if (key !== undefined) return key;
    const opened = await embedContext(this.places);
    if (!opened.ok) throw new RalphError("invalid", opened.message);
    const { modelInput } = await import("../cli/model-choice.ts");
    const { loadModelSources } = await import("../models/model-sources.ts");
    const { findCredential } = await import("../models/credentials.ts");
    const { sources } = await loadModelSources(modelInput(opened.context));
    const found = await findCredential({ provider }, sources.credentials);
    return found.ok ? keyOf(found.credential) : undefined;
  }

  /** As whoever resolves models asks for them. */
  get keys(): StoredCredentials {
    return {
      has: (provider) => this.runtime.has(provider),
      find: async (provider) => {
        const key = this.runtime.get(provider);
        return key === undefined ? {} : { key };
      },
    };
  }
}

/** What the machine has: what is stored in `agentDir`, the environment of the process, and the models.yml of `agentDir`. */
export async function discoverAuthStorage(agentDir?: string): Promise<AuthStorage> {
  return new AuthStorage({ agentDir });
}

function keyOf(credential: Credential): string | undefined {
  if (credential.type === "key") return credential.key;
  return credential.type === "bearer" ? credential.token : undefined;
}
