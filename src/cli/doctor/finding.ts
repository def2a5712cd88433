/** What a check found. */
export interface Finding {
  subject: string;
  state: "ok" | "warning" | "failed";
  text: string;
  /** What to do about it, in one line. */
  fix?: string;
}
