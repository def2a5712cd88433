import { stat, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { exportJsonl, exportMarkdown } from "../../sessions/export.ts";
import { errorCode, fileFailure } from "../../system/file-failure.ts";
import { type WriteFileResult, writeFileAtomic } from "../../system/files.ts";
import { EXIT } from "../exit-codes.ts";
import { print, printExactly } from "../output.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";
import { type ChosenBranch, readBranch } from "./branch.ts";
import { bytes } from "./wording.ts";

/** `ralph sessions export ID --md|--jsonl`: a file that stands alone. */
export async function exportSession(context: RunContext, [id]: readonly string[]): Promise<number> {
  if (hasFlag(context, "md") === hasFlag(context, "jsonl")) {
    context.note("Say in which form: ralph sessions export ID --md, or --jsonl.");
    return EXIT.usage;
  }
  const read = await readBranch(context, "export", id);
  if (!read.ok) return read.code;
  const text = textOf(context, read);
  const target = flagText(context, "output");
  if (target === undefined || target === "-") {
    // A terminal is protected from what is in a session; a file gets it as it is.
    if (process.stdout.isTTY === true) print(text);
    else printExactly(text);
    return EXIT.done;
  }
  const path = resolve(context.cwd, target);
  const written = await writeTo(path, text, hasFlag(context, "yes"));
  if (!written.ok) {
    context.note(written.message);
    return EXIT.failed;
  }
  context.note(`The session ${read.id} is in ${path} (${bytes(Buffer.byteLength(text))}).`);
  return EXIT.done;
}

/** JSON lines hold all branches, unless one was chosen. */
function textOf(context: RunContext, { session, branch }: ChosenBranch): string {
  if (hasFlag(context, "md")) return exportMarkdown({ header: session.header, entries: branch });
  const entries = flagText(context, "entry") === undefined ? session.entries : branch;
  return exportJsonl({ header: session.header, entries });
}

/** Others need not read what was said; a file that is there keeps its own rights. */
async function writeTo(path: string, text: string, mayReplace: boolean): Promise<WriteFileResult> {
  const exists = (await stat(path).catch(() => undefined)) !== undefined;
  if (mayReplace) return writeFileAtomic(path, text, exists ? {} : { mode: 0o600 });
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
    return { ok: true };
  } catch (error) {
    if (errorCode(error) !== "EEXIST") return fileFailure(path, error, "written");
    return { ok: false, reason: "exists", message: `${path} is there already. Write over it with --yes.` };
  }
}
