import type { CurrentCredential } from "../../llm/current-credential.ts";
import { modelInput } from "../model-choice.ts";
import type { Chosen } from "../print/coder-options.ts";
import type { RunContext } from "../run-context.ts";

/**
 * What opens the door of a chosen model from now on: a login that is renewed in time, and what was stored or removed since, here
 * or by another Ralph. Undefined where nothing stored plays a part.
 */
export function currentCredential(
  context: RunContext,
  { origin, credential, model }: Chosen,
): CurrentCredential | undefined {
  if (origin.type === "command-line" || origin.type === "not-needed") return undefined;
  const wasStored = origin.type === "stored-key" || origin.type === "stored-login";
  return async () => {
    const { findCredential, fromStore } = await import("../../models/credentials.ts");
    const input = modelInput(context);
    const stored = await fromStore(model, input.stored);
    if (stored.found !== undefined) return { ok: true, credential: stored.found.credential };
    if (!wasStored) return { ok: true, credential };
    const { loadModelSources } = await import("../../models/model-sources.ts");
    const { sources } = await loadModelSources(input);
    const found = await findCredential(model, sources.credentials);
    return found.ok ? { ok: true, credential: found.credential } : { ok: false, message: found.message };
  };
}
