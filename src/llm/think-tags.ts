import type { WireEvent } from "./wire-protocol.ts";

const OPEN = "<think>";
const CLOSE = "</think>";

/**
 * Some models write their thinking into the text, between <think> and </think> at the very beginning. This splits the text of
 * one answer into thinking and text, however it was cut into deltas.
 */
export class ThinkTagSplitter {
  #place: "before" | "inside" | "after" = "before";
  #part = "text";
  /** What may be the beginning of a tag. */
  #held = "";
  /** White space right behind a tag belongs to the tag. */
  #behindTag = false;

  split(event: WireEvent): WireEvent[] {
    if (event.type !== "text-delta") return [event];
    this.#part = event.part;
    if (this.#place === "after") return this.#behindTag ? this.#text(event.text) : [event];
    const value = this.#held + event.text;
    this.#held = "";
    return this.#place === "before" ? this.#before(value) : this.#inside(value);
  }

  /** What was held back for a tag that never came. */
  flush(): WireEvent[] {
    const value = this.#held;
    this.#held = "";
    return this.#place === "inside" ? this.#thinking(value) : this.#text(value);
  }

  #before(value: string): WireEvent[] {
    const start = value.trimStart();
    if (start.startsWith(OPEN)) {
      this.#place = "inside";
      this.#behindTag = true;
      return this.#inside(start.slice(OPEN.length));
    }
    if (OPEN.startsWith(start)) {
      this.#held = value;
      return [];
    }
    this.#place = "after";
    return this.#text(value);
  }

  #inside(value: string): WireEvent[] {
    const close = value.indexOf(CLOSE);
    if (close < 0) {
      const end = value.length - partialTagLength(value);
      this.#held = value.slice(end);
      return this.#thinking(value.slice(0, end));
    }
    const thought = this.#thinking(value.slice(0, close));
    this.#place = "after";
    this.#behindTag = true;
    return [
      ...thought,
      { type: "thinking-end", part: this.#thinkingPart },
      ...this.#text(value.slice(close + CLOSE.length)),
    ];
  }

  #text(value: string): WireEvent[] {
    const text = this.#withoutTagSpace(value);
    return text === "" ? [] : [{ type: "text-delta", part: this.#part, text }];
  }

  #thinking(value: string): WireEvent[] {
    const text = this.#withoutTagSpace(value);
    return text === "" ? [] : [{ type: "thinking-delta", part: this.#thinkingPart, text }];
  }

  get #thinkingPart(): string {
    return `${this.#part}:think`;
  }

  #withoutTagSpace(value: string): string {
    const rest = this.#behindTag ? value.trimStart() : value;
    if (rest !== "") this.#behindTag = false;
    return rest;
  }
}

/** How many characters at the end could be the beginning of the closing tag. */
function partialTagLength(value: string): number {
  for (let length = Math.min(CLOSE.length - 1, value.length); length > 0; length--) {
    if (CLOSE.startsWith(value.slice(value.length - length))) return length;
  }
  return 0;
}
