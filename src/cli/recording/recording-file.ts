import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import type { RecordingDraft, RecordingHeader } from "../../protocol/recordings.ts";
import { errorCode, fileFailure } from "../../system/file-failure.ts";

/** A recording that is being written. Every line is handed to the system at once, so that a kill cannot take it. */
export interface RecordingFile {
  write(draft: RecordingDraft): void;
  close(): void;
}

export interface RecordingFileOptions {
  path: string;
  header: RecordingHeader;
  maxBytes: number;
  /** Milliseconds from an unknown start. */
  now(): number;
  /** Takes secrets out. */
  hide<Value>(value: Value): Value;
  /** A line for the person: the recording is not complete. */
  note(line: string): void;
}

export type OpenRecordingResult = { ok: true; file: RecordingFile } | { ok: false; message: string };

/** Makes the file, readable by its owner only. What stands there already is not touched. */
export function createRecordingFile(options: RecordingFileOptions): OpenRecordingResult {
  const { path, header, hide } = options;
  try {
    const descriptor = openSync(path, "wx", 0o600);
    const file = new Writer(descriptor, options);
    file.line(hide(header));
    return { ok: true, file };
  } catch (error) {
    return errorCode(error) === "EEXIST"
      ? { ok: false, message: `--record: ${path} exists already. Name a new file, or remove that one.` }
      : { ok: false, message: `--record: ${fileFailure(path, error, "created").message}` };
  }
}

class Writer implements RecordingFile {
  #bytes = 0;
  #isStopped = false;
  readonly #began: number;

  constructor(
    private readonly descriptor: number,
    private readonly options: RecordingFileOptions,
  ) {
    this.#began = options.now();
  }

  write(draft: RecordingDraft): void {
    if (this.#isStopped) return;
    try {
      this.line({ ms: this.#time(), ...this.options.hide(draft) });
    } catch (error) {
      this.#stop(`The recording stopped: ${fileFailure(this.options.path, error, "written").message}`);
    }
  }

  /** Throws where the disk does not take it. */
  line(value: object): void {
    const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
    const { maxBytes } = this.options;
    if (this.#bytes + bytes.length > maxBytes) {
      this.#write(Buffer.from(`${JSON.stringify({ ms: this.#time(), type: "full" })}\n`));
      return this.#stop(`The recording stopped: it reached its bound of ${maxBytes} bytes. It replays up to there.`);
    }
    this.#write(bytes);
  }

  close(): void {
    this.#isStopped = true;
    try {
      fsyncSync(this.descriptor);
    } catch {
      // A disk that cannot flush has said so before.
    }
    closeSync(this.descriptor);
  }

  #write(bytes: Buffer): void {
    for (let done = 0; done < bytes.length; ) done += writeSync(this.descriptor, bytes, done);
    this.#bytes += bytes.length;
  }

  #time(): number {
    return Math.round(this.options.now() - this.#began);
  }

  #stop(why: string): void {
    this.#isStopped = true;
    this.options.note(why);
  }
}
