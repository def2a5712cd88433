import { asArray, asObject, asString, at, type JsonObject } from "../../../src/protocol/json.ts";
import { openAiResponses, usageOf } from "./openai-responses.ts";
import type { WireRenderer } from "./wire-renderer.ts";

// The endpoint that shortens conversations. What the person said comes back as it was; everything else is in one item that is
// encrypted, here the text of the planned answer behind a mark. An answer without parts has no such item.

const MARK = "gAAAA";

export function openAiCompactions(body: unknown): WireRenderer {
  return {
    ...openAiResponses,
    whole: ({ parts, usage }, { serial }) => ({
      id: `resp_${serial}`,
      object: "response.compaction",
      created_at: 1_760_000_000,
      output: [
        ...saidIn(body),
        ...parts.flatMap((part): JsonObject[] => {
          if (part.type !== "text") return [];
          return [{ id: `cmp_${serial}`, type: "compaction", encrypted_content: encrypted(part.deltas.join("")) }];
        }),
      ],
      usage: usageOf(usage),
    }),
  };
}

export function encrypted(text: string): string {
  return MARK + Buffer.from(text).toString("base64url");
}

/** True of everything that is no compaction. */
export function isOwnCompaction(item: unknown): boolean {
  if (at(item, "type") !== "compaction") return true;
  return asString(at(item, "encrypted_content"))?.startsWith(MARK) === true;
}

function saidIn(body: unknown): JsonObject[] {
  return asArray(at(body, "input")).flatMap((item, index) => {
    const message = asObject(item);
    if (message?.type !== "message" || message.role !== "user") return [];
    return [{ id: `msg_${index}`, status: "completed", ...message } as JsonObject];
  });
}
