import type { StreamModel } from "../../protocol/model-request.ts";
import type { Model } from "../../protocol/models.ts";
import type { Chosen } from "../print/coder-options.ts";

// Stands where a model will be once one is chosen. It answers nothing.

const STAND_IN: Model = {
  provider: "none",
  id: "none",
  name: "No model",
  api: "scripted",
  baseUrl: "",
  auth: "none",
  reasoning: false,
  tools: true,
  input: ["text"],
  contextWindow: 200_000,
  maxTokens: 32_000,
};

export function standIn(): Chosen {
  return {
    ok: true,
    model: STAND_IN,
    effort: "off",
    credential: { type: "none" },
    origin: { type: "not-needed" },
    notes: [],
  };
}

export function isStandIn(model: Model): boolean {
  return model === STAND_IN;
}

export const refusing: StreamModel = async (_request, { emit }) => {
  const message = "No model is chosen.";
  const end = { type: "error" as const, error: { kind: "credentials" as const, message, retryable: false } };
  emit(end);
  return end;
};
