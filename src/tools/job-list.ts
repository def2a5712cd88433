import type { Tool } from "../protocol/tool-runs.ts";
import { defineTool, textOutput } from "./define-tool.ts";
import description from "./job-list.md" with { type: "text" };
import { type Job, type Jobs, jobStanding } from "./jobs.ts";
import { commandSummary } from "./shell-program.ts";

export function jobListTool(jobs: Jobs): Tool {
  return defineTool({
    name: "job_list",
    aliases: ["list_jobs"],
    description,
    fields: {},
    isReadOnly: true,
    asks: () => [],
    async run() {
      const all = jobs.list();
      const lines = all.map((job) => `${job.id}  ${commandSummary(job.command)}  ${jobStanding(job)}`);
      return textOutput(all.length === 0 ? "No job was started." : lines.join("\n"), { jobs: all.map(jobDetails) });
    },
  });
}

export function jobDetails(job: Job) {
  return {
    job_id: job.id,
    command: job.command,
    pid: job.pid ?? null,
    running: job.ended === undefined,
    exit_code: job.ended?.outcome.type === "exited" ? job.ended.outcome.code : null,
    output_bytes: job.outputBytes,
    log: job.log,
  };
}
