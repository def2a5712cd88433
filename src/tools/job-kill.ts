import type { Tool } from "../protocol/tool-runs.ts";
import { defineTool, failedOutput, textOutput } from "./define-tool.ts";
import { named, text } from "./input-fields.ts";
import description from "./job-kill.md" with { type: "text" };
import { jobDetails } from "./job-list.ts";
import { unknownJob } from "./job-output.ts";
import { type Jobs, jobStanding } from "./jobs.ts";

export function jobKillTool(jobs: Jobs): Tool {
  return defineTool({
    name: "job_kill",
    aliases: ["kill_job", "kill_shell"],
    description,
    fields: { job_id: named(text("Job"), "id") },
    isReadOnly: false,
    asks: () => [],
    async run({ job_id }) {
      const job = await jobs.kill(job_id);
      if (job === undefined) return failedOutput(unknownJob(job_id));
      return textOutput(`${job.id}: ${jobStanding(job)}`, jobDetails(job));
    },
  });
}
