import type { AgentState } from "../../protocol/agent-state.ts";
import type { Line } from "../../tui/style/styled-line.ts";
import type { BlockPlace } from "../conversation/block.ts";
import type { Dialog } from "../dialogs/dialog.ts";
import type { KeyMap } from "../keys/key-map.ts";
import type { AgentFace, InteractiveServices, SessionWish } from "../services.ts";

/** What a slash command may do with the screen and the agent. */
export interface CommandHost {
  agent: AgentFace;
  state(): AgentState;
  services: InteractiveServices;
  keys: KeyMap;
  commands(): readonly SlashCommand[];
  /** A text of Ralph, as Markdown. */
  say(markdown: string): void;
  sayLines(lines: (place: BlockPlace) => Line[]): void;
  /** A word beside the status, for a moment. */
  hint(text: string): void;
  open(dialog: Dialog): void;
  closeDialog(): void;
  setInput(text: string): void;
  /** Earlier prompts that hold all these words, the newest first. */
  findPrompts(words: string): readonly string[];
  /** Sends something to the model as if it had been written. */
  prompt(text: string): void;
  switchSession(wish: SessionWish): Promise<void>;
  setTheme(name: string): boolean;
  lastAnswer(): string;
  exit(): void;
}

export interface SlashCommand {
  name: string;
  aliases?: readonly string[];
  /** What may stand behind it: `[level]`. */
  usage: string;
  description: string;
  /** What may be suggested behind it. */
  choices?(services: InteractiveServices, commands: readonly SlashCommand[]): ArgumentChoices;
  run(host: CommandHost, rest: string): void | Promise<void>;
}

export type ArgumentChoices = readonly ArgumentChoice[] | Promise<readonly ArgumentChoice[]>;

export interface ArgumentChoice {
  label: string;
  description?: string;
}
