import type { SealedEntry } from "./credential-file.ts";

// AES-256-GCM. What stands beside the sealed text is sealed with it: an entry that was moved to another provider, or whose kind or
// time was changed, does not open.

/** What the entry says openly. */
export type EntryAbout = Pick<SealedEntry, "kind" | "storedAt" | "expiresAt"> & { provider: string };

const NONCE_BYTES = 12;

export async function seal(key: CryptoKey, about: EntryAbout, text: string): Promise<SealedEntry> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const sealed = await crypto.subtle.encrypt(parameters(nonce, about), key, new TextEncoder().encode(text));
  const { kind, storedAt, expiresAt } = about;
  const open = { kind, storedAt, ...(expiresAt === undefined ? {} : { expiresAt }) };
  return { ...open, nonce: base64(nonce), sealed: base64(new Uint8Array(sealed)) };
}

/** Undefined where the entry is not what was sealed, or was sealed with another key. */
export async function unseal(key: CryptoKey, provider: string, entry: SealedEntry): Promise<string | undefined> {
  const nonce = bytesOf(entry.nonce);
  if (nonce.length !== NONCE_BYTES) return undefined;
  try {
    const text = await crypto.subtle.decrypt(parameters(nonce, { ...entry, provider }), key, bytesOf(entry.sealed));
    return new TextDecoder("utf-8", { fatal: true }).decode(text);
  } catch {
    return undefined;
  }
}

export function importKey(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
}

function parameters(iv: Uint8Array<ArrayBuffer>, { provider, kind, storedAt, expiresAt }: EntryAbout) {
  const about = JSON.stringify(["ralph credential", 1, provider, kind, storedAt, expiresAt ?? null]);
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(about) };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, "base64"));
}
