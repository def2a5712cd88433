import { type SecretFinding, secretsAdded } from "./scan.ts";

/**
 * What a call would put into a file that looks like a secret, as the end of the sentence "it would write …"; undefined where there
 * is nothing. What the call itself says was there before (`old_string`) is not new.
 */
export function secretsInCall(input: Readonly<Record<string, unknown>>): string | undefined {
  const texts: Record<"before" | "after", string[]> = { before: [], after: [] };
  collect(input, "after", texts);
  const findings = secretsAdded(texts.before.join("\n"), texts.after.join("\n"));
  return findings.length === 0 ? undefined : describeFindings(findings);
}

function collect(value: unknown, kind: "before" | "after", texts: Record<"before" | "after", string[]>): void {
  if (typeof value === "string") texts[kind].push(value);
  if (typeof value !== "object" || value === null) return;
  for (const [name, field] of Object.entries(value)) collect(field, name.startsWith("old") ? "before" : kind, texts);
}

const MOST_NAMED = 3;

/** The first of them, without telling them. */
export function describeFindings(findings: readonly SecretFinding[]): string {
  const named = findings.slice(0, MOST_NAMED).map(({ kind, shown }) => `${kind} ${shown}`);
  const more = findings.length - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
