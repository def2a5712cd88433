// Keys in the form their makers give them, made up anew from a number, so that none stands in a file.

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

function dice(seed: number): (length: number, alphabet?: string) => string {
  let state = (seed + 1) * 2_654_435_761;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
  return (length, alphabet = LETTERS) => Array.from({ length }, () => alphabet[next() % alphabet.length]).join("");
}

type Dice = ReturnType<typeof dice>;

export const SAMPLE_KEYS: Record<string, (throwDice: Dice) => string> = {
  "AWS access key": (some) => `AKIA${some(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}`,
  "GitHub token": (some) => `ghp_${some(36)}`,
  "GitLab token": (some) => `glpat-${some(20)}`,
  "Slack token": (some) => `xoxb-${some(12, "0123456789")}-${some(24)}`,
  "Anthropic key": (some) => `sk-ant-api03-${some(93)}`,
  "OpenAI key": (some) => `sk-proj-${some(64)}`,
  "Google API key": (some) => `AIza${some(35)}`,
  "Stripe key": (some) => `sk_live_${some(24)}`,
  "npm token": (some) => `npm_${some(36)}`,
  "JSON web token": (some) => `${Buffer.from('{"alg":"HS256"}').toString("base64url")}.eyJ${some(40)}.${some(43)}`,
};

export function sampleKey(kind: string, seed: number): string {
  return SAMPLE_KEYS[kind]?.(dice(seed)) ?? dice(seed)(32);
}

export function samplePrivateKey(seed: number): string {
  const some = dice(seed);
  const body = Array.from({ length: 4 }, () => some(64)).join("\n");
  return `-----BEGIN RSA PRIVATE ${"KEY"}-----\n${body}\n-----END RSA PRIVATE ${"KEY"}-----\n`;
}
