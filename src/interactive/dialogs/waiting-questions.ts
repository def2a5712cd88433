import type { AgentEvent } from "../../protocol/agent-events.ts";
import type { Ask } from "../../protocol/asks.ts";
import type { ToolCallPart } from "../../protocol/messages.ts";
import type { MethodError } from "../../protocol/methods.ts";
import type { KeyEvent, PasteEvent } from "../../tui/keys/input-event.ts";
import type { KeyMap } from "../keys/key-map.ts";
import type { AgentFace } from "../services.ts";
import { type AskAnswer, AskDialog } from "./ask-dialog.ts";
import type { Dialog } from "./dialog.ts";
import { type Question, questionDialog } from "./question-dialog.ts";

/** How long after the last key a question takes the keyboard, and how long it must have been in sight. A yes must be meant. */
export const QUIET_MS = 700;

/** What of the input decides whether a question may have the keys. */
export interface Writing {
  isEmpty: boolean;
  now: number;
  lastKeyAt: number;
}

export interface WaitingOptions {
  agent(): AgentFace;
  /** The call an ask is about, where it is on the screen. */
  callOf(ask: Ask): ToolCallPart | undefined;
  now(): number;
  wallNow(): number;
  /** Something a person should know about an answer. */
  tell(text: string): void;
  changed(): void;
}

interface Open {
  dialog: Dialog;
  about: "asks" | "list" | { questionId: string };
  /** When it came into sight. */
  since: number;
}

/** What stands over the input: a list the person opened, or the agent's questions, the oldest first. */
export class WaitingQuestions {
  private readonly asks: Ask[] = [];
  private readonly questions: Question[] = [];
  private open: Open | undefined;
  private hasFocus = false;

  constructor(private readonly options: WaitingOptions) {}

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

  /** How many wait behind what is open. */
  get hidden(): number {
    return this.open?.about === "list" ? this.asks.length + this.questions.length : 0;
  }

  /** A list or a question of Ralph itself, which has the keys at once. */
  show(dialog: Dialog): void {
    this.open = { dialog, about: "list", since: this.options.now() };
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

  /** A list has the keys at once; a question only when nobody is writing and it was in sight for a while, or after Tab. */
  isFocused({ isEmpty, now, lastKeyAt }: Writing): boolean {
    if (this.open === undefined) return false;
    const isQuiet = now - Math.max(lastKeyAt, this.open.since) >= QUIET_MS;
    return this.hasFocus || this.open.about === "list" || (isEmpty && isQuiet);
  }

  focus(): boolean {
    if (this.open === undefined || this.hasFocus) return false;
    this.hasFocus = true;
    return true;
  }

  /** A key it does not know is the start of something written: the question gives the keyboard back. */
  onKey(event: KeyEvent, keys: KeyMap): boolean {
    this.hasFocus = this.open?.dialog.onKey(event, keys) ?? false;
    return this.hasFocus;
  }

  /** True where the dialog takes pastes. */
  onPaste(event: PasteEvent): boolean {
    return this.open?.dialog.onPaste?.(event) ?? false;
  }

  private openOldest(): void {
    const [question] = this.questions;
    const since = this.options.now();
    this.hasFocus = false;
    if (this.asks.length > 0) this.open = { dialog: this.dialogOfAsks(), about: "asks", since };
    else if (question !== undefined)
      this.open = { dialog: this.dialogOfQuestion(question), about: { questionId: question.questionId }, since };
  }

  private dialogOfAsks(): Dialog {
    const { now, wallNow } = this.options;
    const answer = (given: AskAnswer) => this.answerAsk(given);
    return new AskDialog({ asks: () => this.asks, callOf: this.options.callOf, answer, now, wallNow });
  }

  /** What cannot be taken leaves the ask waiting; one that is over already is told. */
  private async answerAsk(answer: AskAnswer): Promise<MethodError | undefined> {
    const result = await this.options.agent().call("answer", answer);
    const error = result.ok ? undefined : result.error;
    const isOver = error?.code === "already-answered" || error?.code === "not-found";
    if (isOver) this.options.tell(error.message);
    if (error === undefined || isOver) this.settle(answer.askId);
    this.options.changed();
    return isOver ? undefined : error;
  }

  private dialogOfQuestion(question: Question): Dialog {
    return questionDialog(question, (answers) => {
      this.settle(question.questionId);
      void this.answerQuestion(question, answers);
    });
  }

  private async answerQuestion({ questionId }: Question, answers: string[] | undefined): Promise<void> {
    const result = await this.options.agent().call("answer_question", { questionId, ...(answers && { answers }) });
    if (!result.ok) this.options.tell(result.error.message);
    this.options.changed();
  }

  private settle(id: string): void {
    remove(this.asks, (ask) => ask.id === id);
    remove(this.questions, ({ questionId }) => questionId === id);
    if (this.open === undefined || this.open.about === "list") return;
    const isOver = this.open.about === "asks" ? this.asks.length === 0 : this.open.about.questionId === id;
    if (isOver) this.open = undefined;
  }
}

function remove<Item>(list: Item[], isIt: (item: Item) => boolean): void {
  const at = list.findIndex(isIt);
  if (at >= 0) list.splice(at, 1);
}
