import type { RecordingEntry } from "../../protocol/recordings.ts";
import type { Recording } from "./read-recording.ts";

/** What a run reads without waiting for it, each in its order. */
export interface RecordedValues {
  agent: Readings;
  face: Readings;
  /** By call. */
  stale: Map<string, string[]>;
  /** By question. */
  answers: Map<string, string[] | undefined>;
  opened: Extract<RecordingEntry, { type: "opened" }>[];
}

interface Readings {
  clock: number[];
  ids: string[];
}

export function valuesIn(recording: Recording): RecordedValues {
  const values: RecordedValues = {
    agent: { clock: [], ids: [] },
    face: { clock: [], ids: [] },
    stale: new Map(),
    answers: new Map(),
    opened: [],
  };
  for (let index = 0; index < recording.length; index++) collect(recording.entry(index), values);
  return values;
}

function collect(entry: RecordingEntry, values: RecordedValues): void {
  if (entry.type === "clock") values[entry.of].clock.push(entry.value);
  else if (entry.type === "id") values[entry.of].ids.push(entry.value);
  else if (entry.type === "opened") values.opened.push(entry);
  else if (entry.type === "answer") values.answers.set(entry.questionId, entry.answers);
  else if (entry.type === "stale")
    values.stale.set(entry.callId, [...(values.stale.get(entry.callId) ?? []), entry.reason]);
}
