import type { UserMessage } from "../protocol/messages.ts";
import { pictureBytes } from "./conversation/picture-words.ts";
import type { PastedPicture } from "./services.ts";

const MOST_IN_MESSAGE = 20;
const LARGEST_BYTES = 20 * 1024 * 1024;
/** Pictures of messages that were sent are kept for a while: a message may be taken back. */
const MOST_KEPT = 40;

export type AddedPicture = { ok: true; label: string } | { ok: false; message: string };

/** Pictures that were pasted, by the markers that stand for them in the text. */
export class PastedPictures {
  private readonly byLabel = new Map<string, PastedPicture>();
  private count = 0;

  add(picture: PastedPicture, text: string): AddedPicture {
    if (pictureBytes(picture.data) > LARGEST_BYTES)
      return { ok: false, message: `the picture is larger than ${LARGEST_BYTES / 1024 / 1024} MB` };
    if (this.labelsIn(text).length >= MOST_IN_MESSAGE)
      return { ok: false, message: `a message holds ${MOST_IN_MESSAGE} pictures at most` };
    this.count++;
    const label = `[picture ${this.count}]`;
    this.byLabel.set(label, picture);
    for (const [oldest] of this.byLabel) if (this.byLabel.size > MOST_KEPT) this.byLabel.delete(oldest);
    return { ok: true, label };
  }

  /** Pictures go along where their markers stand. */
  messageOf(text: string): UserMessage {
    const pictures = this.labelsIn(text).flatMap((label) => this.byLabel.get(label) ?? []);
    return {
      role: "user",
      content: [
        { type: "text", text },
        ...pictures.map(({ mediaType, data }) => ({ type: "image" as const, mediaType, data })),
      ],
    };
  }

  private labelsIn(text: string): string[] {
    return [...this.byLabel.keys()].filter((label) => text.includes(label));
  }
}
