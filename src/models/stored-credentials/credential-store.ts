import type { Clock } from "../../system/clock.ts";
import type { StoredCredential, StoredCredentials } from "../credentials.ts";
import {
  type CredentialFileState,
  credentialFileStamp,
  readCredentialFile,
  type SealedEntry,
} from "./credential-file.ts";
import type { RenewLogin, StoredLogin } from "./stored-login.ts";

/** What is stored for a provider, without what opens its door. */
export interface StoredRow extends Pick<SealedEntry, "kind" | "storedAt" | "expiresAt"> {
  provider: string;
}

export type StoreOutcome = { ok: true } | { ok: false; message: string };

/** Keys and logins that last. Nothing is loaded before the file is there and something of it is asked for. */
export interface CredentialStore extends StoredCredentials {
  /** Why nothing stored can be used; undefined where it can, or where nothing is. */
  problem(): string | undefined;
  list(): readonly StoredRow[];
  storeKey(provider: string, key: string): Promise<StoreOutcome>;
  storeLogin(provider: string, login: StoredLogin): Promise<StoreOutcome>;
  remove(provider: string): Promise<StoreOutcome & { wasThere?: boolean }>;
}

export interface CredentialStoreOptions {
  path: string;
  clock: Clock;
  renew: RenewLogin;
}

export function openCredentialStore({ path, clock, renew }: CredentialStoreOptions): CredentialStore {
  const state = rereading(path);
  /** Whoever asks while a login is renewed gets that one. */
  const opening = new Map<string, Promise<StoredCredential>>();
  const put = async (provider: string, entry: { kind: SealedEntry["kind"]; text: string; expiresAt?: number }) => {
    const { putCredential } = await import("./change-credentials.ts");
    const { text, ...open } = entry;
    return putCredential(path, { about: { provider, storedAt: clock.now(), ...open }, text });
  };
  return {
    has(provider) {
      const now = state();
      return now.type === "loaded" && now.entries.has(provider);
    },
    problem() {
      const now = state();
      return now.type === "unusable" ? now.message : undefined;
    },
    list() {
      const now = state();
      return now.type === "loaded" ? [...now.entries].map(rowOf) : [];
    },
    find(provider) {
      const running = opening.get(provider);
      if (running !== undefined) return running;
      const opened = import("./open-credential.ts")
        .then(({ openCredential }) => openCredential({ path, provider, clock, renew }))
        .finally(() => opening.delete(provider));
      opening.set(provider, opened);
      return opened;
    },
    storeKey: (provider, key) => put(provider, { kind: "key", text: key }),
    async storeLogin(provider, login) {
      const { printLogin } = await import("./stored-login.ts");
      const { expiresAt } = login;
      const time = expiresAt === undefined ? {} : { expiresAt };
      return put(provider, { kind: "login", text: printLogin(login), ...time });
    },
    async remove(provider) {
      const { removeCredential } = await import("./change-credentials.ts");
      return removeCredential(path, provider);
    },
  };
}

/** Reads the file again only where it may be another one. */
function rereading(path: string): () => CredentialFileState {
  let known: { stamp: string; state: CredentialFileState } | undefined;
  return () => {
    const stamp = credentialFileStamp(path);
    if (stamp === "") return { type: "none" };
    if (known?.stamp !== stamp) known = { stamp, state: readCredentialFile(path) };
    return known.state;
  };
}

function rowOf([provider, { kind, storedAt, expiresAt }]: [string, SealedEntry]): StoredRow {
  return { provider, kind, storedAt, ...(expiresAt === undefined ? {} : { expiresAt }) };
}
