import { type ReadCommand, readCommand } from "./commands/run-command.ts";
import type { PromptInput } from "./input/prompt-input.ts";
import { PastedPictures } from "./pasted-pictures.ts";
import type { AgentFace, InteractiveServices } from "./services.ts";

export type WhileBusy = "steer" | "follow-up";

export interface SendingOptions {
  input: PromptInput;
  agent(): AgentFace;
  services: Pick<InteractiveServices, "storePrompt" | "storeDraft" | "pastePicture">;
  runCommand(command: ReadCommand): Promise<void>;
  hint(text: string): void;
}

/** From what is written to what the agent is asked, and back. What cannot be sent returns to the input. */
export class Sending {
  private readonly pictures = new PastedPictures();

  constructor(private readonly options: SendingOptions) {}

  /** Undefined where there was nothing to send. */
  send(whileBusy: WhileBusy): Promise<void> | undefined {
    const { input, services, runCommand } = this.options;
    input.takeOnSend();
    const text = input.text;
    if (text.trim() === "") return undefined;
    const command = readCommand(text);
    input.submit();
    if (command === undefined || !mayHoldKey(command)) services.storePrompt(text);
    services.storeDraft("");
    return command === undefined ? this.prompt(text, whileBusy) : runCommand(command);
  }

  async prompt(text: string, whileBusy: WhileBusy): Promise<void> {
    const message = this.pictures.messageOf(text);
    const answer = await this.options.agent().call("prompt", { message, whileBusy });
    if (answer.ok) return;
    this.giveBack(text);
    this.options.hint(answer.error.message);
  }

  /** The newest waiting message, to be changed. */
  async takeBack(): Promise<void> {
    const answer = await this.options.agent().call("take_back", {});
    const parts = answer.ok ? (answer.result.message?.content ?? []) : [];
    const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    if (text === "") this.options.hint("nothing waits");
    else this.giveBack(text);
  }

  async pastePicture(): Promise<void> {
    const { services, input, hint } = this.options;
    const picture = await services.pastePicture();
    if (picture === undefined) return hint("there is no picture on the clipboard");
    const added = this.pictures.add(picture, input.text);
    if (added.ok) input.insertMarker(added.label, added.label);
    else hint(added.message);
  }

  /** What was written meanwhile stays, below it. */
  private giveBack(text: string): void {
    const { input } = this.options;
    input.set(input.isEmpty ? text : `${text}\n${input.text}`);
  }
}

/** Somebody may write a key behind the provider, where none belongs; it is kept nowhere. */
function mayHoldKey({ name, rest }: ReadCommand): boolean {
  return name.toLowerCase() === "login" && /\s/.test(rest);
}
