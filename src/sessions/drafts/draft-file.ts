import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";

// The file beside a session that holds the answer in progress. Nothing of it is flushed: what is in the system's memory survives a
// kill, and after a power cut there is just no draft. Whatever fails here is not worth a word: the answer itself is stored in full.

/** Ralph writes no more than this, and takes no file that is larger for a draft. */
export const MOST_DRAFT_BYTES = 8 * 1024 * 1024;

export function draftPath(sessionPath: string): string {
  return `${sessionPath}.draft`;
}

/** One answer has the file at a time. The one that writes takes it from the one before. */
export interface DraftFile {
  /** False where the text could not be written; what was written before stays. */
  append(answer: object, text: string): boolean;
  /** The same in place of everything that was written. */
  replace(answer: object, text: string): boolean;
  /** Nothing happens where the file is not of this answer. */
  remove(answer: object): void;
}

const { O_WRONLY, O_RDONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;

export function createDraftFile(path: string): DraftFile {
  let open: { answer: object; descriptor: number; bytes: number } | undefined;
  const close = () => {
    if (open !== undefined) closeSync(open.descriptor);
    open = undefined;
  };
  const begin = (answer: object, at: string) => {
    close();
    rmSync(at, { force: true });
    open = { answer, descriptor: openSync(at, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW, 0o600), bytes: 0 };
    return open;
  };
  const write = (to: NonNullable<typeof open>, text: string) => {
    const bytes = Buffer.from(text);
    if (to.bytes + bytes.length > MOST_DRAFT_BYTES) return false;
    for (let done = 0; done < bytes.length; ) done += writeSync(to.descriptor, bytes, done, bytes.length - done);
    to.bytes += bytes.length;
    return true;
  };
  return {
    append: (answer, text) => attempt(() => write(open?.answer === answer ? open : begin(answer, path), text)),
    replace: (answer, text) =>
      attempt(() => {
        const isWritten = write(begin(answer, beside(path)), text);
        if (isWritten) renameSync(beside(path), path);
        return isWritten;
      }),
    remove(answer) {
      if (open?.answer !== answer) return;
      attempt(() => close());
      removeDraft(path);
    },
  };
}

/** Where a whole draft is written before it takes the place of the one before. */
function beside(path: string): string {
  return `${path}.new`;
}

export function removeDraft(path: string): void {
  for (const each of [path, beside(path)]) attempt(() => rmSync(each, { force: true }));
}

/** Undefined where there is no file, or none that Ralph could have written. */
export function readDraftText(path: string): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fstatSync(descriptor);
    return stats.isFile() && stats.size <= MOST_DRAFT_BYTES ? readFileSync(descriptor, "utf8") : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function attempt(work: () => unknown): boolean {
  try {
    return work() !== false;
  } catch {
    return false;
  }
}
