import type { FileRecord, FileState } from "../../protocol/session-entries.ts";
import { hashOf, writeBlobBytes } from "../blobs.ts";
import { type GitRun, runGit } from "./git-repository.ts";
import type { KeepRoom } from "./keep-files.ts";
import { notKept } from "./observe-file.ts";

export interface IndexedFile {
  /** In the workspace. */
  path: string;
  /** In the work tree, as git names it. */
  gitPath: string;
  oid: string;
  /** As git has it: a link, a program, or a plain file. */
  mode: number;
}

/** The most that is asked of git at once. */
const MOST_BYTES = 50_000_000;
const LINK = 0o120000;

/** Files as they were when git last saw them unchanged, with line ends as they are in the work tree; kept as blobs. */
export async function keepIndexed(
  files: readonly IndexedFile[],
  run: Omit<GitRun, "stdin" | "capBytes">,
  { blobs, room }: { blobs: string; room: KeepRoom },
): Promise<FileRecord[]> {
  const readable = files.filter(({ gitPath }) => !gitPath.includes("\n"));
  // Git tells the length from before it changed line ends; the end of a file is told by a name nobody has.
  const end = `end-${crypto.randomUUID()}`;
  const stdin = readable.map(({ oid, gitPath }) => `${oid} ${gitPath}\n${end}\n`).join("");
  const told =
    readable.length === 0
      ? { ok: true as const, output: new Uint8Array() }
      : await runGit(["cat-file", "--batch", "--filters"], { ...run, stdin, capBytes: MOST_BYTES });
  const contents = told.ok ? splitAt(Buffer.from(told.output), `\n${end} missing\n`) : [];
  const byPath = new Map(readable.map(({ path }, index) => [path, contents[index]]));
  const why = told.ok ? "git no longer has its old content" : told.why;
  const records: FileRecord[] = [];
  for (const { path, mode } of files) {
    const state = await stateOf(byPath.get(path), mode, { blobs, room });
    records.push({ path, state: state ?? notKept(why) });
  }
  return records;
}

function splitAt(output: Buffer, mark: string): (Buffer | undefined)[] {
  const pieces: (Buffer | undefined)[] = [];
  for (let start = 0; start < output.length; ) {
    const end = output.indexOf(mark, start);
    if (end < 0) break;
    pieces.push(contentOf(output.subarray(start, end)));
    start = end + mark.length;
  }
  return pieces;
}

/** A line about the object, then its content. */
function contentOf(piece: Buffer): Buffer | undefined {
  const line = piece.indexOf("\n");
  return line >= 0 && / blob \d+$/.test(piece.subarray(0, line).toString()) ? piece.subarray(line + 1) : undefined;
}

async function stateOf(
  content: Buffer | undefined,
  gitMode: number,
  { blobs, room }: { blobs: string; room: KeepRoom },
): Promise<FileState | undefined> {
  if (content === undefined) return undefined;
  if (gitMode === LINK) return { type: "link", target: content.toString() };
  const { fileBytes, turnBytes } = room.limits;
  if (content.length > Math.min(fileBytes, room.bytesLeft))
    return notKept(
      `it has ${content.length} bytes, more than the limits of ${fileBytes} a file and ${turnBytes} a turn`,
    );
  room.bytesLeft -= content.length;
  const hash = hashOf(content);
  const written = await writeBlobBytes(blobs, hash, content);
  if (!written.ok) return notKept(written.message);
  return { type: "file", hash, size: content.length, mode: gitMode & 0o777, isKept: true };
}
