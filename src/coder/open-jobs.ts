import type { ListedJob } from "../protocol/methods.ts";
import { type Job, type Jobs, jobStanding } from "../tools/jobs.ts";

/** Commands that run beside the conversation, as the methods see them. */
export interface OpenJobs {
  list(): ListedJob[];
  read(id: string): { job: ListedJob; output: string } | undefined;
  /** Resolves when all its processes are gone. */
  end(id: string): Promise<ListedJob | undefined>;
}

const MOST_OUTPUT = 20_000;

export function openJobs(jobs: Jobs): OpenJobs {
  return {
    list: () => jobs.list().map(listedJob),
    read(id) {
      const job = jobs.find(id);
      const output = jobs.output(id);
      if (job === undefined || output === undefined) return undefined;
      return { job: listedJob(job), output: new TextDecoder().decode(output.bytes).slice(-MOST_OUTPUT) };
    },
    async end(id) {
      const job = await jobs.kill(id);
      return job === undefined ? undefined : listedJob(job);
    },
  };
}

function listedJob(job: Job): ListedJob {
  const { id, command, startedAt, ended, log } = job;
  return { id, command, startedAt, isRunning: ended === undefined, standing: jobStanding(job), log };
}
