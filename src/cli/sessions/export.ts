import { resolve } from "node:path";
import { type ExportForm, exportName, writeExport } from "../../sessions/export/write-export.ts";
import { exportJsonl, exportMarkdown } from "../../sessions/export.ts";
import { EXIT } from "../exit-codes.ts";
import { print, printExactly } from "../output.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";
import { type ChosenBranch, readBranch, withUnstoredAnswer } from "./branch.ts";
import { bytes } from "./wording.ts";

const FORMS: readonly ExportForm[] = ["html", "md", "jsonl"];

/** `ralph sessions export ID --html|--md|--jsonl`: a file that stands alone. */
export async function exportSession(context: RunContext, [id]: readonly string[]): Promise<number> {
  const [form, second] = FORMS.filter((one) => hasFlag(context, one));
  if (form === undefined || second !== undefined) {
    context.note("Say in which form: ralph sessions export ID --html, --md, or --jsonl.");
    return EXIT.usage;
  }
  const read = await readBranch(context, "export", id);
  if (!read.ok) return read.code;
  const text = await textOf(context, form, withUnstoredAnswer(read));
  const target = targetOf(context, form, read.id);
  if (target === undefined) {
    // A terminal is protected from what is in a session; a file gets it as it is.
    if (process.stdout.isTTY === true) print(text);
    else printExactly(text);
    return EXIT.done;
  }
  const path = resolve(context.cwd, target);
  const written = await writeExport(path, text, hasFlag(context, "yes"));
  if (!written.ok) {
    context.note(written.reason === "exists" ? `${written.message} Write over it with --yes.` : written.message);
    return EXIT.failed;
  }
  context.note(`The session ${read.id} is in ${path} (${bytes(Buffer.byteLength(text))}).`);
  return EXIT.done;
}

/** Undefined for standard output. A page is of no use on a terminal, so there it becomes a file. */
function targetOf(context: RunContext, form: ExportForm, id: string): string | undefined {
  const target = flagText(context, "output");
  if (target !== undefined) return target === "-" ? undefined : target;
  const isPage = form === "html" && process.stdout.isTTY === true;
  return isPage ? exportName(id, form, context.clock.now()) : undefined;
}

/** JSON lines hold all branches, unless one was chosen; a page holds all and shows the chosen one first. */
async function textOf(context: RunContext, form: ExportForm, { session, branch, end }: ChosenBranch): Promise<string> {
  const { header } = session;
  if (form === "md") return exportMarkdown({ header, entries: branch });
  if (form === "html") {
    const { exportHtml } = await import("../../sessions/export/page.ts");
    const { html, leftOut } = exportHtml({ header, entries: session.entries, leafId: end });
    for (const sentence of leftOut) context.note(sentence);
    return html;
  }
  const entries = flagText(context, "entry") === undefined ? session.entries : branch;
  return exportJsonl({ header, entries });
}
