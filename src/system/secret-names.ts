// Names of environment variables that say their value is a secret.

/** A part of a name that says it: `DB_PASSWORD`, `GITHUB_TOKEN`, `AWS_ACCESS_KEY_ID`, `PGPASSWORD`. Counts are not meant: `MAX_TOKENS`. */
const SECRET_PART =
  /^(?:\w*(?:PASSWORD|PASSWD|PASSPHRASE|SECRETS?|APIKEY|OAUTH\d?)|KEYS?|TOKEN|PASS|AUTH|CREDENTIALS?|PRIVATE|COOKIE|PAT)$/i;

export function isSecretVariable(name: string): boolean {
  const parts = name.split(/[_.-]/);
  // PWD alone is the folder a shell is in.
  return parts.some((part) => SECRET_PART.test(part)) || (parts.length > 1 && /^PWD$/i.test(parts.at(-1) ?? ""));
}
