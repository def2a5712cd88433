import type { Story } from "../../protocol/loop-tasks.ts";

type Waiting = Pick<Story, "id" | "dependsOn">;

/** A way through the dependencies that comes back to where it began, like a, b, a; undefined where there is none. */
export function findCycle(stories: readonly Waiting[]): string[] | undefined {
  const byId = new Map(stories.map((story) => [story.id, story]));
  const settled = new Set<string>();
  for (const { id } of stories) {
    const cycle = settled.has(id) ? undefined : cycleFrom(id, byId, settled);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/** Without recursion: a chain may be as long as the list. */
function cycleFrom(start: string, byId: ReadonlyMap<string, Waiting>, settled: Set<string>): string[] | undefined {
  const trail = [{ id: start, next: 0 }];
  const onTrail = new Set([start]);
  for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
    const id = byId.get(top.id)?.dependsOn[top.next++];
    if (id === undefined) {
      settled.add(top.id);
      onTrail.delete(top.id);
      trail.pop();
    } else if (onTrail.has(id)) {
      const ids = trail.map((step) => step.id);
      return [...ids.slice(ids.indexOf(id)), id];
    } else if (!settled.has(id) && byId.has(id)) {
      trail.push({ id, next: 0 });
      onTrail.add(id);
    }
  }
  return undefined;
}
