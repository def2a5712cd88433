import type { RetrySwitch } from "../../llm/retry-switch.ts";
import { createStreamModel } from "../../llm/stream.ts";
import type { StreamModel } from "../../protocol/model-request.ts";
import { currentCredential } from "../login/current-credential.ts";
import type { RunContext } from "../run-context.ts";
import type { OpenSecrets } from "../secrets/open-secrets.ts";
import { transportSettings } from "../transport-settings.ts";
import type { Chosen } from "./coder-options.ts";

export interface StreamsOptions {
  version: string;
  secrets: OpenSecrets | undefined;
  sessionId: string;
  retrySwitch?: RetrySwitch | undefined;
  /** Stands where nothing secret is seen. */
  wrap?: ((streamModel: StreamModel) => StreamModel) | undefined;
}

/** Opens models for one session; none of them sees a secret where secrets are hidden. */
export function createStreams(context: RunContext, options: StreamsOptions) {
  const { version, secrets, sessionId, retrySwitch, wrap } = options;
  return (chosen: Chosen): StreamModel => {
    const { model, credential } = chosen;
    const current = currentCredential(context, chosen);
    const streamModel = createStreamModel({
      model,
      credential,
      ...(current === undefined ? {} : { currentCredential: current }),
      clock: context.clock,
      random: Math.random,
      userAgent: `ralph/${version}`,
      ...(retrySwitch === undefined ? {} : { retrySwitch }),
      ...transportSettings(context, model.baseUrl),
    });
    const asked = wrap?.(streamModel) ?? streamModel;
    return secrets?.guard(asked, sessionId) ?? asked;
  };
}
