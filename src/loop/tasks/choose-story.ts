import type { Story } from "../../protocol/loop-tasks.ts";

export type StoryChoice<Candidate> =
  | { type: "story"; story: Candidate }
  /** Stories are open and each waits for another one that is. */
  | { type: "blocked"; blocked: readonly { story: Candidate; waitsFor: readonly string[] }[] }
  | { type: "all-pass" };

type Candidate = Pick<Story, "id" | "priority" | "passes" | "dependsOn">;

/** The open story with the lowest number among those that wait for nothing; of equal ones the first in the file. */
export function chooseStory<Some extends Candidate>(stories: readonly Some[]): StoryChoice<Some> {
  const passed = new Set(stories.filter(({ passes }) => passes).map(({ id }) => id));
  const open = stories.filter(({ passes }) => !passes);
  const waiting = open.map((story) => ({ story, waitsFor: story.dependsOn.filter((id) => !passed.has(id)) }));
  const [first, ...others] = waiting.filter(({ waitsFor }) => waitsFor.length === 0).map(({ story }) => story);
  if (first !== undefined) {
    return {
      type: "story",
      story: others.reduce((best, next) => (next.priority < best.priority ? next : best), first),
    };
  }
  return open.length === 0 ? { type: "all-pass" } : { type: "blocked", blocked: waiting };
}
