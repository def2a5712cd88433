import * as z from "zod";
import {
  APIS,
  auth,
  cacheRetention,
  compat,
  cost,
  modelInput,
  requestTransform,
  thinking,
} from "../protocol/models.ts";
import { profileSchema } from "./profiles.ts";

// The form of models.yml. Every object is strict: a key that is not here is an error.

/** Wire formats other programs have a name for and Ralph does not speak. */
export const FOREIGN_APIS = ["google-gemini-cli", "cursor-agent"];

const api = z.enum(APIS, {
  error: ({ input }) =>
    typeof input === "string" && FOREIGN_APIS.includes(input) ? `Ralph does not speak "${input}".` : undefined,
});

const headers = z.record(
  z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, { error: "A header's name holds only letters, digits and -." }),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these may not stand in a header.
  z.string().regex(/^[^\u0000-\u0008\u000a-\u001f\u007f]*$/, { error: "A header's value holds no line breaks." }),
);

const tokens = z.number().positive();
const modelId = z.string().min(1).max(200);

/** What `models` and `modelOverrides` both may say. */
const description = {
  name: z.string().min(1).optional(),
  reasoning: z.boolean().optional(),
  /** Whether the model can call tools. */
  tools: z.boolean().optional(),
  /** Whether it writes its thinking into the text between <think> tags. */
  thinkingTags: z.boolean().optional(),
  input: z.array(modelInput).nonempty().optional(),
  contextWindow: tokens.optional(),
  maxTokens: tokens.optional(),
  headers: headers.optional(),
  cacheRetention: cacheRetention.optional(),
  thinking: thinking.optional(),
  compat: compat.optional(),
  contextPromotionTarget: z.string().min(1).optional(),
  wireModelId: modelId.optional(),
  requestTransform: requestTransform.optional(),
};

export const modelEntry = z.strictObject({
  id: modelId,
  api: api.optional(),
  baseUrl: z.string().min(1).optional(),
  cost: cost.optional(),
  /** `output` and `premiumMultiplier` are read for files made for other programs; nothing in Ralph depends on them. */
  output: z.array(z.string()).optional(),
  premiumMultiplier: z.number().nonnegative().optional(),
  ...description,
});

export const modelOverride = z.strictObject({ ...description, cost: cost.partial().optional() });

export const providerEntry = z.strictObject({
  baseUrl: z.string().min(1).optional(),
  /** The name of an environment variable, or the key itself where no such variable is set. */
  apiKey: z.string().min(1).optional(),
  apiKeyEnv: z.string().min(1).optional(),
  api: api.optional(),
  headers: headers.optional(),
  authHeader: z.boolean().optional(),
  auth: auth.optional(),
  disableStrictTools: z.boolean().optional(),
  cacheRetention: cacheRetention.optional(),
  discovery: z.strictObject({ type: z.enum(["ollama", "llama.cpp", "lm-studio", "openai-models-list"]) }).optional(),
  modelOverrides: z.record(modelId, modelOverride).optional(),
  models: z.array(modelEntry).max(2000).optional(),
  compat: compat.optional(),
  requestTransform: requestTransform.optional(),
});

const selectors = z.record(z.string(), z.string().min(1));

export const modelsFile = z.strictObject({
  providers: z
    .record(
      z.string().regex(/^[^\s/:]{1,100}$/, { error: "A provider's name holds no spaces, slashes or colons." }),
      providerEntry,
    )
    .optional(),
  equivalence: z
    .strictObject({ overrides: selectors.optional(), exclude: z.array(z.string().min(1)).optional() })
    .optional(),
  modelBindings: z
    .strictObject({ modelRoles: selectors.optional(), agentModelOverrides: selectors.optional() })
    .optional(),
  profiles: z.record(z.string().min(1), profileSchema).optional(),
});

export type ModelEntry = z.infer<typeof modelEntry>;
export type ModelOverride = z.infer<typeof modelOverride>;
export type ProviderEntry = z.infer<typeof providerEntry>;
export type DiscoveryType = NonNullable<ProviderEntry["discovery"]>["type"];
export type ModelsFile = z.infer<typeof modelsFile>;

/** The keys that may stand at a path of the file, or none where any may. */
export function validKeysAt(path: PropertyKey[]): string[] {
  let schema: unknown = modelsFile;
  for (const part of path) schema = below(plain(schema), part);
  const found = plain(schema);
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
}

function plain(schema: unknown): unknown {
  let current = schema;
  while (current instanceof z.ZodOptional) current = current.unwrap();
  return current;
}

function below(schema: unknown, part: PropertyKey): unknown {
  if (schema instanceof z.ZodObject) return schema.shape[String(part)];
  if (schema instanceof z.ZodRecord) return schema.valueType;
  if (schema instanceof z.ZodArray) return schema.element;
  return undefined;
}
