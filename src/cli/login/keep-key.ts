import { providerRow } from "../../llm/providers.ts";
import { checkKey } from "../../models/login/check-key.ts";
import type { LoginProvider } from "../../models/login/login-providers.ts";
import type { RunContext } from "../run-context.ts";

/** `notes` are lines for the person: what looks like a mistake, and what else plays a part. */
export type KeptKey = { ok: true; notes: string[] } | { ok: false; message: string };

/** Checks a key a person gave and stores it. */
export async function keepKey(context: RunContext, provider: LoginProvider, given: string): Promise<KeptKey> {
  const checked = checkKey(provider.id, given);
  if (!checked.ok) return checked;
  const stored = await context.credentials.storeKey(provider.id, checked.key);
  if (!stored.ok) return stored;
  const variable = providerRow(provider.id)?.keyVariables.find((name) => (context.environment[name] ?? "") !== "");
  const notes = [
    ...(checked.warning === undefined ? [] : [checked.warning]),
    ...(variable === undefined ? [] : [`${variable} is set, too; the stored key goes before it.`]),
  ];
  return { ok: true, notes };
}
