import { embedContext } from "../cli/embed-context.ts";
import type { RunContext } from "../cli/run-context.ts";
import { projectRoot } from "../cli/settings/load-settings.ts";
import type { InstructionFile, InstructionSource } from "../coder/instructions.ts";
import { RalphError } from "./ralph-error.ts";

/** What people wrote down for agents. */
export interface ContextFile {
  path: string;
  content: string;
  /** `reference` for a file another one mentions; `project` where it is absent. */
  kind?: InstructionSource["kind"];
}

/** AGENTS.md or CLAUDE.md from the top of the project down to `cwd`, the files they mention, and the person's own. */
export async function discoverContextFiles(cwd?: string, agentDir?: string): Promise<ContextFile[]> {
  const opened = await embedContext({ cwd, agentDir });
  if (!opened.ok) throw new RalphError("invalid", opened.message);
  return contextFilesIn(opened.context);
}

/** The same for a context that is there. */
export async function contextFilesIn(context: Pick<RunContext, "cwd" | "paths">): Promise<ContextFile[]> {
  const { findInstructions } = await import("../coder/instructions.ts");
  const { protectedFileTest } = await import("../coder/protected-files.ts");
  const { found } = findInstructions({
    root: projectRoot(context.cwd),
    cwd: context.cwd,
    config: context.paths.config,
    isProtected: protectedFileTest(context.paths),
  });
  return found.map(({ source: { path, kind }, text }) => ({ path, content: text, kind }));
}

export interface SystemPromptOptions {
  cwd?: string;
  agentDir?: string;
  /** In place of those that would be found. */
  contextFiles?: readonly ContextFile[];
  /** In place of Ralph's own words. */
  instructions?: string;
}

/** What every request of a session begins with: Ralph's own words and what people wrote down. */
export async function buildSystemPrompt(options: SystemPromptOptions = {}): Promise<string> {
  const files = options.contextFiles ?? (await discoverContextFiles(options.cwd, options.agentDir));
  const { assembleInstructions } = await import("../coder/instructions.ts");
  const own = options.instructions ?? (await ownWords());
  const { text } = assembleInstructions({ found: files.map(instructionOf), notes: [] });
  return text === "" ? own : `${own}\n\n${text}`;
}

async function ownWords(): Promise<string> {
  const { default: words } = await import("../coder/system-prompt.md", { with: { type: "text" } });
  return String(words).trim();
}

function instructionOf({ path, content, kind = "project" }: ContextFile): InstructionFile {
  return { source: { kind, path }, text: content.trim() };
}
