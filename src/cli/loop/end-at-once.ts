import type { TellNews } from "../../loop/loop-news.ts";
import { killMarked } from "../../system/end-marked.ts";

export interface EndAtOnce {
  /** Has to see every entry. */
  tell: TellNews;
  /** Kills the run's agent and whatever else carries its mark, without waiting for any of it. */
  kill(): void;
}

/** For a person who does not want to wait: the process ends right after, and nothing of its run may stay. */
export function endAtOnce(): EndAtOnce {
  let run: string | undefined;
  let agent: number | undefined;
  return {
    tell(news) {
      if (news.type !== "entry") return;
      const { entry } = news;
      if (entry.type === "run-started" || entry.type === "run-resumed") run = entry.run;
      if (entry.type === "agent-started") agent = entry.pid;
      if (entry.type === "agent-ended") agent = undefined;
    },
    kill() {
      if (agent !== undefined) killGroup(agent);
      if (run !== undefined) killMarked(`RALPH_LOOP_MARK=${run}`);
    },
  };
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // it has ended meanwhile
  }
}
