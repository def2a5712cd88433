import type { WireEvent } from "./wire-protocol.ts";

// Some models write their thinking into the text, between <think> and </think> at the very beginning.

const OPEN = "<think>";
const CLOSE = "</think>";

/** Splits the text of one answer into thinking and text. `flush` gives what was held back for a tag that never came. */
export function createThinkTagSplitter(): { split(event: WireEvent): WireEvent[]; flush(): WireEvent[] } {
  let place: "before" | "inside" | "after" = "before";
  let held = "";
  let part = "text";

  function text(value: string): WireEvent[] {
    return value === "" ? [] : [{ type: "text-delta", part, text: value }];
  }

  function thinking(value: string): WireEvent[] {
    return value === "" ? [] : [{ type: "thinking-delta", part: `${part}:think`, text: value }];
  }

  function before(value: string): WireEvent[] {
    const trimmed = value.trimStart();
    if (trimmed.startsWith(OPEN)) {
      place = "inside";
      return inside(trimmed.slice(OPEN.length).trimStart());
    }
    if (OPEN.startsWith(trimmed)) {
      held = value;
      return [];
    }
    place = "after";
    return text(value);
  }

  function inside(value: string): WireEvent[] {
    const close = value.indexOf(CLOSE);
    if (close >= 0) {
      place = "after";
      const rest = value.slice(close + CLOSE.length).trimStart();
      return [...thinking(value.slice(0, close)), { type: "thinking-end", part: `${part}:think` }, ...text(rest)];
    }
    const keep = partialTagLength(value);
    held = value.slice(value.length - keep);
    return thinking(value.slice(0, value.length - keep));
  }

  return {
    split(event) {
      if (event.type !== "text-delta" || place === "after") return [event];
      part = event.part;
      const value = held + event.text;
      held = "";
      return place === "before" ? before(value) : inside(value);
    },
    flush() {
      const value = held;
      held = "";
      return place === "inside" ? thinking(value) : text(value);
    },
  };
}

/** How many characters at the end could be the beginning of the closing tag. */
function partialTagLength(value: string): number {
  for (let length = Math.min(CLOSE.length - 1, value.length); length > 0; length--) {
    if (CLOSE.startsWith(value.slice(value.length - length))) return length;
  }
  return 0;
}
