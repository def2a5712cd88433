// Finds of the scanner that a person knows to be no secrets. They are left out of what `ralph secrets scan` reports, and counted; what
// a model is about to write is looked through without them, because a model could write them.

export interface Exemptions {
  fingerprints: ReadonlySet<string>;
  /** Lines of the file that are no fingerprint, counted from 1. */
  wrongLines: number[];
}

/** A fingerprint a line; what follows a blank or # is for people. */
export function readExemptions(text: string): Exemptions {
  const fingerprints = new Set<string>();
  const wrongLines: number[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [word = ""] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (/^[0-9a-f]{20}$/.test(word)) fingerprints.add(word);
    else if (word !== "") wrongLines.push(index + 1);
  }
  return { fingerprints, wrongLines };
}

/** Ours, and those of the scanners people come from. */
const MARKERS = /ralph:allow-secret|gitleaks:allow|pragma:\s*allowlist[ -]secret/i;

/** The finds of a text that nobody exempted. A marker counts for its own line. */
export function withoutExempt<Finding extends { line: number; fingerprint: string }>(
  findings: readonly Finding[],
  text: string,
  { fingerprints }: Pick<Exemptions, "fingerprints">,
): Finding[] {
  if (findings.length === 0) return [];
  const lines = text.split("\n");
  return findings.filter(
    ({ line, fingerprint }) => !fingerprints.has(fingerprint) && !MARKERS.test(lines[line - 1] ?? ""),
  );
}
