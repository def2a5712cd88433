import {
  MAX_RECORDING_BYTES,
  type RecordingEntry,
  type RecordingHeader,
  recordingEntry,
  recordingHeader,
} from "../../protocol/recordings.ts";
import { BEGINNING, type LineFile, openLineFile } from "../../system/line-file.ts";

/** A recording that can be played. Its lines were all checked; each is read again when its turn comes. */
export interface Recording {
  header: RecordingHeader;
  /** Of entries. */
  length: number;
  entry(index: number): RecordingEntry;
  /** Counted from 1, for messages. */
  lineOf(index: number): number;
  /** The run ended in order and everything of it is here. */
  isComplete: boolean;
  close(): void;
}

export type ReadRecordingResult = { ok: true; recording: Recording } | { ok: false; message: string };

/** `restore` puts hidden secrets back, where they are known here. */
export async function readRecording(
  path: string,
  restore: <Value>(value: Value) => Value,
): Promise<ReadRecordingResult> {
  const opened = await openLineFile(path);
  if (!opened.ok) return opened;
  const { file } = opened;
  const read = checkedLines(file, restore);
  if (read.ok) return read;
  file.close();
  return { ok: false, message: `${path}: ${read.message}` };
}

interface Place {
  offset: number;
  length: number;
  number: number;
}

function checkedLines(file: LineFile, restore: <Value>(value: Value) => Value): ReadRecordingResult {
  if (file.size() > MAX_RECORDING_BYTES * 1.01)
    return { ok: false, message: `it is larger than ${MAX_RECORDING_BYTES} bytes, so it is no recording of Ralph.` };
  const lines = placesIn(file);
  if (typeof lines === "string") return { ok: false, message: lines };
  const [first, ...rest] = lines;
  const header = recordingHeader.safeParse(first === undefined ? undefined : jsonAt(file, first));
  if (!header.success) return { ok: false, message: headerProblem(first && jsonAt(file, first)) };
  let last: RecordingEntry | undefined;
  const places: Place[] = [];
  for (const place of rest) {
    const parsed = recordingEntry.safeParse(jsonAt(file, place));
    if (!parsed.success && place === rest.at(-1)) break;
    if (!parsed.success) return { ok: false, message: `line ${place.number} is damaged. Record the run again.` };
    last = parsed.data;
    places.push(place);
  }
  const entryAt = (index: number): RecordingEntry => {
    const place = places[index];
    if (place === undefined) throw new RangeError(`The recording has no entry ${index}.`);
    return restore(jsonAt(file, place) as RecordingEntry);
  };
  return {
    ok: true,
    recording: {
      header: restore(header.data),
      length: places.length,
      entry: entryAt,
      lineOf: (index) => places[index]?.number ?? 0,
      isComplete: last?.type === "end",
      close: () => file.close(),
    },
  };
}

/** A last line without an end is what a kill left, and does not count. */
function placesIn(file: LineFile): Place[] | string {
  const lines: Place[] = [];
  const scanned = file.scan(BEGINNING, ({ offset, length, number, ended }) => {
    if (ended && length > 0) lines.push({ offset, length, number });
  });
  return "message" in scanned ? scanned.message : lines;
}

function jsonAt(file: LineFile, { offset, length }: Place): unknown {
  const bytes = file.read(offset, length);
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function headerProblem(line: unknown): string {
  const { type, version } = (line ?? {}) as { type?: unknown; version?: unknown };
  return type === "recording" && version !== 1
    ? `it is a recording of version ${JSON.stringify(version)}, and this Ralph reads version 1. Use the Ralph that wrote it.`
    : "it does not begin like a recording. They are made with ralph -p --record FILE.";
}
