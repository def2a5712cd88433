import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { COMPLETE_MARKER, readMarker } from "../../../src/loop/transcripts/completion-marker.ts";
import { EMPTY_SUMMARY, foldSummary } from "../../../src/loop/transcripts/transcript-summary.ts";
import { TRANSCRIPT_TAGS, type TranscriptEvent, type TranscriptTag } from "../../../src/protocol/transcript-events.ts";

const said = (tag: TranscriptTag, text: string): TranscriptEvent => ({ type: "text", tag, text });
const markerOf = (...events: TranscriptEvent[]) => readMarker(events.reduce(foldSummary, EMPTY_SUMMARY));

const noise = fc.string({ unit: fc.constantFrom(" ", "\t", "\r", "\u001b[31m", "\u001b[0m", "\u0007", "\u0000") });
const words = fc.stringMatching(/^[a-zA-Z.,!<>/ ]*[a-zA-Z.!][a-zA-Z ]*$/);

describe("the marker", () => {
  test("counts as the last line of what the assistant said, with colours, control characters and blanks around it", () => {
    fc.assert(
      fc.property(fc.array(words), noise, noise, fc.array(noise), (before, left, right, after) => {
        const text = [...before, `${left}${COMPLETE_MARKER}${right}`, ...after].join("\n");
        expect(markerOf(said("AI", text))).toEqual({ type: "complete" });
        expect(readMarker({ finalMessage: text })).toEqual({ type: "complete" });
        expect(markerOf(said("AI", text), ...after.map((line) => said("AI", line)))).toEqual({ type: "complete" });
      }),
    );
  });

  test("counts nowhere else in what the assistant said", () => {
    fc.assert(
      fc.property(fc.array(words), words, fc.array(words), (before, after, rest) => {
        const lines = [...before, COMPLETE_MARKER, ...rest, after];
        expect(markerOf(said("AI", lines.join("\n")))).toEqual({ type: "none" });
        expect(markerOf(...lines.map((line) => said("AI", line)))).toEqual({ type: "none" });
      }),
    );
  });

  test("counts never beside other words in its line", () => {
    fc.assert(
      fc.property(words, fc.boolean(), (word, isBefore) => {
        const line = isBefore ? `${word}${COMPLETE_MARKER}` : `${COMPLETE_MARKER}${word}`;
        expect(markerOf(said("AI", line))).toEqual({ type: "none" });
      }),
    );
    for (const line of [
      "`<promise>COMPLETE</promise>`",
      "**<promise>COMPLETE</promise>**",
      "<promise>complete</promise>",
      "<prom\u0000ise>COMPLETE</promise>",
      "<promise>COMPLETE</promise",
      "<promise> COMPLETE </promise>",
    ])
      expect(markerOf(said("AI", line))).toEqual({ type: "none" });
  });

  test("counts never in what anybody else said, before or after the assistant", () => {
    const others = TRANSCRIPT_TAGS.filter((tag) => tag !== "AI").map((tag) => said(tag, COMPLETE_MARKER));
    const output: TranscriptEvent = { type: "tool_output", tool: { id: "t" }, text: COMPLETE_MARKER };
    expect(markerOf(...others, output)).toEqual({ type: "none" });
    expect(markerOf(...others, said("AI", "Not yet."), ...others, output)).toEqual({ type: "none" });
    expect(markerOf(said("AI", COMPLETE_MARKER), ...others, output)).toEqual({ type: "complete" });
  });

  test("of a final message decides alone, until the assistant says more", () => {
    const final = (text: string): TranscriptEvent => ({ type: "meta", meta: { kind: "final", text } });
    expect(markerOf(said("AI", COMPLETE_MARKER), final("Not yet."))).toEqual({ type: "none" });
    expect(markerOf(said("AI", "Hm."), final(COMPLETE_MARKER))).toEqual({ type: "complete" });
    expect(markerOf(final(COMPLETE_MARKER), said("AI", "One more thing."))).toEqual({ type: "none" });
  });

  test.each([
    ["<promise>BLOCKED: a database key</promise>", { type: "blocked", needs: "a database key" }],
    ["  \u001b[1m<promise>BLOCKED:  a key  </promise>\u001b[0m\r", { type: "blocked", needs: "a key" }],
    ["<promise>BLOCKED:</promise>", { type: "blocked", needs: "" }],
    ["<promise>BLOCKED</promise>", { type: "blocked", needs: "" }],
    ["<promise>BLOCKED: a</promise> and more", { type: "none" }],
    ["<promise>BLOCKED: a</promise><promise>BLOCKED: b</promise>", { type: "none" }],
  ] as const)("%j", (line, marker) => {
    expect(markerOf(said("AI", `I tried.\n${line}`))).toEqual(marker);
    expect(markerOf(said("TOOL", line))).toEqual({ type: "none" });
  });

  test("keeps what is needed of a line that is too long to keep", () => {
    const { type } = markerOf(said("AI", `<promise>BLOCKED: ${"x".repeat(100_000)}</promise>`));
    expect(type).toBe("blocked");
  });
});
