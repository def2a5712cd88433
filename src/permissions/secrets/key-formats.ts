/** One kind of key: it begins with one of the words, and the expression reads it from there. */
export interface KeyFormat {
  name: string;
  beginnings: readonly string[];
  /** Sticky. The whole match is the secret. */
  pattern: RegExp;
  /** A part of the value has to look random at least this much, in bits per character. Default: it need not. */
  entropy?: number;
  /** Whether the match is really what it looks like. */
  isReal?: (value: string) => boolean;
}

export const KEY_FORMATS: readonly KeyFormat[] = [
  {
    name: "AWS access key",
    beginnings: ["AKIA", "ASIA", "ABIA", "ACCA"],
    pattern: /A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}(?![A-Za-z0-9])/y,
  },
  {
    name: "GitHub token",
    beginnings: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    pattern: /gh[pousr]_[A-Za-z0-9]{36,255}/y,
    entropy: 3,
  },
  { name: "GitHub token", beginnings: ["github_pat_"], pattern: /github_pat_[A-Za-z0-9_]{36,255}/y, entropy: 3 },
  {
    name: "GitLab token",
    beginnings: ["glpat-", "gldt-", "glrt-", "glcbt-"],
    pattern: /gl(?:pat|dt|rt|cbt)-[A-Za-z0-9_.-]{20,255}/y,
    entropy: 3,
  },
  {
    name: "Slack token",
    beginnings: ["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe", "xapp-"],
    pattern: /(?:xox[a-z](?:\.xox[a-z])?|xapp)-\d[A-Za-z0-9-]{16,250}/y,
    entropy: 2.5,
  },
  {
    name: "Slack webhook",
    beginnings: ["https://hooks.slack.com/services/"],
    pattern: /https:\/\/hooks\.slack\.com\/services\/T[A-Z0-9]{6,}\/B[A-Z0-9]{6,}\/[A-Za-z0-9]{20,}/y,
  },
  {
    name: "Anthropic key",
    beginnings: ["sk-ant-"],
    pattern: /sk-ant-[a-z]{2,8}\d{2}-[A-Za-z0-9_-]{40,200}/y,
    entropy: 3.5,
  },
  {
    name: "OpenAI key",
    beginnings: ["sk-"],
    pattern: /sk-(?:(?:proj|svcacct|admin|None|or-v1)-[A-Za-z0-9_-]{40,250}|[A-Za-z0-9]{48})(?![A-Za-z0-9])/y,
    entropy: 3.5,
  },
  { name: "Google API key", beginnings: ["AIza"], pattern: /AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/y, entropy: 3 },
  { name: "Google token", beginnings: ["ya29."], pattern: /ya29\.[A-Za-z0-9_-]{40,}/y, entropy: 3.5 },
  { name: "Google client secret", beginnings: ["GOCSPX-"], pattern: /GOCSPX-[A-Za-z0-9_-]{28}/y, entropy: 3 },
  {
    name: "Stripe key",
    beginnings: ["sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_"],
    pattern: /(?:(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{20,247}|whsec_[A-Za-z0-9+/]{32,})/y,
    entropy: 3,
  },
  { name: "npm token", beginnings: ["npm_"], pattern: /npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/y, entropy: 3 },
  { name: "Hugging Face token", beginnings: ["hf_"], pattern: /hf_[A-Za-z]{34}(?![A-Za-z0-9])/y, entropy: 3.2 },
  { name: "PyPI token", beginnings: ["pypi-AgEIcHlwaS5vcmc"], pattern: /pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,}/y },
  { name: "SendGrid key", beginnings: ["SG."], pattern: /SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}/y, entropy: 3 },
  { name: "DigitalOcean token", beginnings: ["dop_v1_", "doo_v1_"], pattern: /do[op]_v1_[a-f0-9]{64}/y, entropy: 3 },
  {
    name: "private key",
    beginnings: ["-----BEGIN "],
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr])*(?:[A-Za-z-]{1,20}: [^\n]{0,100}\s+){0,4}[A-Za-z0-9+/]{32}/y,
  },
  {
    name: "JSON web token",
    beginnings: ["eyJ"],
    pattern: /eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{20,1000}/y,
    isReal: hasAlgorithm,
  },
  {
    name: "age key",
    beginnings: ["AGE-SECRET-KEY-1"],
    pattern: /AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}/y,
  },
];

function hasAlgorithm(token: string): boolean {
  return Buffer.from(token.slice(0, token.indexOf(".")), "base64url")
    .toString("latin1")
    .includes('"alg"');
}

/** An assignment to a name that says secret. The value is the last group. Read from the name to the end of the value. */
export const ASSIGNMENT =
  /(?:secret|token|passw(?:or)?d|passphrase|api_?key|access_?key|private_?key|auth_?key|credential)[\w-]{0,40}(?:\\?["'])?[ \t]{0,8}(?::=|=>|[:=])[ \t]{0,8}(?:(?<quote>\\?["'`])(?<quoted>[^\s"'`\\<>{}()$]{12,300})\k<quote>|(?<=\w=)(?<bare>[^\s"'`\\<>{}()$;,&|]{16,300})(?=\s|$))/gi;

/** What people write where the secret will be. */
const STAND_IN_WORDS =
  /example|sample|dummy|placeholder|changeme|change[-_]me|your[-_]|insert|replace|redacted|0123456789|1234567890|abcdefgh|not[-_]?(?:a[-_])?(?:real|secret)|\.\.\./i;

/** Short ones come about by chance where upper and lower case are mixed, so they count only as somebody would write them. */
const SHORT_STAND_INS = /xxxx|XXXX|fake|FAKE|Fake/;

/** Whether a value says of itself that it stands for another. */
export function isStandIn(value: string): boolean {
  return STAND_IN_WORDS.test(value) || SHORT_STAND_INS.test(value);
}
