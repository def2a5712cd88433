import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isSecretName, redactSecrets } from "../../src/system/redact.ts";

const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl";
const body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj";
const pem = `-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----`;

const shapes: [string, string, string][] = [
  ["an OpenAI key", "key sk-proj-Ab12Cd34Ef56Gh78Ij90 end", "key [redacted] end"],
  ["an Anthropic key", "sk-ant-api03-Ab12Cd34_Ef56-Gh78", "[redacted]"],
  ["a Google key", `url?k=AIza${"a1".repeat(18)}`, "url?k=[redacted]"],
  ["a GitHub token", `ghp_${"a1".repeat(18)}`, "[redacted]"],
  ["a fine-grained GitHub token", `github_pat_${"a1_".repeat(18)}`, "[redacted]"],
  ["a Slack token", "xoxb-123456789012-abcdefABCDEF", "[redacted]"],
  ["an AWS key id", '"AKIAIOSFODNN7EXAMPLE"', '"[redacted]"'],
  ["a bearer header", "Authorization: Bearer abc123def456", "Authorization: Bearer [redacted]"],
  ["a basic header", "authorization: basic dXNlcjpwYXNzd29yZA==", "authorization: basic [redacted]"],
  ["a JSON web token", `<${jwt}>`, "<[redacted]>"],
  ["an assignment", "api_key=hunter22&x=1", "api_key=[redacted]&x=1"],
  ["a JSON member", '{"client_secret": "abc-def-ghi"}', '{"client_secret": "[redacted]"}'],
  ["a member of escaped JSON", '{\\"password\\":\\"hunter2\\"}', '{\\"password\\":\\"[redacted]\\"}'],
  ["a YAML line", "apiKey: 'abcdefgh'", "apiKey: '[redacted]'"],
  ["a password in a URL", "postgres://me:secret@host/db", "postgres://me:[redacted]@host/db"],
  ["a private key", `before ${pem} after`, "before [redacted] after"],
  ["a private key on one escaped line", `"${pem.replaceAll("\n", "\\n")}"`, '"[redacted]"'],
  ["a private key whose end is missing", `x -----BEGIN PRIVATE KEY-----\n${body}\n${body}`, "x [redacted]"],
];

describe("shapes", () => {
  for (const [name, text, expected] of shapes) {
    test(`${name} is taken out`, () => expect(redactSecrets(text, [])).toBe(expected));
  }

  test("ordinary text stays as it is", () => {
    const text =
      "Run task-list-of-things in src/risk-assessment-module.ts; the Bearer of news used a Basic example. " +
      "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE----- https://host:8080/path?token=no see a@b.c";
    expect(redactSecrets(text, [])).toBe(text);
  });

  test("a key without its end does not swallow the text before the next key", () => {
    const text = `-----BEGIN PRIVATE KEY-----\nAAAA\n. kept ${pem} kept`;
    expect(redactSecrets(text, [])).toBe("[redacted]. kept [redacted] kept");
  });
});

describe("known secrets", () => {
  test("are taken out as they are, URL-encoded, JSON-escaped and in base64", () => {
    const secret = 'p"a/ss wörd';
    const text = [secret, encodeURIComponent(secret), JSON.stringify(secret), Buffer.from(secret).toString("base64")];
    expect(redactSecrets(text.join(" | "), [secret])).toBe('[redacted] | [redacted] | "[redacted]" | [redacted]');
  });

  test("that overlap leave no end behind", () => {
    expect(redactSecrets("xabcdefghx", ["abcdef", "defgh", "cdef"])).toBe("x[redacted]x");
    expect(redactSecrets("xabcdefghx", ["abcdefgh", "bcde"])).toBe("x[redacted]x");
  });

  test("shorter than four characters are left alone", () => {
    expect(redactSecrets("a cat sat", ["cat", "", "a"])).toBe("a cat sat");
  });

  test("never survive, whatever stands around them", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ minLength: 4, maxLength: 12 }).filter((secret) => !"[redacted]".includes(secret)),
          {
            maxLength: 4,
          },
        ),
        fc.array(fc.string(), { maxLength: 6 }),
        (secrets, between) => {
          const text = between.map((piece, index) => piece + (secrets[index % (secrets.length || 1)] ?? "")).join("");
          const result = redactSecrets(text, secrets);
          const rest = result.split("[redacted]");
          for (const secret of secrets) for (const piece of rest) expect(piece.includes(secret)).toBe(false);
        },
      ),
    );
  });
});

test("names of secret fields are known in the usual spellings", () => {
  const secret = [
    "apiKey",
    "api_key",
    "X-Api-Key",
    "Authorization",
    "password",
    "refresh_token",
    "token",
    "Set-Cookie",
  ];
  const ordinary = ["tokens", "inputTokens", "path", "keyboard", "author", "passed"];
  expect([secret.filter((name) => !isSecretName(name)), ordinary.filter(isSecretName)]).toEqual([[], []]);
});

describe("hostile text of a megabyte is done in linear time:", () => {
  const size = 1_000_000;
  const pieces = [
    "sk-",
    "eyJ",
    "eyJa.",
    "eyJa.b.",
    "Bearer ",
    "Bearer a",
    "a",
    "-",
    " ",
    "api_key=",
    "api_key = '",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN ",
    "-----END PRIVATE KEY-----",
    "://a:",
    "://",
    ":@/",
    "AKIA",
    "ghp_aaaaaaaaaaaaaaaaaaa ",
    "password",
  ];
  for (const piece of pieces) {
    test(JSON.stringify(piece), () => {
      const text = piece.repeat(size / piece.length);
      const started = performance.now();
      redactSecrets(text, ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "sk-sk-sk-", "    "]);
      expect(performance.now() - started).toBeLessThan(1000);
    });
  }
});
