import type { Answerer, DraftHeader, DraftPiece } from "../../protocol/answer-drafts.ts";
import type { EntrySeal } from "../../protocol/entry-seal.ts";
import type { ModelEvent } from "../../protocol/model-events.ts";
import type { Clock } from "../../system/clock.ts";
import type { DraftFile } from "./draft-file.ts";
import { sealedPieces } from "./sealed-pieces.ts";

/** What has arrived of an answer that is being written, on its way to the draft file. */
export interface AnswerDraft {
  see(event: ModelEvent): void;
  /** Writes what is still waiting: the answer could not be stored, and this is all there is of it. */
  save(): void;
  /** The answer is stored, or nothing of it is kept. */
  remove(): void;
}

export interface AnswerDraftOptions {
  file: DraftFile;
  parentId: string;
  by: Answerer;
  clock: Clock;
  seal?: EntrySeal | undefined;
}

/** How far the file may be behind what was seen. */
export const BEHIND_MS = 100;
/** Secrets are found only in the whole text, so all of it is written again each time. */
export const BEHIND_SEALED_MS = 1000;

export function createAnswerDraft(options: AnswerDraftOptions): AnswerDraft {
  return new GatheredDraft(options);
}

/** Seeing a text costs next to nothing: texts are gathered, and written a few times a second while there are any. */
class GatheredDraft implements AnswerDraft {
  private readonly header: DraftHeader;
  private pieces: DraftPiece[] = [];
  /** What comes next of this part belongs to the piece that grows. */
  private growing: "text-delta" | "thinking-delta" | undefined;
  private index = 0;
  private texts: string[] = [];
  private stopTimer: (() => void) | undefined;
  private isBegun = false;
  private isOver = false;

  constructor(private readonly options: AnswerDraftOptions) {
    this.header = { type: "draft", version: 1, parentId: options.parentId, ...options.by };
  }

  see(event: ModelEvent): void {
    if (event.type === this.growing && event.index === this.index) this.texts.push(event.text);
    else if (event.type === "attempt-retry") this.beginAnew();
    else if (!this.isOver) this.begin(event);
  }

  save(): void {
    this.stopTimer?.();
    this.write();
  }

  remove(): void {
    this.beginAnew();
    this.isOver = true;
  }

  private begin(event: ModelEvent): void {
    if (event.type === "text-delta" || event.type === "thinking-delta") {
      this.closePiece();
      this.growing = event.type;
      this.index = event.index;
      this.texts.push(event.text);
    } else if (event.type === "tool-call-start") {
      this.closePiece();
      this.pieces.push({ type: "tool-call", index: event.index, name: event.name });
    } else return;
    const { clock, seal } = this.options;
    this.stopTimer ??= clock.timer(seal === undefined ? BEHIND_MS : BEHIND_SEALED_MS, () => this.write());
  }

  private closePiece(): void {
    const { growing, index, texts } = this;
    if (growing === undefined) return;
    this.pieces.push({ type: growing === "text-delta" ? "text" : "thinking", index, text: texts.join("") });
    this.growing = undefined;
    this.texts = [];
  }

  private write(): void {
    const { file, by, seal } = this.options;
    this.stopTimer = undefined;
    this.closePiece();
    this.isOver =
      seal === undefined
        ? !file.append(this, linesOf(this.isBegun ? this.pieces : [this.header, ...this.pieces]))
        : !file.replace(this, linesOf([this.header, ...sealedPieces(this.pieces, by, seal)]));
    this.isBegun = true;
    if (seal === undefined) this.pieces = [];
  }

  private beginAnew(): void {
    this.stopTimer?.();
    this.stopTimer = undefined;
    this.growing = undefined;
    this.texts = [];
    this.pieces = [];
    this.isBegun = false;
    this.isOver = false;
    this.options.file.remove(this);
  }
}

function linesOf(values: readonly (DraftHeader | DraftPiece)[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}
