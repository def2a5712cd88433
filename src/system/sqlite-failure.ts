export type DatabaseFailureReason =
  | "busy"
  | "constraint"
  | "no-space"
  | "damaged"
  | "cannot-open"
  | "too-new"
  | "unsupported"
  | "closed"
  | "failed";

/** `code` is SQLite's own, for example SQLITE_CONSTRAINT_UNIQUE; `message` is for a person and names the file. */
export interface DatabaseFailure {
  ok: false;
  reason: DatabaseFailureReason;
  code?: string;
  message: string;
}

/** What an error of SQLite means. Any other error is a mistake in the program and is no failure of the database. */
export function databaseFailure(path: string, error: unknown): DatabaseFailure | undefined {
  if (!(error instanceof Error) || error.name !== "SQLiteError") return undefined;
  const code = "code" in error && typeof error.code === "string" ? error.code : "SQLITE_ERROR";
  const meaning = MEANINGS.find(({ prefix }) => code.startsWith(prefix));
  const text = meaning?.text ?? error.message;
  return { ok: false, reason: meaning?.reason ?? "failed", code, message: `The database ${path} failed: ${text}.` };
}

const MEANINGS: readonly { prefix: string; reason: DatabaseFailureReason; text?: string }[] = [
  { prefix: "SQLITE_BUSY", reason: "busy", text: "another process is writing to it and did not finish in time" },
  { prefix: "SQLITE_LOCKED", reason: "busy", text: "another process is writing to it and did not finish in time" },
  { prefix: "SQLITE_CONSTRAINT", reason: "constraint" },
  { prefix: "SQLITE_FULL", reason: "no-space", text: "the disk is full" },
  { prefix: "SQLITE_CORRUPT", reason: "damaged", text: "the file is damaged" },
  { prefix: "SQLITE_NOTADB", reason: "damaged", text: "the file is not a database" },
  { prefix: "SQLITE_CANTOPEN", reason: "cannot-open", text: "the file cannot be opened" },
  { prefix: "SQLITE_PERM", reason: "cannot-open", text: "permission denied" },
  { prefix: "SQLITE_AUTH", reason: "cannot-open", text: "permission denied" },
];
