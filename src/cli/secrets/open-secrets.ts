import { join } from "node:path";
import type { AgentEvent } from "../../protocol/agent-events.ts";
import type { EntrySeal } from "../../protocol/entry-seal.ts";
import type { StreamModel } from "../../protocol/model-request.ts";
import type { RunContext } from "../run-context.ts";
import { projectRoot } from "../settings/load-settings.ts";

/** What keeps the secrets of a run to itself. */
export interface OpenSecrets {
  /** The model without sight of a secret. */
  guard(streamModel: StreamModel, sessionId: string): StreamModel;
  /** For the file of the session. */
  seal: EntrySeal;
  /** For other files: every text in a value. */
  hide<Value>(value: Value): Value;
  restore<Value>(value: Value): Value;
  /** For events that programs read. */
  veil(emit: (event: AgentEvent) => void): (event: AgentEvent) => void;
}

/** Undefined where `secrets.enabled` is off; then nothing of this is loaded. What is wrong in secrets.yml is told. */
export async function openSecrets(context: RunContext): Promise<OpenSecrets | undefined> {
  const { settings, environment, paths, cwd, clock, note, isTrusted } = context;
  if (settings.values["secrets.enabled"] !== true) return undefined;
  const { findSecrets } = await import("../../permissions/secrets/secret-sources.ts");
  const { createObfuscator, secretsKey } = await import("../../permissions/secrets/obfuscate.ts");
  const { guardModel } = await import("../../permissions/secrets/guard-model.ts");
  const { createEntrySeal, JOURNAL_KEY } = await import("../../permissions/secrets/seal-entries.ts");
  const { mapStrings } = await import("../../permissions/secrets/map-strings.ts");
  const { veilEvents } = await import("../../permissions/secrets/veil-events.ts");
  const { yamlPositions } = await import("../../models/yaml-positions.ts");
  const now = () => clock.monotonic();
  const { secrets, problems } = await findSecrets({
    environment,
    config: paths.config,
    ...(isTrusted() ? { project: join(projectRoot(cwd), ".ralph") } : {}),
    lineOf: (text, entry) => yamlPositions(text).find([entry]).line,
    now,
  });
  for (const problem of problems) note(problem);
  const obfuscator = (key: string) => createObfuscator(secrets, { key, now });
  const texts = obfuscator(JOURNAL_KEY).begin();
  return {
    hide: (value) => mapStrings(value, texts.hide),
    restore: (value) => mapStrings(value, (text) => texts.restore(text)),
    guard: (streamModel, sessionId) => guardModel(streamModel, obfuscator(secretsKey(sessionId))),
    seal: createEntrySeal(obfuscator(JOURNAL_KEY)),
    veil: (emit) => veilEvents(obfuscator(JOURNAL_KEY), emit),
  };
}
