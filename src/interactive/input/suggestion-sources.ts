import type { CommandHost, SlashCommand } from "../commands/command-host.ts";
import { findCommand } from "../commands/run-command.ts";
import type { InteractiveServices } from "../services.ts";
import { type SuggestionSource, suggestionSource } from "./suggestions.ts";

/** What can be suggested: commands at once, files when somebody first asks for one. */
export class SuggestionSources {
  private fileSource: SuggestionSource | undefined;
  private isListing = false;
  private list: readonly SlashCommand[];
  private commandSource: SuggestionSource;
  /** Of the command that is being written; asked for anew with each. */
  private arguments: { command: string; source: SuggestionSource | undefined } | undefined;

  constructor(
    private readonly services: InteractiveServices,
    private readonly builtIn: readonly SlashCommand[],
    private readonly onChange: () => void,
  ) {
    this.list = builtIn;
    this.commandSource = sourceOf(builtIn);
  }

  allCommands(): readonly SlashCommand[] {
    return this.list;
  }

  commands(): SuggestionSource {
    return this.commandSource;
  }

  argumentsOf(command: string): SuggestionSource | undefined {
    if (this.arguments?.command !== command) void this.listArguments(command);
    return this.arguments?.source;
  }

  files(): SuggestionSource | undefined {
    return this.fileSource;
  }

  wantFiles(): void {
    if (this.fileSource === undefined && !this.isListing) void this.listFiles();
  }

  /** Commands the person and the project have of their own; they come after ours. */
  async loadCustom(): Promise<void> {
    const custom = await this.services.customCommands();
    const added = custom.map(({ name, argumentHint, description, expand }) => ({
      name,
      usage: argumentHint,
      description,
      run: (host: CommandHost, rest: string) => host.prompt(expand(rest)),
    }));
    this.list = [...this.builtIn, ...added.filter(({ name }) => !this.builtIn.some((one) => one.name === name))];
    this.commandSource = sourceOf(this.list);
    this.onChange();
  }

  private async listArguments(command: string): Promise<void> {
    const asked: SuggestionSources["arguments"] = { command, source: undefined };
    this.arguments = asked;
    const rows = await findCommand(this.list, command)?.choices?.(this.services, this.list);
    if (rows === undefined) return;
    asked.source = suggestionSource(rows);
    if (this.arguments === asked) this.onChange();
  }

  private async listFiles(): Promise<void> {
    this.isListing = true;
    const paths = await this.services.listFiles();
    this.fileSource = suggestionSource(paths.map((label) => ({ label })));
    this.isListing = false;
    this.onChange();
  }
}

/** Other names stand in the list as well, with the command they mean. */
function sourceOf(commands: readonly SlashCommand[]): SuggestionSource {
  return suggestionSource([
    ...commands.map(({ name, description }) => ({ label: name, description })),
    ...commands.flatMap(({ name, aliases = [] }) =>
      aliases.map((alias) => ({ label: alias, description: `the same as /${name}` })),
    ),
  ]);
}
