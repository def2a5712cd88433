import { asArray, at } from "../../protocol/json.ts";
import type { WireProtocol } from "../wire-protocol.ts";
import { googleError } from "./google-generative-ai/errors.ts";
import { buildGoogleRequest } from "./google-generative-ai/request.ts";
import { type GoogleState, readGoogleBody, startGoogle, stepGoogle } from "./google-generative-ai/stream.ts";

// Google's generateContent. The Gemini API and Vertex AI speak it alike; they differ in address and key, which is not the
// protocol's business.

export const googleGenerativeAi: WireProtocol<GoogleState> = {
  framing: "sse",
  buildRequest: buildGoogleRequest,
  start: startGoogle,
  step: stepGoogle,
  readBody: readGoogleBody,
  readRefusal(body) {
    const { kind, retryAfterMs } = googleError(at(asArray(body)[0] ?? body, "error"));
    return kind === "rate-limit" ? { kind, retryAfterMs } : {};
  },
};

export const googleVertex: WireProtocol<GoogleState> = googleGenerativeAi;
