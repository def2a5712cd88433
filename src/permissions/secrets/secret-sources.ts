import { join } from "node:path";
import type { SecretEntry } from "../../protocol/secret-entries.ts";
import { isSecretVariable } from "../../system/secret-names.ts";
import { readTextFile } from "../../system/text-file.ts";
import type { Secret } from "./secret.ts";
import { compilePattern } from "./secret-pattern.ts";

export interface SecretPlaces {
  environment: Readonly<Record<string, string | undefined>>;
  /** The user's configuration folder. */
  config: string;
  /** The project's `.ralph`; absent as long as the folder is not trusted. */
  project?: string;
  /** The line, counted from 1, on which an entry of a YAML text begins. */
  lineOf(text: string, entry: number): number;
  /** A clock in milliseconds, to see that no expression takes too long. */
  now(): number;
}

/** `problems` are sentences for the person: what was left out and why. */
export interface FoundSecrets {
  secrets: Secret[];
  problems: string[];
}

/** Shorter values of variables are switches and numbers. */
const SHORTEST_VALUE = 8;
/** Shorter ones would blank out ordinary words. */
const SHORTEST_PLAIN = 4;
const MOST_ENTRIES = 1000;
const MAX_BYTES = 1_000_000;

/** Secrets of the environment first, then those of `secrets.yml`, where an entry of the project stands for an equal one of the user. */
export async function findSecrets(places: SecretPlaces): Promise<FoundSecrets> {
  const own = await readSecretsFile(join(places.config, "secrets.yml"), places);
  const projects =
    places.project === undefined ? NOTHING : await readSecretsFile(join(places.project, "secrets.yml"), places);
  const entries = new Map([...own.secrets, ...projects.secrets].map((secret) => [identity(secret), secret]));
  return {
    secrets: [...environmentSecrets(places.environment), ...entries.values()],
    problems: [...own.problems, ...projects.problems],
  };
}

const NOTHING: FoundSecrets = { secrets: [], problems: [] };

function identity(secret: Secret): string {
  return secret.type === "plain" ? `plain ${secret.content}` : `regex ${secret.pattern.source}`;
}

export function environmentSecrets(environment: SecretPlaces["environment"]): Secret[] {
  const values = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && value.length >= SHORTEST_VALUE && isSecretVariable(name) ? [value] : [],
  );
  return [...new Set(values)].map((content) => ({ type: "plain", content, mode: "obfuscate" }));
}

async function readSecretsFile(path: string, places: SecretPlaces): Promise<FoundSecrets> {
  const file = readTextFile(path, { maxBytes: MAX_BYTES });
  if (!file.ok) return file.reason === "missing" ? NOTHING : { secrets: [], problems: [file.message] };
  let document: unknown;
  try {
    document = Bun.YAML.parse(file.text);
  } catch (error) {
    // Bun shows where it stumbled but not what stands there, so no secret gets into the message.
    const reason = error instanceof Error ? error.message : String(error);
    return { secrets: [], problems: [`${path} is not YAML: ${reason}. No secret of it is hidden: correct it.`] };
  }
  if (document === null || document === undefined) return NOTHING;
  if (!Array.isArray(document))
    return { secrets: [], problems: [`${path} must hold a list of entries (- type: plain …). It is left out.`] };
  return readEntries(document, { path, text: file.text, places });
}

interface SecretsFile {
  path: string;
  text: string;
  places: SecretPlaces;
}

async function readEntries(entries: unknown[], { path, text, places }: SecretsFile): Promise<FoundSecrets> {
  const { secretEntry } = await import("../../protocol/secret-entries.ts");
  const found: FoundSecrets = { secrets: [], problems: [] };
  for (const [index, value] of entries.slice(0, MOST_ENTRIES).entries()) {
    const place = `${path}:${places.lineOf(text, index)}`;
    const parsed = secretEntry.safeParse(value);
    const [issue] = parsed.error?.issues ?? [];
    const read = parsed.success
      ? secretOf(parsed.data, place, places.now)
      : `${issue?.path.join(".") || "the entry"} has the wrong form (type: plain or regex, content, mode, replacement, flags)`;
    if (typeof read === "string") found.problems.push(`${place}: ${read}; this entry is left out.`);
    else found.secrets.push(read);
  }
  if (entries.length > MOST_ENTRIES)
    found.problems.push(`${path} has more than ${MOST_ENTRIES} entries; those behind are left out.`);
  return found;
}

function secretOf(
  { type, content, mode, replacement, flags }: SecretEntry,
  place: string,
  now: () => number,
): Secret | string {
  const rest = { mode, ...(replacement === undefined ? {} : { replacement }) };
  if (type === "plain")
    return content.length < SHORTEST_PLAIN
      ? `content has fewer than ${SHORTEST_PLAIN} characters, so it would hide parts of ordinary words`
      : { type, content, ...rest };
  const compiled = compilePattern(content, { flags, now });
  return compiled.ok ? { type, pattern: compiled.pattern, place, ...rest } : compiled.message;
}
