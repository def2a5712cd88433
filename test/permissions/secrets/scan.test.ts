import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MOST_FINDINGS, scanForSecrets, secretsAdded } from "../../../src/permissions/secrets/scan.ts";
import { SAMPLE_KEYS, sampleKey, samplePrivateKey } from "../../support/sample-keys.ts";

describe("scanning a text", () => {
  test("finds every kind of key wherever it stands, and shows only its ends", () => {
    const around = fc.constantFrom(
      ["", ""],
      ["key = '", "'"],
      ["curl -H 'Authorization: Bearer ", "' https://x.test"],
      ['{"a":"', '"}'],
      ["https://x.test/?k=", "&b=1"],
      ["export A=", "\n"],
      ["(", ")"],
    );
    const kinds = fc.constantFrom(...Object.keys(SAMPLE_KEYS));
    fc.assert(
      fc.property(kinds, around, fc.nat(10_000), fc.nat(5), (kind, [before, after], seed, lines) => {
        const key = sampleKey(kind, seed);
        const text = `${"a line\n".repeat(lines)}${before}${key}${after}`;
        const shown = `${key.slice(0, 4)}…${key.slice(-2)}`;
        expect(scanForSecrets(text)).toEqual([{ kind, line: lines + 1, column: (before?.length ?? 0) + 1, shown }]);
      }),
      { numRuns: 500 },
    );
  });

  test("finds private keys, in files and in strings", () => {
    const key = samplePrivateKey(1);
    const shown = "-----BEGIN RSA PRIVATE KEY-----…";
    expect(scanForSecrets(`x\n${key}`)).toEqual([{ kind: "private key", line: 2, column: 1, shown }]);
    expect(scanForSecrets(JSON.stringify({ key }))).toEqual([{ kind: "private key", line: 1, column: 9, shown }]);
  });

  test("finds random values that are assigned to names which say secret", () => {
    const random = "q9Zr3kT7xLp2VbN8wE4y";
    const found = [
      `DB_PASSWORD=${random}`,
      `const apiKey = "${random}";`,
      `"client_secret": "${random}",`,
      `access_token: '${random}'`,
      `password => "${random}"`,
    ];
    for (const line of found)
      expect(scanForSecrets(line)).toEqual([
        { kind: "assigned secret", line: 1, column: line.indexOf(random) + 1, shown: "q9Zr…4y" },
      ]);
  });

  test("leaves alone what only looks like it", () => {
    const harmless = [
      "const apiKey = process.env.API_KEY_FOR_TEST_2;",
      'password = "correct-horse-battery"',
      'token: "your-token-here-12345678"',
      'API_KEY="<insert your key 12ab34cd>"',
      `secret: "$${"{SECRET_FROM_VAULT_99}"}"`,
      "passwordHash = hashPassword(input123456, salt4567890)",
      'tokenUrl: "https://login.example.test/oauth2/v2.0/token"',
      'secretName = "production-database-credentials-v2"',
      'tokenizer = "cl100k_base_tokenizer_v2"',
      `AKIA${"IOSFODNN7EXAMPLE"}`,
      `sk-${"x".repeat(48)}`,
      "-----BEGIN PRIVATE KEY-----",
      'const HEADER = "-----BEGIN RSA PRIVATE KEY-----";',
      "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n",
      "task-ant-api-something-else, disk-project, risk-proj",
      '"integrity": "sha512-4YJ8X3o1Jm7Z2Kq9cV5bN0tR6wL3pQ8sD1fG7hK2jM4nB6vC9xZ5aS=="',
      "token = 12345678901234567890",
      `xx${sampleKey("GitHub token", 5)}`,
    ];
    expect(harmless.flatMap(scanForSecrets)).toEqual([]);
  });

  test("of a change finds only what the change adds", () => {
    const [old, fresh] = [sampleKey("GitHub token", 1), sampleKey("npm token", 2)];
    expect(secretsAdded(`a = "${old}"`, `a = "${old}"\nb = "${fresh}"`)).toEqual([
      { kind: "npm token", line: 2, column: 6, shown: `npm_…${fresh.slice(-2)}` },
    ]);
    expect(secretsAdded(`a = "${old}"`, `moved\na = "${old}"`)).toEqual([]);
  });

  test("has a bound, and does not take long for texts made to be slow", () => {
    const key = sampleKey("GitHub token", 1);
    expect(scanForSecrets(`${key}\n`.repeat(5000))).toHaveLength(MOST_FINDINGS);
    const slow = `token="${"aA1".repeat(200_000)} ${"secret_".repeat(100_000)}=${" sk-".repeat(100_000)}${"eyJa".repeat(100_000)}${"-----BEGIN ".repeat(50_000)}`;
    const begun = performance.now();
    scanForSecrets(slow);
    expect(performance.now() - begun).toBeLessThan(3000);
  });
});
