import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { draftHeader, draftPiece } from "../../../src/protocol/answer-drafts.ts";
import type { EntrySeal } from "../../../src/protocol/entry-seal.ts";
import type { ModelEvent } from "../../../src/protocol/model-events.ts";
import type { SessionEntry } from "../../../src/protocol/session-entries.ts";
import {
  type AnswerDraftOptions,
  BEHIND_MS,
  BEHIND_SEALED_MS,
  createAnswerDraft,
} from "../../../src/sessions/drafts/answer-draft.ts";
import { cutAnswer } from "../../../src/sessions/drafts/cut-answer.ts";
import { createDraftFile, MOST_DRAFT_BYTES } from "../../../src/sessions/drafts/draft-file.ts";
import { parseDraft } from "../../../src/sessions/drafts/parse-draft.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { temporaryDirectories } from "../../support/temporary-directory.ts";

const directory = temporaryDirectories();
const BY = { provider: "acme", api: "openai-completions", model: "one" };

function drafting(own: Partial<AnswerDraftOptions> = {}) {
  const path = join(directory(), "session.draft");
  const clock = manualClock();
  const options = { file: createDraftFile(path), parentId: "e1", by: BY, clock, ...own };
  const draft = createAnswerDraft(options);
  const text = () => (existsSync(path) ? readFileSync(path, "utf8") : undefined);
  return { path, clock, options, draft, text };
}

function delta(text: string, index = 0): ModelEvent {
  return { type: "text-delta", index, text };
}

function thought(text: string, index = 0): ModelEvent {
  return { type: "thinking-delta", index, text };
}

const RETRY: ModelEvent = {
  type: "attempt-retry",
  attempt: 1,
  delayMs: 1,
  error: { kind: "network", message: "cut", retryable: true },
};

describe("the draft of an answer", () => {
  test("is written a moment after the first word, and as long as words come", async () => {
    const { clock, draft, text, path } = drafting();
    for (const event of [thought("Hm"), thought("."), delta("One ", 1), delta("two", 1)]) draft.see(event);
    await clock.advance(BEHIND_MS - 1);
    expect(text()).toBeUndefined();
    await clock.advance(1);
    const first = [
      '{"type":"draft","version":1,"parentId":"e1","provider":"acme","api":"openai-completions","model":"one"}',
      '{"type":"thinking","index":0,"text":"Hm."}',
      '{"type":"text","index":1,"text":"One two"}',
      "",
    ].join("\n");
    expect([text(), clock.pending(), statSync(path).mode & 0o777]).toEqual([first, 0, 0o600]);
    draft.see(delta(" three", 1));
    draft.see({ type: "text-end", index: 1 });
    draft.see({ type: "tool-call-start", index: 2, id: "c", name: "shell" });
    draft.see({ type: "tool-call-delta", index: 2, text: "{" });
    await clock.advance(BEHIND_MS);
    const second = '{"type":"text","index":1,"text":" three"}\n{"type":"tool-call","index":2,"name":"shell"}\n';
    expect(text()).toBe(first + second);
    draft.remove();
    expect([text(), clock.pending()]).toEqual([undefined, 0]);
  });

  test("of an answer that is over before that never becomes a file", async () => {
    const { clock, draft, text } = drafting();
    draft.see(delta("quick"));
    draft.remove();
    expect(clock.pending()).toBe(0);
    await clock.advance(BEHIND_MS);
    expect(text()).toBeUndefined();
  });

  test("begins anew with another attempt", async () => {
    const { clock, draft, text } = drafting();
    draft.see(delta("void"));
    await clock.advance(BEHIND_MS);
    draft.see(delta("void, too"));
    draft.see(RETRY);
    expect([text(), clock.pending()]).toEqual([undefined, 0]);
    draft.see(delta("counts"));
    await clock.advance(BEHIND_MS);
    expect(parseDraft(text() ?? "")?.pieces).toEqual([{ type: "text", index: 0, text: "counts" }]);
  });

  test("gives way to the next answer, and then takes nothing of it along", async () => {
    const { clock, options, draft, text } = drafting();
    draft.see(delta("first"));
    await clock.advance(BEHIND_MS);
    const next = createAnswerDraft({ ...options, parentId: "e2" });
    next.see(delta("second"));
    await clock.advance(BEHIND_MS);
    draft.remove();
    expect(parseDraft(text() ?? "")).toEqual({
      header: { type: "draft", version: 1, parentId: "e2", ...BY },
      pieces: [{ type: "text", index: 0, text: "second" }],
    });
  });

  test("ends at its limit, and stays readable", async () => {
    const { clock, draft, text, path } = drafting();
    const megabyte = "x".repeat(1024 * 1024);
    for (let count = 0; count < 12; count++) {
      draft.see(delta(megabyte));
      await clock.advance(BEHIND_MS);
    }
    expect(statSync(path).size).toBeLessThanOrEqual(MOST_DRAFT_BYTES);
    expect(parseDraft(text() ?? "")?.pieces).toHaveLength(7);
    draft.remove();
    expect(text()).toBeUndefined();
  });

  test("that cannot be written is done without", async () => {
    const { clock, draft, path } = drafting();
    mkdirSync(join(path, "in the way"), { recursive: true });
    draft.see(delta("lost"));
    await clock.advance(BEHIND_MS);
    draft.see(delta("lost, too"));
    draft.remove();
    expect([existsSync(path), clock.pending()]).toEqual([true, 0]);
  });

  test("follows no link", async () => {
    const { clock, draft, path, text } = drafting();
    const target = join(directory(), "target");
    writeFileSync(target, "mine");
    symlinkSync(target, path);
    draft.see(delta("words"));
    await clock.advance(BEHIND_MS);
    expect([readFileSync(target, "utf8"), parseDraft(text() ?? "")?.pieces.length]).toEqual(["mine", 1]);
  });
});

/** Hides one word in messages. */
const SEAL: EntrySeal = {
  close: (entry) => replaced(entry, "hunter2", "#1#"),
  open: (entry) => replaced(entry, "#1#", "hunter2"),
};

function replaced(entry: SessionEntry, from: string, to: string): SessionEntry {
  return JSON.parse(JSON.stringify(entry).replaceAll(from, to));
}

test("a secret never stands in a draft, also where it comes in two pieces", async () => {
  const { clock, draft, text } = drafting({ seal: SEAL });
  draft.see(delta("It is hun"));
  draft.see(delta("ter2."));
  await clock.advance(BEHIND_SEALED_MS - 1);
  expect(text()).toBeUndefined();
  await clock.advance(1);
  expect(parseDraft(text() ?? "")?.pieces).toEqual([{ type: "text", index: 0, text: "It is #1#." }]);
  draft.see(delta(" Or hun"));
  await clock.advance(BEHIND_SEALED_MS);
  draft.see(delta("ter2"));
  draft.see({ type: "tool-call-start", index: 1, id: "c", name: "shell" });
  await clock.advance(BEHIND_SEALED_MS);
  expect(parseDraft(text() ?? "")?.pieces).toEqual([
    { type: "text", index: 0, text: "It is #1#. Or #1#" },
    { type: "tool-call", index: 1, name: "shell" },
  ]);
  draft.remove();
  expect(text()).toBeUndefined();
});

const anyText = fc.oneof(fc.string(), fc.constantFrom("ü", "\ud83d", "\ude00", "\n", '"', "\u2028", "\\"));
const anyEvent: fc.Arbitrary<ModelEvent> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("text-delta" as const), index: fc.constant(1), text: anyText }),
  },
  fc.record({ type: fc.constant("thinking-delta" as const), index: fc.constant(0), text: anyText }),
  fc.record({ type: fc.constant("text-end" as const), index: fc.constant(1) }),
  fc.record({ type: fc.constant("tool-call-start" as const), index: fc.constant(2), id: anyText, name: anyText }),
  fc.constant(RETRY),
);

/** What a person saw of the answer. */
function seen(events: readonly ModelEvent[]): { text: string; thinking: string; calls: string[] } {
  let shown = { text: "", thinking: "", calls: [] as string[] };
  for (const event of events) {
    if (event.type === "text-delta") shown.text += event.text;
    if (event.type === "thinking-delta") shown.thinking += event.text;
    if (event.type === "tool-call-start") shown.calls.push(event.name);
    if (event.type === "attempt-retry") shown = { text: "", thinking: "", calls: [] };
  }
  return shown;
}

function read(text: string | undefined): ReturnType<typeof seen> {
  const { pieces } = parseDraft(text ?? "") ?? { pieces: [] };
  const { message, calls } = cutAnswer(pieces, BY);
  const of = (type: string) => message.content.map((part) => (part.type === type && "text" in part ? part.text : ""));
  return { text: of("text").join(""), thinking: of("thinking").join(""), calls };
}

describe("any answer", () => {
  test("is read as it was seen, and every line fits its schema", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(anyEvent, fc.boolean()), { maxLength: 30 }), async (events) => {
        const { clock, draft, text } = drafting();
        for (const [event, pauses] of events) {
          draft.see(event);
          if (pauses) await clock.advance(BEHIND_MS);
        }
        await clock.advance(BEHIND_MS);
        expect(read(text())).toEqual(seen(events.map(([event]) => event)));
        const [first, ...lines] = (text() ?? "")
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line));
        if (first !== undefined) draftHeader.parse(first);
        for (const line of lines) draftPiece.parse(line);
        draft.remove();
      }),
      { numRuns: 60 },
    );
  });

  test("whose file was cut at any byte, or damaged in any, is read up to there and never further", async () => {
    const { clock, draft, path } = drafting();
    for (const text of ["Grüße ", "an ", "alle 😀 ", "hier."]) {
      draft.see(delta(text));
      await clock.advance(BEHIND_MS);
    }
    const bytes = readFileSync(path);
    const whole = read(bytes.toString()).text;
    fc.assert(
      fc.property(fc.nat(bytes.length), fc.nat(bytes.length - 1), fc.nat(255), (end, at, byte) => {
        const cut = read(bytes.subarray(0, end).toString());
        expect(whole.startsWith(cut.text)).toBe(true);
        const damaged = Buffer.from(bytes);
        damaged[at] = byte;
        parseDraft(damaged.toString());
      }),
    );
    expect(whole).toBe("Grüße an alle 😀 hier.");
  });

  test("that is none reads as none", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.array(fc.json()).map((lines) => `${lines.join("\n")}\n`),
        ),
        (text) => {
          expect(parseDraft(text)).toBeUndefined();
        },
      ),
    );
  });
});
