import type { JsonObject } from "../protocol/json.ts";
import type { ModelRequest } from "../protocol/model-request.ts";
import { requireAll } from "./tool-schema.ts";

/**
 * The schema of the answer as OpenAI's APIs take it. Strict only where the schema already says what strict means there: making
 * fields required that may be missing would ask for another answer. Undefined where the API would refuse it.
 */
export function answerFormat({ outputSchema }: ModelRequest): JsonObject | undefined {
  if (outputSchema === undefined || outputSchema.type !== "object") return undefined;
  const isStrict = JSON.stringify(requireAll(outputSchema)) === JSON.stringify(outputSchema);
  return { name: "answer", schema: outputSchema as JsonObject, strict: isStrict };
}
