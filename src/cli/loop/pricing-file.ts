import type { TokenPrice, TokenPrices } from "../../loop/transcripts/usage-cost.ts";
import { asNumber, asObject } from "../../protocol/json.ts";
import { readTextFile } from "../../system/text-file.ts";
import { OptionProblem } from "./run-options.ts";

const MAX_BYTES = 1_000_000;

/**
 * The person's own prices: `{"model": {"input": 3, "output": 15, "cachedInput": 0.3}}` in USD per million tokens, as JSON or YAML;
 * `cachedInput` may be left out.
 */
export function readPrices(path: string): TokenPrices {
  const file = readTextFile(path, { maxBytes: MAX_BYTES });
  if (!file.ok) throw new OptionProblem(file.message);
  const models = asObject(parse(path, file.text));
  if (models === undefined)
    throw new OptionProblem(`${path} should map models to prices: {"model": {"input": 3, "output": 15}}.`);
  return new Map(Object.entries(models).map(([model, value]) => [model, priceOf(path, model, value)]));
}

function parse(path: string, text: string): unknown {
  try {
    return Bun.YAML.parse(text);
  } catch (error) {
    throw new OptionProblem(`${path} is neither JSON nor YAML: ${error instanceof Error ? error.message : error}`);
  }
}

function priceOf(path: string, model: string, value: unknown): TokenPrice {
  const fields = asObject(value);
  const input = asNumber(fields?.input);
  const output = asNumber(fields?.output);
  const cachedInput = asNumber(fields?.cachedInput);
  if (input === undefined || output === undefined || Math.min(input, output, cachedInput ?? 0) < 0) {
    throw new OptionProblem(`${path}: "${model}" needs "input" and "output", USD per million tokens, from 0 on.`);
  }
  return { input, output, ...(cachedInput !== undefined && { cachedInput }) };
}
