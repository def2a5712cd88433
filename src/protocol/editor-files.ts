// Files as an editor holds them: what stands there counts, saved or not.

/** `not-held`: the editor says that it has nothing to do with the file, so what is on the disk counts. */
export type EditorText = { type: "text"; text: string } | { type: "not-held" } | { type: "failed"; message: string };

/** What an editor does not offer is absent. None of it ever rejects. */
export interface EditorFiles {
  /** The whole text, by its absolute path. */
  read?(path: string): Promise<EditorText>;
  /** Puts the text in the place of what the editor holds, and saves it. A file that is not there is made. */
  write?(path: string, text: string): Promise<{ type: "written" } | Exclude<EditorText, { type: "text" }>>;
}
