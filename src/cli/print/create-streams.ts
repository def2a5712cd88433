import { createStreamModel } from "../../llm/stream.ts";
import type { StreamModel } from "../../protocol/model-request.ts";
import type { RunContext } from "../run-context.ts";
import type { OpenSecrets } from "../secrets/open-secrets.ts";
import { transportSettings } from "../transport-settings.ts";
import type { Chosen } from "./coder-options.ts";

export interface StreamsOptions {
  version: string;
  secrets: OpenSecrets | undefined;
  sessionId: string;
}

/** Opens models for one session; none of them sees a secret where secrets are hidden. */
export function createStreams(context: RunContext, { version, secrets, sessionId }: StreamsOptions) {
  return ({ model, credential }: Chosen): StreamModel => {
    const streamModel = createStreamModel({
      model,
      credential,
      clock: context.clock,
      random: Math.random,
      userAgent: `ralph/${version}`,
      ...transportSettings(context, model.baseUrl),
    });
    return secrets?.guard(streamModel, sessionId) ?? streamModel;
  };
}
