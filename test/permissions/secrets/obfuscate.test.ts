import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createObfuscator, type Obfuscation, secretsKey } from "../../../src/permissions/secrets/obfuscate.ts";
import type { Secret } from "../../../src/permissions/secrets/secret.ts";

const now = () => performance.now();

function begin(secrets: Secret[], session = "one"): Obfuscation {
  return createObfuscator(secrets, { key: secretsKey(session), now }).begin();
}

function plain(content: string, rest: Partial<Secret> = {}): Secret {
  return { type: "plain", content, mode: "obfuscate", ...rest } as Secret;
}

function regex(pattern: RegExp, rest: Partial<Secret> = {}): Secret {
  return { type: "regex", pattern, place: "secrets.yml:1", mode: "obfuscate", ...rest } as Secret;
}

const SECRETS = ["hunter2hunter2", "hunter2h", 'quo"ted\\and\nlong', "ünï/cödé+ß", "aaaaaaaa"];

describe("hiding", () => {
  test("gives a placeholder of four characters, the same for the same secret in the same session and another in another", () => {
    const text = begin([plain("hunter2hunter2")]).hide("it is hunter2hunter2!");
    expect(text).toMatch(/^it is #[A-Z0-9]{4}#!$/);
    expect(begin([plain("other-secret"), plain("hunter2hunter2")]).hide("it is hunter2hunter2!")).toBe(text);
    expect(begin([plain("hunter2hunter2")], "two").hide("it is hunter2hunter2!")).not.toBe(text);
  });

  test("takes the longest secret, and secrets that overlap as one", () => {
    const texts = begin([plain("abcdefgh"), plain("abcdefghijkl"), plain("ghijklmnop")]);
    expect(texts.hide("abcdefghijkl")).toBe(begin([plain("abcdefghijkl")]).hide("abcdefghijkl"));
    const both = texts.hide("x abcdefghijklmnop y");
    expect(both).toMatch(/^x #[A-Z0-9]{4}# y$/);
    expect(texts.restore(both)).toBe("x abcdefghijklmnop y");
  });

  test("finds a secret inside URLs, JSON and base64", () => {
    const secret = 'p&ss "word"/\n1';
    const texts = begin([plain(secret)]);
    const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret), Buffer.from(secret).toString("base64")];
    for (const form of forms) {
      const hidden = texts.hide(`<${form}>`);
      expect(hidden).toMatch(/^<"?#[A-Z0-9]{4}#=*"?>$/);
      expect(texts.restore(hidden)).toBe(`<${form}>`);
    }
  });

  test("writes a replacement for good: the given text, or as many other characters", () => {
    const texts = begin([
      plain("first-secret", { mode: "replace", replacement: "[gone]" }),
      plain("second-secret", { mode: "replace" }),
    ]);
    const hidden = texts.hide("first-secret, second-secret");
    expect(hidden).toMatch(/^\[gone\], [A-Za-z0-9]{13}$/);
    expect(hidden).not.toContain("second-secret");
    expect(texts.hide("first-secret, second-secret")).toBe(hidden);
    expect(texts.restore(hidden)).toBe(hidden);
  });

  test("hides what an expression found wherever it stands afterwards, and nothing before", () => {
    const texts = begin([regex(/(?<=key: )\w+/g)]);
    expect(texts.hide("value1234 is free")).toBe("value1234 is free");
    const hidden = texts.hide("key: value1234");
    expect(hidden).toMatch(/^key: #[A-Z0-9]{4}#$/);
    expect(texts.hide("again value1234")).toBe(`again ${hidden.slice(5)}`);
    expect(texts.restore(hidden)).toBe("key: value1234");
  });

  test("finds what an expression means in a text of a megabyte, wherever its windows are cut", () => {
    const texts = begin([regex(/tok_[a-z0-9]{40}/g)]);
    const token = (index: number) => `tok_${String(index).padStart(40, "0")}`;
    const text = Array.from({ length: 3000 }, (_, index) => `${"x".repeat(index % 331)}${token(index)}`).join(" ");
    const hidden = texts.hide(text);
    expect(hidden).not.toMatch(/tok_/);
    expect(texts.restore(hidden)).toBe(text);
  });

  test("says that expressions take too long instead of letting the text through", () => {
    let time = 0;
    const slow = createObfuscator([regex(/never/g)], { key: "k", now: () => (time += 3000) }).begin();
    slow.hide("a");
    slow.hide("b");
    expect(slow.problem()).toBe(
      "The expressions of secrets.yml took over 5000 ms (last: secrets.yml:1), so nothing was sent. Make that expression simpler.",
    );
  });

  test("stays quick with a thousand secrets and a megabyte of text", () => {
    const secrets = Array.from({ length: 1000 }, (_, index) => plain(`sk-test-${index}-${"k".repeat(30)}`));
    const texts = begin(secrets);
    const text = "some ordinary line of source code, sk-test-999-nothing;\n".repeat(20_000);
    const begun = performance.now();
    expect(texts.hide(text)).toBe(text);
    expect(performance.now() - begun).toBeLessThan(1000);
  });
});

/** Texts full of secrets, of their placeholders, of almost-placeholders and of pieces of all of them. */
function trickyText(codes: string[]): fc.Arbitrary<string> {
  const piece = fc.oneof(
    fc.constantFrom(...SECRETS, ...SECRETS.map((secret) => secret.slice(0, -2)), "#", "=", "##", "#=", "a", " "),
    fc.constantFrom(...codes),
    fc.constantFrom(...codes.flatMap((code) => [`#${code}#`, `#${code}`, `${code}#`, `#=${code}#`, `#==${code}`])),
    fc.constantFrom("tok_12345678", "#ABCD#", "#ZZZZ"),
    fc.string({ maxLength: 6 }),
  );
  return fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));
}

describe("restoring", () => {
  const secrets = [...SECRETS.map((secret) => plain(secret)), regex(/tok_\d{8}/g)];
  const codes = SECRETS.flatMap(
    (secret) =>
      begin(secrets)
        .hide(secret)
        .match(/[A-Z0-9]{4}/) ?? [],
  );

  test("brings every text back, and no secret stands in what was hidden", () => {
    fc.assert(
      fc.property(fc.array(trickyText(codes), { maxLength: 4 }), (given) => {
        const texts = begin(secrets);
        const hidden = given.map((text) => texts.hide(text));
        expect(hidden.map((text) => texts.restore(text))).toEqual(given);
        for (const text of hidden) {
          for (const secret of SECRETS) expect(text).not.toContain(secret);
          expect(text).not.toMatch(/tok_\d{8}/);
        }
      }),
      { numRuns: 1500 },
    );
  });

  test("gives the same for every way a text is cut into pieces", () => {
    fc.assert(
      fc.property(trickyText(codes), fc.array(fc.nat(40), { maxLength: 20 }), fc.boolean(), (text, cuts, inJson) => {
        const texts = begin(secrets);
        const hidden = texts.hide(text);
        const stream = texts.restoreStream({ inJson });
        let shown = "";
        let rest = hidden;
        for (const cut of cuts) {
          shown += stream.push(rest.slice(0, cut));
          rest = rest.slice(cut);
        }
        expect(shown + stream.push(rest) + stream.flush()).toBe(texts.restore(hidden, { inJson }));
      }),
      { numRuns: 1500 },
    );
  });

  test("writes a value into JSON text so that it stays JSON", () => {
    const texts = begin([plain('quo"ted\\and\nlong')]);
    const input = { note: 'x quo"ted\\and\nlong y' };
    const hidden = { note: texts.hide(input.note) };
    expect(JSON.parse(texts.restore(JSON.stringify(hidden), { inJson: true }))).toEqual(input);
  });

  test("keeps two secrets apart whose codes would be the same", () => {
    const many = Array.from({ length: 4000 }, (_, index) => plain(`secret-number-${index}`));
    const texts = begin(many);
    const text = many.map((secret) => (secret.type === "plain" ? secret.content : "")).join("\n");
    const hidden = texts.hide(text).split("\n");
    expect(new Set(hidden).size).toBe(4000);
    expect(texts.restore(hidden.join("\n"))).toBe(text);
  });
});
