import chart from "../../../web/export/chart.css" with { type: "text" };
import colours from "../../../web/export/colours.css" with { type: "text" };
import conversation from "../../../web/export/conversation.css" with { type: "text" };
import folded from "../../../web/export/folded.css" with { type: "text" };
import frame from "../../../web/export/frame.css" with { type: "text" };
import markdown from "../../../web/export/markdown.css" with { type: "text" };
import template from "../../../web/export/page.html" with { type: "text" };
import { type PageData, type PageSource, pageData } from "./page-data.ts";
import { pageScript } from "./page-script.ts";

// A session as one page that stands alone: no text of the session is ever HTML or script, nothing is loaded from anywhere.

export interface SessionPage {
  html: string;
  /** What had no room in it, in sentences for a person. */
  leftOut: string[];
}

/** `entries` are those of all branches, with their long texts in place, as `readSession` gives them. */
export function exportHtml(source: PageSource): SessionPage {
  const data = pageData(source);
  const script = pageScript();
  // What a narrow screen and paper change stands last.
  const style = [colours, chart, conversation, folded, markdown, frame].join("\n");
  const parts: Record<string, string> = {
    policy: `<meta http-equiv="Content-Security-Policy" content="${policyFor(script, style)}">`,
    style: `<style>${style}</style>`,
    data: `<script type="application/json" id="session-data">${scriptSafe(data)}</script>`,
    script: `<script type="module">${script}</script>`,
  };
  // Each place is filled once, and what fills it is not looked at again.
  const html = String(template).replace(/<!-- (\w+) -->/g, (place, name) => parts[name] ?? place);
  return { html, leftOut: data.leftOut };
}

/** Only this very script and this very style count, pictures come from the page itself, and nothing else is allowed. */
function policyFor(script: string, styles: string): string {
  return [
    "default-src 'none'",
    `style-src '${digestOf(styles)}'`,
    `script-src '${digestOf(script)}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

function digestOf(text: string): string {
  return `sha256-${new Bun.CryptoHasher("sha256").update(text).digest("base64")}`;
}

/** JSON that cannot end its script element, nor begin a comment in it. Half surrogate pairs are escaped by JSON itself. */
function scriptSafe(data: PageData): string {
  return JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
