import type { RecordingHeader } from "../../protocol/recordings.ts";
import type { SettingValues } from "../../protocol/settings.ts";
import type { RunContext } from "../run-context.ts";

/** The run has its own flags and settings, whatever is said here and now. */
export function thenContext(context: RunContext, { flags, settings }: RecordingHeader): RunContext {
  const values: SettingValues = { ...context.settings.values, ...settings };
  return {
    ...context,
    arguments: { words: [], flags: new Map(Object.entries(flags)) },
    settings: { ...context.settings, values },
  };
}
