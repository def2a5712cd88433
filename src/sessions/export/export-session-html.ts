import { readSession } from "../read-session.ts";
import { exportHtml } from "./page.ts";
import { writeExport } from "./write-export.ts";

export interface HtmlExportWish {
  /** The file of the session, and the folder with its long texts. */
  session: string;
  blobs: string;
  /** Where the page goes, as an absolute path. */
  target: string;
  /** The branch that is shown first ends here; where work goes on where absent. */
  leafId?: string | undefined;
  /** Whether a file that is there already may be replaced. */
  mayReplace?: boolean | undefined;
}

export type HtmlExportResult =
  | { ok: true; path: string; bytes: number; leftOut: string[]; problems: string[] }
  | { ok: false; message: string };

/** Writes a stored session as one page. Needs no lock: a session that is being written to is exported as far as it is stored. */
export async function exportSessionHtml(wish: HtmlExportWish): Promise<HtmlExportResult> {
  const { session, blobs, target, leafId, mayReplace = false } = wish;
  const read = await readSession(session, blobs);
  if (!read.ok) return { ok: false, message: read.message };
  const { header, entries, problems } = read;
  const { html, leftOut } = exportHtml({ header, entries, leafId });
  const written = await writeExport(target, html, mayReplace);
  if (!written.ok) return { ok: false, message: written.message };
  return { ok: true, path: target, bytes: Buffer.byteLength(html), leftOut, problems };
}
