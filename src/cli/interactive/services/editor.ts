import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunContext } from "../../run-context.ts";

const USUAL = ["nano", "vim", "vi"];
const MOST_BYTES = 1_000_000;

/**
 * Opens the text in the person's own editor, which has the terminal meanwhile. Undefined where there is none, where it failed, or
 * where what was left cannot be taken.
 */
export async function editText({ environment, cwd }: RunContext, text: string): Promise<string | undefined> {
  const editor = editorCommand(environment);
  if (editor === undefined) return undefined;
  const folder = await mkdtemp(join(environment.TMPDIR ?? tmpdir(), "ralph-prompt-"));
  const path = join(folder, "prompt.md");
  try {
    await writeFile(path, text, { mode: 0o600 });
    // The value is a command line, as for every program that reads these variables.
    const child = Bun.spawn(["/bin/sh", "-c", `${editor} "$1"`, "sh", path], {
      cwd,
      env: { ...environment },
      stdio: ["inherit", "inherit", "inherit"],
    });
    if ((await child.exited) !== 0) return undefined;
    const edited = await readFile(path, "utf8");
    return edited.length > MOST_BYTES ? undefined : edited.replace(/\n$/, "");
  } catch {
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function editorCommand({ VISUAL, EDITOR, PATH = "" }: RunContext["environment"]): string | undefined {
  const named = [VISUAL, EDITOR].find((value) => value !== undefined && value.trim() !== "");
  return named ?? USUAL.find((program) => Bun.which(program, { PATH }) !== null);
}
