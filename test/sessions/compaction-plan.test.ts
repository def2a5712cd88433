import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Message } from "../../src/protocol/messages.ts";
import { cutPlaces, planCut } from "../../src/sessions/compaction/compaction-cut.ts";
import {
  type CompactionSettings,
  heldAt,
  isDue,
  sizeReason,
  thresholdsFor,
} from "../../src/sessions/compaction/compaction-trigger.ts";
import { headAndTail } from "../../src/sessions/compaction/head-and-tail.ts";
import { historyView } from "../../src/sessions/compaction/history-view.ts";
import { gatherPins, type PinOptions, pinnedParts } from "../../src/sessions/compaction/pins.ts";
import { isPrunable, PRUNE_TO, prunedMessage } from "../../src/sessions/compaction/prune-results.ts";
import { contextSize, messageTokens, mostTokens } from "../../src/sessions/compaction/token-estimate.ts";
import { foldContext } from "../../src/sessions/context.ts";
import { anyConversation, NO_COUNT, toolLoop, uncounted } from "../support/long-conversations.ts";
import { isProviderValid } from "../support/provider-validity.ts";
import { answer, call, chain, result, said, user } from "../support/session-samples.ts";

const SETTINGS: CompactionSettings = {
  triggerPercent: 75,
  targetPercent: 35,
  keepMessages: 10,
  reserveTokens: 16_000,
  atPriceTier: false,
  server: "auto",
};
const TIERS = {
  input: 1,
  output: 1,
  cacheRead: 1,
  cacheWrite: 1,
  tiers: [{ above: 128_000, input: 2, output: 2, cacheRead: 2, cacheWrite: 2 }],
};

describe("the size of a conversation", () => {
  const counted = { ...answer("ok"), usage: { input: 900, output: 50, cacheRead: 40, cacheWrite: 10 } };

  test("is what the provider counted, and four bytes a token for what came after", () => {
    const branch = chain(said(user("a".repeat(3996))), said(counted), said(user("b".repeat(400))));
    expect(contextSize(branch, 0)).toEqual({ tokens: 950 + 50 + 100, factor: 1000 / 1000 });
    expect(contextSize(branch.slice(0, 1), 25)).toEqual({ tokens: 999 + 25, factor: 1 });
  });

  test("after a compaction is not what an older answer says", () => {
    const branch = chain(
      said(user("x".repeat(4000))),
      said({ ...counted, usage: { ...counted.usage, input: 150_000 } }),
      { type: "compaction", summary: "s", firstKeptId: "e2", tokensBefore: 150_000, tokensAfter: 70 },
      said(user("b".repeat(400))),
    );
    expect(contextSize(branch, 0).tokens).toBe(170);
    expect(mostTokens(foldContext(branch).messages, 0)).toBe(150_100 + 100);
  });

  test("of a picture is a fixed sum, and a count that cannot be true is not believed", () => {
    expect(
      messageTokens({ role: "user", content: [{ type: "image", mediaType: "image/png", data: "A".repeat(9999) }] }),
    ).toBe(1600);
    const branch = chain(said(user("x".repeat(40_000))), said({ ...counted, usage: { ...NO_COUNT, input: 3 } }));
    expect(contextSize(branch, 0)).toEqual({ tokens: 5001, factor: 0.5 });
  });
});

describe("compaction begins", () => {
  const due = (tokens: number, held?: number) =>
    isDue(tokens, thresholdsFor(SETTINGS, { contextWindow: 200_000 }), held);

  test("at 75 % of the window, and says so with numbers", () => {
    const thresholds = thresholdsFor(SETTINGS, { contextWindow: 200_000 });
    expect(thresholds).toEqual({
      window: 200_000,
      trigger: 150_000,
      begins: "75 %",
      target: 70_000,
      roomy: 130_000,
      limit: 190_000,
      growth: 10_000,
    });
    expect([due(149_999), due(150_000)]).toEqual([false, true]);
    expect(sizeReason(151_000, thresholds)).toBe(
      "the conversation is at 151,000 of 200,000 tokens; compaction begins at 75 %",
    );
  });

  test("earlier where the answer needs the room, or where tokens get dearer and a setting says that counts", () => {
    const late = thresholdsFor({ ...SETTINGS, triggerPercent: 95, reserveTokens: 32_000 }, { contextWindow: 200_000 });
    expect([late.trigger, late.begins]).toEqual([168_000, "168,000, which leaves 32,000 for the answer"]);
    const cheap = thresholdsFor({ ...SETTINGS, atPriceTier: true }, { contextWindow: 200_000, cost: TIERS });
    expect([cheap.trigger, cheap.begins]).toEqual([128_000, "128,000, where tokens get dearer"]);
    expect(thresholdsFor(SETTINGS, { contextWindow: 200_000, cost: TIERS }).trigger).toBe(150_000);
  });

  test("with a target below it, also in a tiny window and with a target that makes no sense", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: 2_000_000 }),
        fc.integer({ min: 10, max: 95 }),
        fc.integer({ min: 5, max: 90 }),
        (contextWindow, triggerPercent, targetPercent) => {
          const { trigger, target, limit } = thresholdsFor(
            { ...SETTINGS, triggerPercent, targetPercent },
            { contextWindow },
          );
          expect(target).toBeLessThan(trigger);
          expect(trigger).toBeLessThanOrEqual(Math.max(limit, 1));
        },
      ),
    );
  });

  test("not again before the conversation has grown, unless it reaches the limit for the first time", () => {
    expect([due(155_000, 152_000), due(162_000, 152_000), due(191_000, 185_000), due(191_000, 190_500)]).toEqual([
      false,
      true,
      true,
      false,
    ]);
    const failed = { type: "compaction-failed" as const, reason: "r", tokens: 7 };
    expect(heldAt(chain(said(user("a")), failed, said(user("b"))))).toBe(7);
    const pruned = { type: "pruned" as const, entryIds: [], keep: 1, tokensBefore: 1, tokensAfter: 1 };
    expect([heldAt(chain(failed, pruned)), heldAt([])]).toEqual([undefined, undefined]);
  });
});

describe("the cut", () => {
  const items = (messages: Message[]) => historyView(chain(...messages.map(said))).items;
  const options = { keepMessages: 10, wanted: 1000, most: 3000, tokensOf: messageTokens };

  test("is never between a call and its result, whatever is asked for", () => {
    fc.assert(
      fc.property(
        anyConversation,
        fc.nat(20),
        fc.nat(20_000),
        fc.boolean(),
        (drafts, keepMessages, wanted, byCount) => {
          const { items: all } = historyView(chain(...drafts));
          const cut = planCut(all, { keepMessages, wanted, most: wanted * 2, tokensOf: messageTokens, byCount });
          if (cut === undefined) return;
          const [before, after] = [all.slice(0, cut.place), all.slice(cut.place)].map((part) =>
            part.map(({ message }) => message),
          );
          expect(isProviderValid(before ?? [])).toBe(true);
          expect(isProviderValid([user("s"), ...(after ?? [])])).toBe(true);
          expect(cut.place).toBeGreaterThanOrEqual(3);
        },
      ),
    );
  });

  test("keeps what fits, at least ten messages, and fewer where those alone are too large", () => {
    expect(planCut(items(toolLoop(40, 200)), options)).toEqual({ firstKeptId: "e48", place: 47 });
    expect(planCut(items(toolLoop(40, 1000)), options)).toEqual({ firstKeptId: "e72", place: 71 });
    expect(planCut(items(toolLoop(40, 3000)), options)).toEqual({ firstKeptId: "e80", place: 79 });
    expect(planCut(items(toolLoop(1, 90_000)), options)).toBeUndefined();
  });

  test("may follow a call that never got a result", () => {
    const broken = [user("a"), answer("", call("x")), user("b"), answer("c")];
    expect(cutPlaces(items(broken))).toEqual([0, 1, 2, 3]);
    const late = [user("a"), answer("", call("x")), user("b"), result("x"), answer("c")];
    expect(cutPlaces(items(late))).toEqual([0, 1, 4]);
  });
});

describe("pruning", () => {
  test("leaves the beginning and the end of a long result and says how much is gone", () => {
    const long = result("a", `${"h".repeat(5000)}${"t".repeat(5000)}`);
    const [part] = prunedMessage(long, PRUNE_TO).content;
    expect(part).toEqual({
      type: "text",
      text: `${"h".repeat(1334)}\n[… 8,000 characters left out: the whole output is in the session …]\n${"t".repeat(666)}`,
    });
  });

  test("replaces pictures by a line and touches nothing else", () => {
    const picture = { type: "image" as const, mediaType: "image/png", data: "AAAA" };
    const shot: Message = {
      role: "tool-result",
      toolCallId: "a",
      toolName: "read_file",
      content: [picture],
      isError: false,
    };
    expect(prunedMessage(shot, PRUNE_TO).content).toEqual([{ type: "text", text: "[image/png left out]" }]);
    for (const message of [user("u".repeat(9000)), answer("a".repeat(9000)), result("a", "r".repeat(2100))])
      expect(prunedMessage(message, PRUNE_TO)).toBe(message);
  });

  test("is monotone: a result never gets longer, and pruning it again changes nothing", () => {
    fc.assert(
      fc.property(
        anyConversation,
        fc.array(fc.record({ keep: fc.constantFrom(200, 2000), ids: fc.array(fc.nat(40)) }), { maxLength: 5 }),
        (drafts, steps) => {
          let branch = chain(...drafts);
          let before = foldContext(branch).messages.map(messageTokens);
          for (const { keep, ids } of steps) {
            const entryIds = ids.map((id) => `e${id}`);
            branch = chain(...branch, { type: "pruned", entryIds, keep, tokensBefore: 0, tokensAfter: 0 });
            const messages = foldContext(branch).messages;
            const after = messages.map(messageTokens);
            expect(after.every((tokens, index) => tokens <= (before[index] ?? 0))).toBe(true);
            before = after;
          }
          for (const { message } of historyView(branch).items)
            if (isPrunable(message, 200))
              expect(prunedMessage(prunedMessage(message, 200), 200)).toEqual(prunedMessage(message, 200));
        },
      ),
    );
  });

  test("never cuts a character in two", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 100, maxLength: 400 }), fc.nat(300), (text, keep) => {
        expect(headAndTail(text, keep, "why").isWellFormed()).toBe(true);
      }),
    );
  });
});

describe("pins", () => {
  const options: PinOptions = {
    firstKeptId: "none",
    budget: 8000,
    openWork: "",
    readings: {
      isRequest: () => true,
      isQuestion: (name) => name === "ask_user",
      questionOf: ({ name, input }) => (name === "ask_user" ? String(input.question) : undefined),
      isRefusal: ({ isError }) => isError,
      changedFile: ({ name }) => (name === "edit_file" ? "a.ts" : undefined),
    },
  };
  const question = { ...call("q", "ask_user"), input: { question: "Which?" } };
  const refused: Message = { ...result("r", "Not run: no."), isError: true } as Message;
  const history = [
    user("first"),
    answer("", question),
    result("q", "the blue one"),
    answer("", call("r"), call("f", "edit_file")),
    refused,
    result("f"),
    user("second"),
    user("third"),
    answer("done"),
    user("kept"),
  ];
  const textsOf = (over: Partial<PinOptions>) =>
    gatherPins(chain(...history.map(said)), { ...options, ...over }).map(({ kind, content }) => [
      kind,
      ...content.map((part) => (part.type === "text" ? part.text : part.mediaType)),
    ]);

  test("are the requests, decisions, changed files and open work of what is left out", () => {
    expect(textsOf({ firstKeptId: "e9", openWork: "[ ] 1. test" })).toEqual([
      ["goal", "first"],
      ["earlier-request", "second"],
      ["earlier-request", "third"],
      ["decision", "Asked: Which?\nAnswered: the blue one"],
      ["decision", 'Refused: bash {"command":"ls"}\nNot run: no.'],
      ["changed-files", "a.ts"],
      ["open-work", "[ ] 1. test"],
    ]);
  });

  test("name the latest request where it is left out, too", () => {
    const branch = chain(...history.slice(0, 9).map(said), said(answer("more")));
    const pins = gatherPins(branch, { ...options, firstKeptId: "e10" });
    expect(pins.at(-1)).toEqual({ kind: "latest-request", content: [{ type: "text", text: "third" }] });
    expect(pins.map(({ kind }) => kind)).toEqual([
      "goal",
      "earlier-request",
      "decision",
      "decision",
      "changed-files",
      "latest-request",
    ]);
  });

  test("stand in the entry with their own bytes, and never outgrow their budget", () => {
    fc.assert(
      fc.property(anyConversation, fc.nat(60), fc.integer({ min: 0, max: 8000 }), (drafts, place, budget) => {
        const branch = chain(...drafts);
        const firstKeptId = branch[Math.min(place, branch.length - 1)]?.id ?? "";
        const pins = gatherPins(branch, { ...options, firstKeptId, budget, openWork: "w".repeat(9000) });
        const size = messageTokens({ role: "user", content: pins.flatMap(({ content }) => content) });
        expect(size).toBeLessThanOrEqual(budget);
        const parts = pinnedParts(pins);
        for (const { content } of pins) for (const part of content) expect(parts).toContain(part);
        const goal = pins.find(({ kind }) => kind === "goal");
        if (goal !== undefined) expect(goal.content).toEqual([{ type: "text", text: "the goal" }]);
      }),
    );
  });

  test("have the beginning and the end of a request that is too long, and where the whole is", () => {
    const branch = chain(said(user(`begin${"m".repeat(50_000)}end`)), said(uncounted(answer("a"))), said(user("x")));
    const [goal] = gatherPins(branch, { ...options, firstKeptId: "e3", budget: 1000 });
    const [part] = goal?.content ?? [];
    expect(part).toMatchObject({ type: "text" });
    expect(part?.type === "text" && part.text.length).toBeLessThan(1600);
    expect(JSON.stringify(part)).toMatch(/begin.*the whole request is entry e1 of the session.*end/);
  });
});
