import { PROVIDERS } from "../../llm/providers.ts";

export type CheckedKey =
  /** `warning`: it is taken, and looks like a mistake. */
  { ok: true; key: string; warning?: string } | { ok: false; message: string };

const LONGEST = 8192;

/** A key as a person typed or pasted it. What cannot be one is refused; what may be a mistake is said. */
export function checkKey(provider: string, given: string): CheckedKey {
  const key = unquoted(given.trim());
  if (key === "")
    return { ok: false, message: "There is no key in it. Type or paste it, or send it on standard input." };
  if (/\s/.test(key))
    return { ok: false, message: "A key is one word, and this has spaces or several lines. Copy the key alone." };
  if (key.length > LONGEST)
    return { ok: false, message: `This has ${key.length} characters, and no key has more than ${LONGEST}.` };
  if (/[^\x21-\x7e]/.test(key))
    return { ok: false, message: "This has characters that no key has. Copy it again, from where it was made." };
  const variable = /^(?:export)?\$?\{?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\}?(?:=|$)/.exec(key)?.[1];
  if (variable !== undefined)
    return { ok: false, message: `This is the name of a variable (${variable}), not the key in it.` };
  const warning = prefixWarning(provider, key);
  return { ok: true, key, ...(warning === undefined ? {} : { warning }) };
}

const QUOTES = ['"', "'", "`"];

function unquoted(text: string): string {
  const [first = ""] = text;
  const isQuoted = QUOTES.includes(first) && text.length > 1 && text.endsWith(first);
  return isQuoted ? text.slice(1, -1).trim() : text;
}

/** How keys begin where all of them begin alike. The longest that fits tells whose a key is. */
const PREFIXES: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["sk-ant-"],
  openai: ["sk-"],
  openrouter: ["sk-or-"],
  google: ["AIza", "AQ."],
  groq: ["gsk_"],
  xai: ["xai-"],
  huggingface: ["hf_"],
  nvidia: ["nvapi-"],
  cerebras: ["csk-"],
  fireworks: ["fw_"],
  "vercel-ai-gateway": ["vck_"],
};

function prefixWarning(provider: string, key: string): string | undefined {
  const own = PREFIXES[provider];
  const owner = ownerOf(key);
  if (own === undefined || owner === provider) return undefined;
  if (owner !== undefined) return `It looks like a key of ${nameOf(owner)}, not of ${nameOf(provider)}.`;
  return `Keys of ${nameOf(provider)} begin with ${own.join(" or ")}, and this one does not.`;
}

function ownerOf(key: string): string | undefined {
  const fitting = Object.entries(PREFIXES).flatMap(([provider, prefixes]) =>
    prefixes.filter((prefix) => key.startsWith(prefix)).map((prefix) => ({ provider, length: prefix.length })),
  );
  return fitting.toSorted((one, other) => other.length - one.length)[0]?.provider;
}

function nameOf(provider: string): string {
  return PROVIDERS.find(({ id }) => id === provider)?.name ?? provider;
}
