// Takes secrets out of text that is about to be stored or shown. Every step is linear in the text, whatever the text holds:
// a shape is only tried where a token begins, and what it reads is skipped afterwards.

/** Shorter values would blank out ordinary words. */
const SHORTEST_KNOWN_SECRET = 4;
const MARKER = "[redacted]";

/** The text without the known secrets, without private keys and without anything that has the shape of a key. */
export function redactSecrets(text: string, knownSecrets: Iterable<string>): string {
  let result = redactKnown(text, knownSecrets);
  result = redactPrivateKeys(result);
  for (const { pattern, replacement } of SHAPES) result = result.replace(pattern, replacement);
  return result;
}

/** Whether a field of this name holds a secret whatever its value looks like. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

const SECRET_NAME =
  /^(?:x[_-])?(?:(?:api|access|secret|private|auth)[_-]?key|(?:access|refresh|auth|id|session|bearer)?[_-]?token|client[_-]?secret|secret|pass(?:word|wd|phrase)?|(?:proxy[_-])?authorization|(?:set[_-])?cookie|credentials?)$/i;

/** Not in the middle of a longer word: this is what keeps every shape linear. */
const START = "(?<![A-Za-z0-9_-])";
const NAMES =
  "(?:api|access|secret|private|auth)[_-]?key|(?:access|refresh|auth|session|bearer)[_-]?token|client[_-]?secret|password|passwd|passphrase";

const SHAPES: readonly { pattern: RegExp; replacement: string }[] = [
  { pattern: token("sk-[A-Za-z0-9_-]{16,}"), replacement: MARKER },
  { pattern: token("(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}"), replacement: MARKER },
  { pattern: token("AIza[A-Za-z0-9_-]{30,}"), replacement: MARKER },
  { pattern: token("ya29\\.[A-Za-z0-9_-]{20,}"), replacement: MARKER },
  { pattern: token("gh[pousr]_[A-Za-z0-9]{20,}"), replacement: MARKER },
  { pattern: token("github_pat_[A-Za-z0-9_]{20,}"), replacement: MARKER },
  { pattern: token("glpat-[A-Za-z0-9_-]{16,}"), replacement: MARKER },
  { pattern: token("(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}"), replacement: MARKER },
  { pattern: token("(?:AKIA|ASIA)[A-Z0-9]{16}"), replacement: MARKER },
  { pattern: token("(?:hf|npm|gsk|r8)_[A-Za-z0-9]{20,}"), replacement: MARKER },
  { pattern: token("(?:xai|pplx)-[A-Za-z0-9]{20,}"), replacement: MARKER },
  { pattern: token("eyJ[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*"), replacement: MARKER },
  {
    pattern:
      /\b(Bearer|Basic)([ \t]{1,8})(?:(?=[A-Za-z._~+/=-]*[0-9])[A-Za-z0-9._~+/=-]{8,}|[A-Za-z0-9._~+/=-]{20,})/gi,
    replacement: `$1$2${MARKER}`,
  },
  {
    pattern: new RegExp(
      `(${NAMES})(\\\\?["']?[ \\t]{0,8}[:=][ \\t]{0,8}\\\\?["'\`]?)[^\\s"'\`\\\\&,;<>(){}[\\]]{6,}`,
      "gi",
    ),
    replacement: `$1$2${MARKER}`,
  },
  { pattern: /(:\/\/[^\s/:@"']{0,128}:)[^\s/@"']{1,256}@/g, replacement: `$1${MARKER}@` },
];

function token(shape: string): RegExp {
  return new RegExp(`${START}${shape}`, "g");
}

/** Overlapping secrets are blanked out together, so that no end of one stays behind. */
function redactKnown(text: string, knownSecrets: Iterable<string>): string {
  const spans: { from: number; to: number }[] = [];
  for (const secret of knownSecrets) {
    if (secret.length < SHORTEST_KNOWN_SECRET) continue;
    for (const form of writtenForms(secret)) collectSpans(text, form, spans);
  }
  if (spans.length === 0) return text;
  spans.sort((a, b) => a.from - b.from);
  let result = "";
  let done = 0;
  for (const { from, to } of spans) {
    if (to <= done) continue;
    if (from >= done) result += text.slice(done, from) + MARKER;
    done = to;
  }
  return result + text.slice(done);
}

/** How a secret may stand in a text: as it is, inside a URL, inside a JSON string and as base64. */
export function writtenForms(secret: string): Set<string> {
  const wellFormed = secret.toWellFormed();
  return new Set([
    secret,
    encodeURIComponent(wellFormed),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(wellFormed).toString("base64").replace(/=+$/, ""),
  ]);
}

function collectSpans(text: string, form: string, spans: { from: number; to: number }[]): void {
  let last: { from: number; to: number } | undefined;
  for (let found = text.indexOf(form); found !== -1; found = text.indexOf(form, found + 1)) {
    if (last !== undefined && found <= last.to) {
      last.to = found + form.length;
      continue;
    }
    last = { from: found, to: found + form.length };
    spans.push(last);
  }
}

const KEY_HEADER = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_FOOTER = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** What may follow the header of a key whose end is missing. */
const KEY_BODY = /(?:[A-Za-z0-9+/=\s]|\\[nr])*/y;

function redactPrivateKeys(text: string): string {
  const headers = [...text.matchAll(KEY_HEADER)];
  if (headers.length === 0) return text;
  const footers = [...text.matchAll(KEY_FOOTER)];
  let result = "";
  let done = 0;
  let footer = 0;
  for (const [position, header] of headers.entries()) {
    if (header.index < done) continue;
    const body = header.index + header[0].length;
    while ((footers[footer]?.index ?? Number.POSITIVE_INFINITY) < body) footer++;
    const end = footers[footer];
    const next = headers[position + 1]?.index ?? Number.POSITIVE_INFINITY;
    result += text.slice(done, header.index) + MARKER;
    done = end !== undefined && end.index < next ? end.index + end[0].length : endOfBody(text, body);
  }
  return result + text.slice(done);
}

function endOfBody(text: string, from: number): number {
  KEY_BODY.lastIndex = from;
  return from + (KEY_BODY.exec(text)?.[0].length ?? 0);
}
