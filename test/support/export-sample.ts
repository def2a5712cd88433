import type { AssistantMessage, Message, ToolCallPart } from "../../src/protocol/messages.ts";
import type { SessionEntry, SessionHeader } from "../../src/protocol/session-entries.ts";
import type { EntryDraft } from "../../src/sessions/session.ts";
import { said, user } from "./session-samples.ts";

// A session as people have them: two branches, thinking, edits, a picture, a table, a shortened conversation.

export const sampleHeader: SessionHeader = {
  type: "session",
  version: 1,
  id: "k3v9x2m7qd",
  at: "2026-03-14T09:12:00.000Z",
  cwd: "/home/me/shop",
};

/** Red, one dot. */
export const SAMPLE_PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

const DIFF = `Edited src/cart/total.ts: 1 replacement.
@@ -9,6 +9,7 @@
 export function total(lines: Line[], tax: number): Cents {
-  const net = lines.reduce((sum, line) => sum + line.price * line.count, 0);
-  return Math.round(net * (1 + tax) * 100) / 100;
+  const net = lines.reduce((sum, line) => sum + line.cents * line.count, 0);
+  // Tax is rounded once, on the sum, as the invoice does it.
+  return net + Math.round(net * tax);
 }`;

const ANSWER = `The cart added prices as floating point numbers and rounded **per line**. It now counts in cents and rounds the tax once.

| case | before | now |
| --- | ---: | ---: |
| 3 × €0.10 | 0.30000000000000004 | 0.30 |
| 19 % on €33.35 | 39.69 | 39.69 |
| 1,000 lines | off by €0.04 | exact |

What changed:

1. \`total()\` takes cents and returns cents.
2. The invoice and the cart share it, so they cannot disagree.
   - \`formatMoney()\` is the only place that divides by 100.
3. A property test compares it with exact fractions.

See [how invoices round](https://example.com/rounding) for why once is right.`;

interface Place {
  /** Minutes after the beginning. */
  minute: number;
  parent?: string;
}

/** Entries s1, s2, …; each hangs on the one before it unless it names its parent. */
export function sampleEntries(): SessionEntry[] {
  const entries: SessionEntry[] = [];
  const add = (draft: EntryDraft, { minute, parent }: Place) => {
    const parentId = parent ?? entries.at(-1)?.id ?? null;
    const at = new Date(Date.parse(sampleHeader.at) + minute * 60_000).toISOString();
    entries.push({ id: `s${entries.length + 1}`, parentId, at, ...draft } as SessionEntry);
  };
  firstTurn(add);
  secondTurn(add);
  otherBranch(add);
  return entries;
}

type Add = (draft: EntryDraft, place: Place) => void;

function firstTurn(add: Add): void {
  add({ type: "name", name: "Rounding in the shopping cart" }, { minute: 0 });
  add({ type: "model-changed", model: "anthropic/claude-sonnet-5" }, { minute: 0 });
  add(said(user("The cart shows 39.70 and the invoice 39.69.\nFind out why, please, and make them agree.")), {
    minute: 0,
  });
  const look = toolCall("c1", "search_files", { pattern: "toFixed|Math.round", path: "src" });
  const first = answered(
    [
      {
        type: "thinking",
        text: "The two numbers differ by a cent, so somebody rounds twice. First find every place that rounds, then see which of them the cart goes through.",
      },
      { type: "text", text: "I look for every place that rounds." },
      look,
    ],
    { input: 1420, output: 164, cacheRead: 0, cacheWrite: 3100 },
  );
  add({ ...first, cost: 0.0183 }, { minute: 1 });
  add(
    resultOf(
      look,
      "src/cart/total.ts:11: return Math.round(net * (1 + tax) * 100) / 100;\nsrc/invoice/sum.ts:27: return Math.round(cents);",
    ),
    { minute: 1 },
  );
  const read = toolCall("c2", "read_file", { path: "src/cart/total.ts" });
  const run = toolCall("c3", "shell", { command: "bun test test/cart" });
  add(
    { ...answered([read, run], { input: 210, output: 92, cacheRead: 4520, cacheWrite: 640 }), cost: 0.0061 },
    { minute: 2 },
  );
  add(resultOf(read, "export function total(lines: Line[], tax: number): Cents {\n  const net = …"), { minute: 2 });
  add(
    resultOf(run, "2 pass\n1 fail\n  total > adds many lines exactly\n    expected 30, got 30.000000000000004", true),
    { minute: 2 },
  );
}

function secondTurn(add: Add): void {
  const edit = toolCall("c4", "edit_file", {
    path: "src/cart/total.ts",
    old_string: "  return Math.round(net * (1 + tax) * 100) / 100;",
    new_string: "  return net + Math.round(net * tax);",
  });
  add(
    {
      ...answered([{ type: "text", text: "Found it: the cart rounds every line, the invoice only the sum." }, edit], {
        input: 180,
        output: 410,
        cacheRead: 5160,
        cacheWrite: 720,
      }),
      cost: 0.0109,
    },
    { minute: 3 },
  );
  add(resultOf(edit, DIFF), { minute: 3 });
  add(
    {
      ...answered([{ type: "text", text: ANSWER }], { input: 160, output: 520, cacheRead: 5880, cacheWrite: 480 }),
      cost: 0.0121,
    },
    { minute: 4 },
  );
  add({ type: "label", targetId: "s11", label: "rounding fixed" }, { minute: 4 });
  add({ type: "mode-changed", mode: "plan", by: "person" }, { minute: 6 });
}

function otherBranch(add: Add): void {
  add(said(user("Now do the same for the exports.")), { minute: 7, parent: "s13" });
  add(
    {
      ...answered([{ type: "text", text: "The exports already use cents; only the heading was wrong." }], {
        input: 90,
        output: 60,
        cacheRead: 6400,
        cacheWrite: 90,
      }),
      cost: 0.0034,
    },
    { minute: 8 },
  );
  add(
    said({
      role: "user",
      content: [
        { type: "text", text: "Rather look at the receipts first. This is what one looks like:" },
        { type: "image", mediaType: "image/png", data: SAMPLE_PICTURE },
      ],
    }),
    { minute: 9, parent: "s13" },
  );
  add(
    {
      type: "compaction",
      summary: "The cart now counts in **cents**; receipts are next.",
      firstKeptId: "s13",
      tokensBefore: 48_200,
      tokensAfter: 6100,
    },
    { minute: 10 },
  );
  const failing = toolCall("c5", "shell", { command: "bun test test/receipts" });
  add(
    { ...answered([failing], { input: 310, output: 40, cacheRead: 3100, cacheWrite: 0 }), cost: 0.0024 },
    { minute: 11 },
  );
  add(resultOf(failing, "error: No tests found in test/receipts", true), { minute: 11 });
  add(
    {
      ...answered(
        [
          {
            type: "text",
            text: 'There are no tests for receipts yet. I propose:\n\n- [x] the picture you sent\n- [ ] a receipt with two tax rates\n\n```diff\n--- a/test/receipts/total.test.ts\n+++ b/test/receipts/total.test.ts\n@@ -0,0 +1,2 @@\n+test("a receipt adds up", () => {\n+});\n```',
          },
        ],
        { input: 120, output: 230, cacheRead: 3400, cacheWrite: 200 },
      ),
      cost: 0.0058,
    },
    { minute: 12 },
  );
}

function toolCall(id: string, name: string, input: Record<string, unknown>): ToolCallPart {
  return { type: "tool-call", id, name, input };
}

function answered(
  content: AssistantMessage["content"],
  usage: AssistantMessage["usage"],
): { type: "message"; message: Message } {
  const stopReason = content.some(({ type }) => type === "tool-call") ? "tool-use" : "stop";
  const who = { provider: "anthropic", api: "anthropic-messages", model: "claude-sonnet-5" };
  return { type: "message", message: { role: "assistant", content, ...who, stopReason, usage } };
}

function resultOf({ id, name }: ToolCallPart, text: string, isError = false): EntryDraft {
  return said({ role: "tool-result", toolCallId: id, toolName: name, content: [{ type: "text", text }], isError });
}
