import type { Message } from "../../src/protocol/messages.ts";
import type { SessionEntry } from "../../src/protocol/session-entries.ts";
import type { EntryDraft } from "../../src/sessions/session.ts";
import { HOSTILE_TEXTS } from "./hostile-texts.ts";
import { answer, chain, result, said } from "./session-samples.ts";

// A session in which every hostile text stands wherever a text can stand, and expressions that tell a browser what to look for.

export const HOSTILE_NAME = HOSTILE_TEXTS.filter(({ length }) => length < 200).join(" ");

/** Every text at every place a text can stand. */
export function hostileEntries(): SessionEntry[] {
  const drafts = HOSTILE_TEXTS.flatMap((text, at): EntryDraft[] => [
    said({
      role: "user",
      content: [
        { type: "text", text },
        { type: "image", mediaType: text, data: text },
        { type: "image", mediaType: "image/svg+xml", data: btoa("<svg onload=window.hacked=1>") },
      ],
    }),
    said(hostileAnswer(text, `${at} ${text}`)),
    said({ ...(result(`${at} ${text}`, text) as Extract<Message, { role: "tool-result" }>), toolName: text }),
    said({ ...(result("nobody asked", "x") as Extract<Message, { role: "tool-result" }>), toolName: text }),
    { type: "model-changed", model: text },
    { type: "mode-changed", mode: text },
    { type: "compaction", summary: text, firstKeptId: "e1", tokensBefore: 1 },
    { type: "compaction-failed", reason: text, tokens: 1 },
    { type: "branch-summary", fromId: "e1", summary: text },
    { type: "queued", kind: "steering", message: { role: "user", content: [{ type: "text", text }] } },
    { type: "command", command: text, output: text, ending: text },
    { type: "label", targetId: `e${at * 13 + 1}`, label: text },
    { type: "name", name: HOSTILE_NAME },
  ]);
  return chain(...drafts).map((entry) => ({ ...entry, at: HOSTILE_NAME }));
}

function hostileAnswer(text: string, callId: string): Message {
  const names = { old_string: text, new_string: text, [text]: text, nested: { [text]: [text] } };
  return {
    ...answer(""),
    provider: text,
    model: text,
    content: [
      { type: "thinking", text },
      { type: "text", text },
      { type: "tool-call", id: callId, name: text, input: names },
      { type: "tool-call", id: `${callId} broken`, name: text, input: {}, invalidInput: text },
    ],
  };
}

const ALLOWED_TAGS =
  "a article aside b blockquote body br button code dd details div dl dt em form g h1 h2 h3 h4 h5 h6 head header hr html input kbd li link main meta nav noscript ol output p pre rect s script search section span strong style summary svg table tbody td th thead time title tr ul";

/** Whatever on the page is not of its own making. */
export const FOREIGN = `(() => {
  const allowed = new Set(${JSON.stringify(ALLOWED_TAGS.split(" "))});
  const all = [...document.querySelectorAll("*")];
  const comments = document.createTreeWalker(document, NodeFilter.SHOW_COMMENT);
  let count = 0;
  while (comments.nextNode()) count++;
  return {
    hacked: Object.keys(window).filter((name) => name === "hacked"),
    tags: [...new Set(all.map((one) => one.localName).filter((name) => !allowed.has(name)))],
    handlers: all.flatMap((one) => one.getAttributeNames().filter((name) => name.startsWith("on") || name === "style" && !one.matches(".group"))),
    addresses: all.flatMap((one) => ["href", "src", "action", "xlink:href", "srcdoc"].map((name) => one.getAttribute(name)))
      .filter((address) => address !== null && !/^(#|https?:|mailto:|data:,$)/.test(address)),
    scripts: document.scripts.length,
    styles: document.querySelectorAll("style").length,
    comments: count,
  };
})()`;

/** The first result of every answer, whole, as numbers of characters: half pairs do not survive the way here. */
export const SHOWN_RESULTS = `(() => {
  for (const button of document.querySelectorAll(".more")) button.click();
  return JSON.stringify([...document.querySelectorAll(".call.done .inside")].map((block) => {
    const text = [...block.querySelectorAll("h3 ~ pre, h3 ~ .long pre")].map((pre) => pre.textContent).join("");
    return text.length > 5000 ? text.length : Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)).join(" ");
  }));
})()`;

/** What is shown of a text, in the same numbers. */
export function codesOf(text: string): string | number {
  const shown = text.replace(UNSEEN, (character) => {
    const code = character.charCodeAt(0);
    if (code < 32) return String.fromCharCode(0x2400 + code);
    return code === 127 ? "␡" : `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
  if (shown.length > 5000) return shown.length;
  return Array.from({ length: shown.length }, (_, at) => shown.charCodeAt(at)).join(" ");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
