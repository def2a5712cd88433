import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { chooseStory } from "../../../src/loop/tasks/choose-story.ts";

const story = (id: string, priority: number, rest: { passes?: boolean; dependsOn?: string[] } = {}) => ({
  id,
  priority,
  passes: false,
  dependsOn: [] as string[],
  ...rest,
});

describe("the next story", () => {
  test("is the open one with the lowest number, the first of equal ones", () => {
    const [a, b, c] = [story("a", 2), story("b", 1), story("c", 1)];
    expect(chooseStory([a, b, c])).toEqual({ type: "story", story: b });
    expect(chooseStory([a, { ...b, passes: true }, c])).toEqual({ type: "story", story: c });
  });

  test("waits for those it depends on", () => {
    const [a, b] = [story("a", 1, { dependsOn: ["b"] }), story("b", 2)];
    expect(chooseStory([a, b])).toEqual({ type: "story", story: b });
    expect(chooseStory([a, { ...b, passes: true }])).toEqual({ type: "story", story: a });
  });

  test("is none where all pass, and who waits for what is said where none can be begun", () => {
    expect(chooseStory([story("a", 1, { passes: true })])).toEqual({ type: "all-pass" });
    expect(chooseStory([])).toEqual({ type: "all-pass" });
    const [a, b] = [story("a", 1, { dependsOn: ["b"] }), story("b", 1, { dependsOn: ["a", "gone"] })];
    expect(chooseStory([a, b])).toEqual({
      type: "blocked",
      blocked: [
        { story: a, waitsFor: ["b"] },
        { story: b, waitsFor: ["a", "gone"] },
      ],
    });
  });

  test("is always open and ready, and no other that is both comes before it", () => {
    const any = fc
      .array(fc.tuple(fc.integer({ min: -2, max: 2 }), fc.boolean(), fc.array(fc.nat(5), { maxLength: 2 })), {
        maxLength: 6,
      })
      .map((rows) =>
        rows.map(([priority, passes, needs], index) =>
          story(String(index), priority, { passes, dependsOn: needs.map(String) }),
        ),
      );
    fc.assert(
      fc.property(any, (stories) => {
        const passed = stories.filter(({ passes }) => passes).map(({ id }) => id);
        const ready = stories.filter(
          ({ passes, dependsOn }) => !passes && dependsOn.every((id) => passed.includes(id)),
        );
        const first = ready.toSorted((one, other) => one.priority - other.priority)[0];
        const choice = chooseStory(stories);
        expect(choice.type === "story" ? choice.story : undefined).toEqual(first);
        expect(choice.type === "all-pass").toBe(passed.length === stories.length);
      }),
    );
  });

  test("after the next brings every story of a list without rings to its end", () => {
    const any = fc.array(fc.tuple(fc.nat(3), fc.array(fc.nat(9), { maxLength: 3 })), { maxLength: 10 });
    fc.assert(
      fc.property(any, (rows) => {
        const stories = rows.map(([priority, needs], index) =>
          story(String(index), priority, { dependsOn: needs.filter((need) => need < index).map(String) }),
        );
        for (let done = 0; done < rows.length; done++) {
          const choice = chooseStory(stories);
          if (choice.type === "story") choice.story.passes = true;
        }
        expect(chooseStory(stories)).toEqual({ type: "all-pass" });
      }),
    );
  });
});
