import type { Cheat } from "../../protocol/loop-entries.ts";
import type { Story } from "../../protocol/loop-tasks.ts";
import type { LiveRun } from "./live-run.ts";

/** Stores what was found of the iteration's agent, each once: after a kill the same is found again. */
export async function nameCheats({ journal }: LiveRun, story: Story, cheats: readonly Cheat[]): Promise<void> {
  const { iteration } = journal.state().iteration ?? {};
  if (iteration === undefined) return;
  for (const cheat of cheats) {
    const isKnown = journal.state().cheats.some(({ kind, detail }) => kind === cheat.kind && detail === cheat.detail);
    if (!isKnown) await journal.append({ type: "cheat", iteration, story: story.id, ...cheat });
  }
}
