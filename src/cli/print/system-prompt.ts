import { readInstructions } from "../../coder/instructions.ts";
import { readTextFile } from "../../system/text-file.ts";
import { flagText, type RunContext } from "../run-context.ts";
import { projectRoot } from "../settings/load-settings.ts";

const MAX_BYTES = 1_000_000;

export interface PromptParts {
  /** What a resumed session sent before: it goes on with the same bytes unless the person gives others now. */
  saved: string | undefined;
  /** What the rules say to the model. */
  rules: string;
}

/** The stable part and the part that changes from day to day and folder to folder, or why there is none. */
export async function systemPrompt(
  context: RunContext,
  { saved, rules }: PromptParts,
): Promise<{ base: string; dynamic: string } | string> {
  const isGiven = ["system-prompt-file", "append-system-prompt"].some((name) => flagText(context, name) !== undefined);
  const base = saved === undefined || isGiven ? await basePrompt(context, rules) : { ok: true as const, text: saved };
  if (!base.ok) return base.message;
  const added = flagText(context, "append-system-prompt");
  const today = new Date(context.clock.now()).toISOString().slice(0, 10);
  return {
    base: added === undefined ? base.text : `${base.text}\n\n${added}`,
    dynamic: `Today is ${today}. Working directory: ${context.cwd}`,
  };
}

async function basePrompt(context: RunContext, rules: string) {
  const path = flagText(context, "system-prompt-file");
  if (path === undefined) {
    const { default: own } = await import("../../coder/system-prompt.md", { with: { type: "text" } });
    const parts = [String(own).trim(), instructions(context), rules];
    return { ok: true, text: parts.filter((part) => part !== "").join("\n\n") } as const;
  }
  const file = readTextFile(path, { maxBytes: MAX_BYTES });
  return file.ok ? file : ({ ok: false, message: `--system-prompt-file: ${file.message}` } as const);
}

/** What the project and the person wrote down for agents. */
function instructions({ cwd, paths, note }: RunContext): string {
  const { text, notes } = readInstructions({
    root: projectRoot(cwd),
    cwd,
    config: paths.config,
    isProtected: (path) => protectedFiles().protectedFileTest(paths)(path),
  });
  for (const line of notes) note(line);
  return text;
}

/** Loaded where a file of instructions names another one; few do. */
function protectedFiles(): typeof import("../../coder/protected-files.ts") {
  return require("../../coder/protected-files.ts");
}
