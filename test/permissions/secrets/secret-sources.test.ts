import { describe, expect, test } from "bun:test";
import { yamlPositions } from "../../../src/models/yaml-positions.ts";
import { compilePattern } from "../../../src/permissions/secrets/secret-pattern.ts";
import { environmentSecrets, findSecrets } from "../../../src/permissions/secrets/secret-sources.ts";
import { isSecretVariable } from "../../../src/system/secret-names.ts";
import { tempWorkspace } from "../../support/temp-workspace.ts";

const now = () => performance.now();
const lineOf = (text: string, entry: number) => yamlPositions(text).find([entry]).line;

describe("names of variables", () => {
  test("that say their value is a secret", () => {
    const secret = [
      "ANTHROPIC_API_KEY",
      "AWS_ACCESS_KEY_ID",
      "GITHUB_TOKEN",
      "DB_PASSWORD",
      "PGPASSWORD",
      "MYSQL_PWD",
      "DB_PASS",
      "NPM_AUTH",
      "GOOGLE_APPLICATION_CREDENTIALS",
      "PRIVATE_THING",
      "GOOGLE_OAUTH_CLIENT",
      "client_secret",
      "OPENAI_APIKEY",
      "SESSION-COOKIE",
    ];
    const plain = [
      "PATH",
      "PWD",
      "OLDPWD",
      "MAX_TOKENS",
      "KEYBOARD",
      "COMPASS",
      "AUTHOR",
      "HOME",
      "TOKENIZER",
      "MONKEY",
    ];
    expect([...secret, ...plain].filter(isSecretVariable)).toEqual(secret);
  });
});

describe("secrets of the environment", () => {
  test("are the long values of variables with such names, each once", () => {
    const environment = {
      API_KEY: "12345678",
      OTHER_KEY: "12345678",
      TOKEN: "1234567",
      NAME: "long enough",
      GONE_KEY: undefined,
    };
    expect(environmentSecrets(environment)).toEqual([{ type: "plain", content: "12345678", mode: "obfuscate" }]);
  });
});

describe("secrets.yml", () => {
  test("of the user and of the project give their entries, where the project decides over equal ones", async () => {
    using workspace = tempWorkspace();
    workspace.write(
      "ralph-home/config/secrets.yml",
      "- type: plain\n  content: shared-one\n- {type: plain, content: mine-only}\n- type: regex\n  content: /tok-[0-9]+/i\n",
    );
    workspace.write(
      "project/.ralph/secrets.yml",
      '- {type: plain, content: shared-one, mode: replace, replacement: "[x]"}\n- {type: regex, content: "abc\\\\d{4}", flags: m}\n',
    );
    const places = { environment: { A_KEY: "from-environment" }, config: `${workspace.home}/config`, lineOf, now };
    const own = [
      { type: "plain", content: "from-environment", mode: "obfuscate" },
      { type: "plain", content: "shared-one", mode: "obfuscate" },
      { type: "plain", content: "mine-only", mode: "obfuscate" },
      { type: "regex", pattern: /tok-[0-9]+/gi, place: `${workspace.home}/config/secrets.yml:4`, mode: "obfuscate" },
    ];
    expect(await findSecrets(places)).toEqual({ secrets: own, problems: [] } as never);
    const project = `${workspace.project}/.ralph`;
    expect(await findSecrets({ ...places, project })).toEqual({
      secrets: [
        own[0],
        { type: "plain", content: "shared-one", mode: "replace", replacement: "[x]" },
        ...own.slice(2),
        { type: "regex", pattern: /abc\d{4}/gm, place: `${project}/secrets.yml:2`, mode: "obfuscate" },
      ],
      problems: [],
    } as never);
  });

  test("loses only the entries that are wrong, and names their lines without their content", async () => {
    using workspace = tempWorkspace();
    const path = workspace.write(
      "ralph-home/config/secrets.yml",
      [
        "- type: plain",
        "  content: good-one",
        "- type: strange",
        "  content: hidden-value",
        "- {type: plain, content: abc}",
        '- {type: regex, content: "(unclosed"}',
        '- {type: regex, content: "(a+)+$"}',
        "- {type: regex, content: fine, flags: y}",
        "- just text",
      ].join("\n"),
    );
    const found = await findSecrets({ environment: {}, config: `${workspace.home}/config`, lineOf, now });
    expect(found.secrets).toEqual([{ type: "plain", content: "good-one", mode: "obfuscate" }]);
    const [type, short, broken, slow, flag, text] = found.problems;
    expect([type, short, slow, flag, text]).toEqual([
      `${path}:3: type has the wrong form (type: plain or regex, content, mode, replacement, flags); this entry is left out.`,
      `${path}:5: content has fewer than 4 characters, so it would hide parts of ordinary words; this entry is left out.`,
      `${path}:7: it repeats a repetition, which can take very long; this entry is left out.`,
      `${path}:8: the flag y is not possible here (i, m, s, u, v are); this entry is left out.`,
      `${path}:9: the entry has the wrong form (type: plain or regex, content, mode, replacement, flags); this entry is left out.`,
    ]);
    expect(broken).toStartWith(`${path}:6: it is no valid expression: `);
    expect(found.problems.join("")).not.toContain("hidden-value");
  });

  test("that is no list, or not YAML, is told", async () => {
    using workspace = tempWorkspace();
    const config = `${workspace.home}/config`;
    const path = workspace.write("ralph-home/config/secrets.yml", "key: value-of-secret\n");
    const read = () => findSecrets({ environment: {}, config, lineOf, now });
    expect(await read()).toEqual({
      secrets: [],
      problems: [`${path} must hold a list of entries (- type: plain …). It is left out.`],
    });
    workspace.write("ralph-home/config/secrets.yml", '- content: "value-of-secret\n- [');
    const { problems } = await read();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toStartWith(`${path} is not YAML: `);
    expect(problems[0]).not.toContain("value-of-secret");
  });
});

describe("an expression", () => {
  const verdict = (content: string) => {
    const compiled = compilePattern(content, { now });
    return compiled.ok ? String(compiled.pattern) : compiled.message;
  };

  test("is taken bare or as a literal, always with g", () => {
    const good = {
      "sk-[A-Za-z0-9]{20,}": "/sk-[A-Za-z0-9]{20,}/g",
      "/Key=(\\w+)/i": "/Key=(\\w+)/gi",
      "(?:foo|bar)+x": "/(?:foo|bar)+x/g",
      "(?<=token: )[^ ]+": "/(?<=token: )[^ ]+/g",
      "(?:[0-9a-f]{2}:){5}[0-9a-f]{2}": "/(?:[0-9a-f]{2}:){5}[0-9a-f]{2}/g",
      "[(+*]+": "/[(+*]+/g",
      "\\w+@example\\.com": "/\\w+@example\\.com/g",
    };
    expect(Object.fromEntries(Object.keys(good).map((content) => [content, verdict(content)]))).toEqual(good);
  });

  test("that could take very long is refused, and judging it takes no time itself", () => {
    const bad = [
      "(a+)+$",
      "(a*)*b",
      "([a-z]+)*x",
      "(a|a)*$",
      "(a|ab)*c",
      "(?:\\w|\\d)+$",
      "((a{2,})x?){3,}",
      "(.)\\1+x",
      "(x+x+)+y",
      "(?:a+){1,30}$",
      "a*a*a*a*a*a*b",
      "(a?){30}a{30}",
    ];
    const begun = now();
    expect(bad.filter((content) => compilePattern(content, { now }).ok)).toEqual([]);
    expect(now() - begun).toBeLessThan(5000);
  });

  test("that fits the empty text is refused", () => {
    expect(verdict("x*")).toBe("it also fits the empty text");
  });
});
