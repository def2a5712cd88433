import { embedContext } from "../cli/embed-context.ts";
import { customCommands, readCommandFile } from "../cli/interactive/services/custom-commands.ts";
import type { CustomCommand } from "../interactive/services.ts";
import { RalphError } from "./ralph-error.ts";

/** A prompt with a name: `/name words` stands for what `expand("words")` gives. */
export type PromptTemplate = CustomCommand;

/** The person's own commands, and those of a project they trust. The first of a name counts. */
export async function discoverPromptTemplates(cwd?: string, agentDir?: string): Promise<PromptTemplate[]> {
  const opened = await embedContext({ cwd, agentDir });
  if (!opened.ok) throw new RalphError("invalid", opened.message);
  return customCommands(opened.context);
}

/** From a Markdown text with an optional head; `$ARGUMENTS` and `$1` to `$9` stand for what follows the name. */
export function createPromptTemplate(name: string, text: string): PromptTemplate {
  return readCommandFile(name, text);
}

/** A text that calls no template is what it is: it may begin with a path. */
export function expandTemplates(text: string, templates: readonly PromptTemplate[]): string {
  const [, name, rest = ""] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  const template = templates.find((each) => each.name === name);
  return template === undefined ? text : template.expand(rest.trim());
}
