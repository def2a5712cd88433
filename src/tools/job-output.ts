import type { Tool } from "../protocol/tool-runs.ts";
import { defineTool, failedOutput, textOutput } from "./define-tool.ts";
import { integer, named, optional, text } from "./input-fields.ts";
import { jobDetails } from "./job-list.ts";
import type { LogPart } from "./job-log.ts";
import description from "./job-output.md" with { type: "text" };
import { type Job, type Jobs, jobStanding } from "./jobs.ts";
import { readableText } from "./readable-output.ts";
import type { ToolWorld } from "./tool-world.ts";

const LONGEST_WAIT_S = 60;

export function jobOutputTool(world: ToolWorld, jobs: Jobs): Tool {
  return defineTool({
    name: "job_output",
    aliases: ["bash_output"],
    description,
    fields: {
      job_id: named(text("Job"), "id"),
      since: optional(integer("Offset to go on from; default the newest output", { minimum: 0 })),
      wait: optional(integer("Seconds to wait for more", { minimum: 0, maximum: LONGEST_WAIT_S })),
    },
    isReadOnly: true,
    asks: () => [],
    async run({ job_id, since, wait = 0 }, { signal }) {
      const known = jobs.find(job_id);
      if (known === undefined) return failedOutput(unknownJob(job_id));
      await waitForNews(world, wait, (until) =>
        jobs.news(job_id, since ?? known.outputBytes, AbortSignal.any([until, signal])),
      );
      const job = jobs.find(job_id);
      const part = jobs.output(job_id, since);
      if (job === undefined || part === undefined) return failedOutput(unknownJob(job_id));
      return textOutput(shownPart(job, part), {
        ...jobDetails(job),
        offset: part.offset,
        next_offset: part.nextOffset,
      });
    },
  });
}

export function unknownJob(id: string): string {
  return `There is no job "${id}". job_list shows those there are.`;
}

async function waitForNews(world: ToolWorld, seconds: number, wait: (until: AbortSignal) => Promise<void>) {
  if (seconds === 0) return;
  const limit = new AbortController();
  const stopTimer = world.clock.timer(seconds * 1000, () => limit.abort());
  await wait(limit.signal);
  stopTimer();
}

function shownPart(job: Job, { bytes, offset, nextOffset, totalBytes }: LogPart): string {
  const output = readableText(new TextDecoder().decode(bytes), bytes.length);
  const before = offset > 0 ? [`[… ${offset} bytes before this; the whole is in ${job.log}]`] : [];
  const rest = totalBytes > nextOffset ? `, ${totalBytes - nextOffset} bytes more` : "";
  const standing = `${job.id}: ${jobStanding(job)} Next offset ${nextOffset}${rest}.`;
  return [...before, output === "" ? "(no output)" : output.replace(/\n$/, ""), standing].join("\n");
}
