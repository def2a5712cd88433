import { digestOf } from "./request-parts.ts";

const COUNTS = /^(RALPH_\w+|LANG|LC_\w+|TZ|TERM|NO_COLOR|SHELL|HTTPS?_PROXY|NO_PROXY|\w+_BASE_URL)$/i;
const SECRET = /KEY|TOKEN|SECRET|PASS/i;

/** Of the names and values of variables that change a run. No value can be read from it, and keys have no part in it. */
export function environmentDigest(environment: Readonly<Record<string, string | undefined>>): string {
  const counted = Object.entries(environment)
    .filter(([name, value]) => value !== undefined && COUNTS.test(name) && !SECRET.test(name))
    .map(([name, value]) => `${name}=${value}`);
  return digestOf(counted.sort().join("\0"));
}
