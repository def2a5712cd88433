import { expect, test } from "bun:test";
import { secretsInCall } from "../../../src/permissions/secrets/secrets-in-call.ts";
import { sampleKey } from "../../support/sample-keys.ts";

const KEYS = [1, 2, 3, 4].map((seed) => sampleKey("GitHub token", seed));
const shown = (key: string | undefined) => `GitHub token ghp_…${key?.slice(-2)}`;

test("a call that would write secrets is described without telling them", () => {
  const [first, second, third] = KEYS;
  expect(secretsInCall({ path: "a", content: `x = "${first}"` })).toBe(shown(first));
  expect(secretsInCall({ path: "a", edits: [{ content: first }, { content: second }] })).toBe(
    `${shown(first)}, ${shown(second)}`,
  );
  expect(secretsInCall({ content: KEYS.join("\n") })).toBe(
    `${shown(first)}, ${shown(second)}, ${shown(third)} and 1 more`,
  );
});

test("a call that only keeps a secret where it was says nothing", () => {
  const line = `token = "${KEYS[0]}"`;
  expect(secretsInCall({ old_string: line, new_string: `// kept\n${line}` })).toBeUndefined();
  expect(secretsInCall({ path: "a", content: "nothing", count: 3, none: null })).toBeUndefined();
});

test("a marker that exempts a line from the scanner says nothing here, because a model can write one", () => {
  const content = `token = "${KEYS[0]}" // ralph:allow-secret gitleaks:allow`;
  expect(secretsInCall({ content })).toBe(shown(KEYS[0]));
});
