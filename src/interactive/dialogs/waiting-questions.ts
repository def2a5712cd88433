import type { AgentEvent } from "../../protocol/agent-events.ts";
import type { Ask } from "../../protocol/asks.ts";
import type { KeyEvent, PasteEvent } from "../../tui/keys/input-event.ts";
import type { KeyMap } from "../keys/key-map.ts";
import type { AgentFace } from "../services.ts";
import { askDialog } from "./ask-dialog.ts";
import type { Dialog } from "./dialog.ts";
import { type Question, questionDialog } from "./question-dialog.ts";

/** How long after the last key a question takes the keyboard. A yes must be meant. */
export const QUIET_MS = 700;

/** What of the input decides whether a question may have the keys. */
export interface Writing {
  isEmpty: boolean;
  now: number;
  lastKeyAt: number;
}

/** What stands over the input: a list the person opened, or the oldest of the agent's questions. */
export class WaitingQuestions {
  private readonly asks: Ask[] = [];
  private readonly questions: Question[] = [];
  private open: { dialog: Dialog; about: string } | undefined;
  private hasFocus = false;

  constructor(private readonly agent: () => AgentFace) {}

  /** What a person elsewhere should be told, where it is something. */
  accept(event: AgentEvent): string | undefined {
    if (event.type === "ask-start") {
      this.asks.push(event.ask);
      return `${event.ask.tool} needs your answer`;
    }
    if (event.type === "question-start") {
      this.questions.push(event);
      return "The model asks you something";
    }
    if (event.type === "ask-end") this.settle(event.askId);
    if (event.type === "question-end") this.settle(event.questionId);
    return undefined;
  }

  /** A list or a question of Ralph itself, which has the keys at once. */
  show(dialog: Dialog): void {
    this.open = { dialog, about: "" };
  }

  close(): void {
    this.open = undefined;
  }

  forget(): void {
    this.asks.length = 0;
    this.questions.length = 0;
    this.open = undefined;
  }

  /** The dialog to be drawn now. */
  current(): Dialog | undefined {
    if (this.open === undefined) this.openOldest();
    return this.open?.dialog;
  }

  /** A list has the keys at once; a question only when nobody is writing, or after Tab. */
  isFocused({ isEmpty, now, lastKeyAt }: Writing): boolean {
    if (this.open === undefined) return false;
    return this.hasFocus || this.open.about === "" || (isEmpty && now - lastKeyAt >= QUIET_MS);
  }

  focus(): boolean {
    if (this.open === undefined || this.hasFocus) return false;
    this.hasFocus = true;
    return true;
  }

  onKey(event: KeyEvent, keys: KeyMap): boolean {
    this.hasFocus = true;
    return this.open?.dialog.onKey(event, keys) ?? false;
  }

  /** True where the dialog takes pastes. */
  onPaste(event: PasteEvent): boolean {
    if (this.open?.dialog.onPaste === undefined) return false;
    this.open.dialog.onPaste(event);
    return true;
  }

  private openOldest(): void {
    const [ask] = this.asks;
    const [question] = this.questions;
    this.hasFocus = false;
    if (ask !== undefined) this.open = { dialog: this.dialogOfAsk(ask), about: ask.id };
    else if (question !== undefined)
      this.open = { dialog: this.dialogOfQuestion(question), about: question.questionId };
  }

  private dialogOfAsk(ask: Ask): Dialog {
    return askDialog(
      ask,
      () => this.asks.length,
      (answer) => {
        this.settle(ask.id);
        void this.agent().call("answer", answer);
      },
    );
  }

  private dialogOfQuestion(question: Question): Dialog {
    return questionDialog(question, (answers) => {
      this.settle(question.questionId);
      void this.agent().call("answer_question", { questionId: question.questionId, ...(answers && { answers }) });
    });
  }

  private settle(id: string): void {
    remove(this.asks, (ask) => ask.id === id);
    remove(this.questions, ({ questionId }) => questionId === id);
    if (this.open?.about === id) this.open = undefined;
  }
}

function remove<Item>(list: Item[], isIt: (item: Item) => boolean): void {
  const at = list.findIndex(isIt);
  if (at >= 0) list.splice(at, 1);
}
