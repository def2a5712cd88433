import type { ListedJob } from "../../protocol/methods.ts";
import { chooseDialog } from "../dialogs/choose.ts";
import { tellFailure } from "./agent-commands.ts";
import type { CommandHost, SlashCommand } from "./command-host.ts";

// Commands of the shell: one of the person, and those that run beside the conversation.

export const JOB_COMMANDS: readonly SlashCommand[] = [
  { name: "run", usage: "command", description: "run a command yourself, as !command does; the model is told", run },
  { name: "jobs", usage: "[id]", description: "commands that run beside the conversation", run: jobs },
];

async function run(host: CommandHost, command: string): Promise<void> {
  if (command === "") return host.say("Write the command behind it: `!git status`. It runs with all your rights.");
  const answer = await host.agent.call("run_command", { command });
  if (!answer.ok) return host.say(`**Not run:** ${answer.error.message}`);
  const { output, ending, artifact } = answer.result;
  const shown = lastLines(output);
  const printed = shown === "" ? "" : `\n\n${fenced(shown)}`;
  const isCut = artifact !== undefined || shown !== output.trimEnd();
  const whole = isCut && artifact !== undefined ? ` All of it: ${inline(artifact)}` : "";
  host.say(`${inline(`$ ${firstLine(command)}`)} ${ending}${whole}${printed}`);
}

async function jobs(host: CommandHost, rest: string): Promise<void> {
  if (rest !== "") return showJob(host, rest);
  const answer = await host.agent.call("list_jobs", {});
  tellFailure(host, answer);
  if (!answer.ok) return;
  if (answer.result.jobs.length === 0) return host.say("No command runs beside the conversation.");
  host.open(
    chooseDialog<ListedJob>({
      title: "Jobs",
      emptyText: "nothing fits",
      items: answer.result.jobs.toReversed().map((job) => ({
        value: job,
        label: `${job.id}  ${firstLine(job.command)}`,
        description: job.standing,
      })),
      onChoose(job) {
        host.closeDialog();
        void showJob(host, job.id);
      },
      other: {
        action: "end it",
        onChoose(job) {
          host.closeDialog();
          void endJob(host, job.id);
        },
      },
      onCancel: () => host.closeDialog(),
    }),
  );
}

async function showJob(host: CommandHost, jobId: string): Promise<void> {
  const answer = await host.agent.call("read_job", { jobId });
  tellFailure(host, answer);
  if (!answer.ok) return;
  const { job, output } = answer.result;
  const shown = lastLines(output);
  const printed = shown === "" ? "It has printed nothing." : fenced(shown);
  host.say(
    `**${job.id}** ${inline(firstLine(job.command))}: ${job.standing} All of it: ${inline(job.log)}\n\n${printed}`,
  );
}

async function endJob(host: CommandHost, jobId: string): Promise<void> {
  const answer = await host.agent.call("end_job", { jobId });
  tellFailure(host, answer);
  if (answer.ok) host.hint(`${jobId}: ${answer.result.job.standing}`);
}

const SHOWN_LINES = 20;

function lastLines(output: string): string {
  return output.trimEnd().split("\n").slice(-SHOWN_LINES).join("\n");
}

/** A fence longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function inline(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const ticks = "`".repeat(longest + 1);
  const gap = longest > 0 ? " " : "";
  return `${ticks}${gap}${text}${gap}${ticks}`;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
