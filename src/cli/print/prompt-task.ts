import type { UserMessage } from "../../protocol/messages.ts";
import type { Chosen } from "./coder-options.ts";
import type { RunSession } from "./open-session.ts";
import type { PromptLines } from "./prompt-lines.ts";
import type { RunChoices } from "./run-choices.ts";

/** A prompt with everything that is chosen for it. */
export interface PromptTask extends RunChoices, Omit<RunSession, "ok"> {
  chosen: Chosen;
  message: UserMessage;
  /** What is asked after it. */
  more?: UserMessage[] | undefined;
  /** And after that, as it comes. */
  later?: PromptLines | undefined;
}
