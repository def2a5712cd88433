import { PROVIDERS, providerRow } from "../../llm/providers.ts";
import type { ModelsFile } from "../models-file-schema.ts";
import type { StoredRow } from "../stored-credentials/credential-store.ts";

/** Somewhere a person can log in. */
export interface LoginProvider {
  id: string;
  name: string;
  /** `browser`: with a subscription, in a browser. `key`: with a key that is typed once. */
  method: "browser" | "key";
  /** Where a key comes from. */
  hint?: string;
  stored?: StoredRow;
}

export interface LoginProviderSources {
  providers: ModelsFile["providers"] | undefined;
  stored: readonly StoredRow[];
}

/** Those of the table, then those of models.yml, then what else something is stored for. Servers without keys are left out. */
export function loginProviders({ providers = {}, stored }: LoginProviderSources): LoginProvider[] {
  const needsNone = (id: string) => (providers[id]?.auth ?? providerRow(id)?.auth) === "none";
  const ids = [...PROVIDERS.map(({ id }) => id), ...Object.keys(providers), ...stored.map(({ provider }) => provider)];
  return [...new Set(ids)]
    .filter((id) => !needsNone(id) || stored.some(({ provider }) => provider === id))
    .map((id) => loginProvider(id, stored));
}

function loginProvider(id: string, stored: readonly StoredRow[]): LoginProvider {
  const row = providerRow(id);
  const kept = stored.find(({ provider }) => provider === id);
  return {
    id,
    name: row?.name ?? id,
    method: row?.auth === "oauth" ? "browser" : "key",
    ...(row?.signUpHint === undefined ? {} : { hint: row.signUpHint }),
    ...(kept === undefined ? {} : { stored: kept }),
  };
}

/** "stored key", or until when a login counts; never what it is. */
export function describeStored({ kind, expiresAt }: StoredRow, now: number): string {
  if (kind === "key") return "stored key";
  if (expiresAt === undefined) return "stored login";
  const until = `${new Date(expiresAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return expiresAt > now
    ? `stored login, valid until ${until}`
    : `stored login, renewed when it is used (ended ${until})`;
}
