import type { ProviderRow } from "../llm/providers.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export type ProviderAddress = { ok: true; url: string } | { ok: false; message: string };

/** Where a built-in provider is reached, after the environment had its say. */
export function providerAddress(row: ProviderRow, environment: Environment): ProviderAddress {
  const replaced = row.baseUrlVariable === undefined ? undefined : firstSet([row.baseUrlVariable], environment);
  if (replaced !== undefined && isAddress(replaced)) return { ok: true, url: replaced };
  if (replaced !== undefined) return { ok: false, message: notAnAddress(row, replaced) };
  let url = row.baseUrl;
  for (const [part, { variables, fallback }] of Object.entries(row.addressParts ?? {})) {
    const value = firstSet(variables, environment) ?? fallback;
    if (value === undefined) return { ok: false, message: missing(row, part, variables) };
    if (!SAFE_PART.test(value)) return { ok: false, message: unusable(row, part, value) };
    url = url.replaceAll(`{${part}}`, value);
  }
  return { ok: true, url };
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

function notAnAddress(row: ProviderRow, value: string): string {
  return `${row.baseUrlVariable} is not an address: ${JSON.stringify(value)}. Write it with http:// or https://.`;
}

/** One label of a host or one segment of a path: anything else could send the key to another host. */
const SAFE_PART = /^[a-z0-9][a-z0-9_-]*$/i;

function firstSet(variables: readonly string[], environment: Environment): string | undefined {
  for (const variable of variables) {
    const value = environment[variable]?.trim();
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}

function missing(row: ProviderRow, part: string, variables: readonly string[]): string {
  return `${row.name} has no address yet: the ${part} is unknown. Set ${variables.join(" or ")}, or baseUrl of ${row.id} in models.yml.`;
}

function unusable(row: ProviderRow, part: string, value: string): string {
  return `${row.name} has no address: ${JSON.stringify(value)} cannot be a ${part}. Use letters, digits and hyphens only.`;
}
