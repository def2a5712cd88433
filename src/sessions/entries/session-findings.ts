import type { SessionHeader } from "../../protocol/session-entries.ts";
import type { FileFailure } from "../../system/file-failure.ts";
import { parseSessionFileName } from "../session-name.ts";
import type { LineMeaning } from "./line-meaning.ts";
import { CURRENT_VERSION } from "./migrations.ts";

export type SessionFailure =
  | FileFailure
  | {
      ok: false;
      reason: "newer-version" | "not-a-session" | "held" | "unknown-entry" | "unstored-parent";
      message: string;
    };

const MOST_PROBLEMS = 50;
const MADE_HEADER = "The header is missing or damaged; it was made anew from the file's name.";

/** What the lines of a session file say beside its entries: its header, its version, and what is wrong with it. */
export class SessionFindings {
  header: SessionHeader | undefined;
  /** Of the last header. */
  version = CURRENT_VERSION;
  private newer: number | undefined;
  private readonly faults = new Map<number, string>();
  private readonly missing = new Set<string>();
  private lines = 0;
  private isHeaderMade = false;

  constructor(private readonly path: string) {}

  /** Takes the meaning of the next line. "stop" when the file cannot be used at all. */
  add(meaning: LineMeaning, line: number): "stop" | undefined {
    this.lines++;
    this.note(meaning, line);
    if (meaning.type === "newer") {
      this.newer = meaning.version;
      return "stop";
    }
    if (meaning.type !== "header") return undefined;
    this.version = meaning.version;
    this.header ??= meaning.header;
    return undefined;
  }

  /** What is wrong with a line, also one that was passed long ago. */
  note(meaning: LineMeaning, line: number): void {
    if ("fault" in meaning && meaning.fault !== undefined) this.faults.set(line, meaning.fault);
  }

  /** A line that seemed to be an entry when it was passed. */
  passed(): void {
    this.lines++;
  }

  /** What is wrong with the long texts of an entry. */
  noteMissing(faults: readonly string[]): void {
    for (const fault of faults) if (this.missing.size < MOST_PROBLEMS) this.missing.add(fault);
  }

  /** Whether the file is one of ours, and its header. `hasEntries`: there is at least one. */
  conclude(hasEntries: boolean): { ok: true; header: SessionHeader; needsHeader: boolean } | SessionFailure {
    if (this.newer !== undefined) return newerVersion(this.path, this.newer);
    const header = this.header ?? this.headerFromName();
    if (header === undefined || (this.header === undefined && !hasEntries && this.lines > 1))
      return { ok: false, reason: "not-a-session", message: `${this.path} is not a session of Ralph.` };
    this.isHeaderMade = this.header === undefined;
    return { ok: true, header, needsHeader: this.isHeaderMade || this.version !== CURRENT_VERSION };
  }

  /** One sentence each, in the order of the file. */
  problems(): string[] {
    const sentences = [...this.faults].sort(([one], [other]) => one - other).map(([, text]) => text);
    if (this.isHeaderMade) sentences.push(MADE_HEADER);
    const more = sentences.length - MOST_PROBLEMS;
    if (more > 0) sentences.splice(MOST_PROBLEMS, more, `${more} more lines could not be read.`);
    return [...sentences, ...this.missing];
  }

  private headerFromName(): SessionHeader | undefined {
    const name = parseSessionFileName(this.path);
    return name && { type: "session", version: CURRENT_VERSION as SessionHeader["version"], ...name, cwd: "" };
  }
}

function newerVersion(path: string, version: number): SessionFailure {
  const message = `${path} was written by a newer Ralph (session version ${version}, this one reads up to ${CURRENT_VERSION}). Update Ralph to open it.`;
  return { ok: false, reason: "newer-version", message };
}
