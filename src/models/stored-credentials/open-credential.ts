import type { Clock } from "../../system/clock.ts";
import { acquireLock } from "../../system/lock.ts";
import type { StoredCredential } from "../credentials.ts";
import { putCredential } from "./change-credentials.ts";
import { readCredentialFile, type SealedEntry } from "./credential-file.ts";
import { readEncryptionKey } from "./encryption-key.ts";
import { unseal } from "./seal.ts";
import {
  needsRenewal,
  parseLogin,
  printLogin,
  type RenewLogin,
  renewedLogin,
  type StoredLogin,
} from "./stored-login.ts";

// Opens what is stored for one provider, and renews a login that is about to end: once, however many processes need it.

export interface OpenOptions {
  path: string;
  provider: string;
  clock: Clock;
  renew: RenewLogin;
}

export async function openCredential(options: OpenOptions): Promise<StoredCredential> {
  const opened = await openEntry(options);
  if (opened.type !== "login") return opened.credential;
  return needsRenewal(opened.login, options.clock.now()) ? renewed(options) : usable(opened.login);
}

type Opened =
  | { type: "settled"; credential: StoredCredential }
  | { type: "login"; login: StoredLogin; entry: SealedEntry };

async function openEntry({ path, provider }: OpenOptions): Promise<Opened> {
  const state = readCredentialFile(path);
  if (state.type === "unusable") return settled({ problem: state.message });
  const entry = state.type === "loaded" ? state.entries.get(provider) : undefined;
  if (entry === undefined) return settled({});
  const key = await readEncryptionKey(path);
  if (!key.ok) return settled({ problem: key.message });
  const text = await unseal(key.key, provider, entry);
  const login = text === undefined || entry.kind === "key" ? undefined : parseLogin(text);
  if (text !== undefined && entry.kind === "key") return settled({ key: text });
  if (login !== undefined) return { type: "login", login, entry };
  const what = entry.kind === "key" ? "key" : "login";
  const problem = `The stored ${what} of ${provider} cannot be opened: it was changed, or sealed with another key file. Log in again: ralph login ${provider}`;
  return settled({ problem });
}

/** A renewal is one request; whoever waits longer finds its holder stuck. */
const RENEWAL_WAIT_MS = 45_000;

async function renewed(options: OpenOptions): Promise<StoredCredential> {
  const { path, clock, provider } = options;
  const owner = `ralph, renewing the login of ${provider},`;
  const lock = await acquireLock(`${path}.renew.lock`, { owner, waitMs: RENEWAL_WAIT_MS });
  try {
    // Whoever had the lock before may have renewed it.
    const opened = await openEntry(options);
    if (opened.type !== "login") return opened.credential;
    if (!needsRenewal(opened.login, clock.now())) return usable(opened.login);
    if (!lock.ok) return orEnded(opened.login, options, { why: lock.message, isOver: false });
    return await renewOnce(opened, options);
  } finally {
    if (lock.ok) await lock.release();
  }
}

async function renewOnce(
  { login, entry }: Extract<Opened, { type: "login" }>,
  options: OpenOptions,
): Promise<StoredCredential> {
  const { path, provider, clock, renew } = options;
  if (login.refreshToken === undefined)
    return orEnded(login, options, { why: "it came without a refresh token", isOver: true });
  const renewal = await renew(login);
  if (!renewal.ok) return orEnded(login, options, { why: renewal.message, isOver: renewal.isOver });
  const next = renewedLogin(login, renewal.tokens);
  const about = { provider, kind: "login" as const, storedAt: clock.now(), ...timeOf(next) };
  // A logout, or another login, that came meanwhile stands.
  const mayReplace = (existing: SealedEntry | undefined) => existing?.nonce === entry.nonce;
  const stored = await putCredential(path, { about, text: printLogin(next), mayReplace });
  if (stored.ok) return usable(next);
  return { ...usable(next), problem: `The renewed login of ${provider} could not be stored: ${stored.message}` };
}

interface Failed {
  why: string;
  /** Trying again would be in vain. */
  isOver: boolean;
}

/** A token that still counts is used, however its renewal went. */
function orEnded(login: StoredLogin, { provider, clock }: OpenOptions, { why, isOver }: Failed): StoredCredential {
  if (login.expiresAt === undefined || login.expiresAt > clock.now()) return usable(login);
  const reason = why.replace(/[.\s]+$/, "");
  const remedy = isOver ? "Log in again" : "Try again when that is repaired, or log in again";
  return {
    problem: `The login of ${provider} has ended and was not renewed: ${reason}. ${remedy}: ralph login ${provider}`,
  };
}

function settled(credential: StoredCredential): Opened {
  return { type: "settled", credential };
}

function usable({ accessToken, accountId }: StoredLogin): StoredCredential {
  return { oauth: { token: accessToken, ...(accountId === undefined ? {} : { accountId }) } };
}

function timeOf({ expiresAt }: StoredLogin): { expiresAt?: number } {
  return expiresAt === undefined ? {} : { expiresAt };
}
