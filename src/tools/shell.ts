import type { CommandNeeds } from "../protocol/asks.ts";
import type { Tool, ToolContext, ToolOutput } from "../protocol/tool-runs.ts";
import { runProcess } from "../system/run-process.ts";
import { commandReport, SHOWN_BYTES } from "./command-report.ts";
import { confined, endOf } from "./confined-command.ts";
import { defineTool, failedOutput, textOutput } from "./define-tool.ts";
import { flag, integer, named, oneOf, optional, text } from "./input-fields.ts";
import type { Jobs } from "./jobs.ts";
import { outputArtifact } from "./output-artifact.ts";
import { outputUpdates } from "./output-updates.ts";
import { resolvePath } from "./resolve-path.ts";
import description from "./shell.md" with { type: "text" };
import { commandSummary } from "./shell-program.ts";
import type { ToolWorld } from "./tool-world.ts";

const DEFAULT_TIMEOUT_S = 120;
const LONGEST_TIMEOUT_S = 600;

export function shellTool(world: ToolWorld, jobs: Jobs): Tool {
  return defineTool({
    name: "shell",
    aliases: ["bash", "execute_bash", "run_command"],
    description,
    fields: {
      command: named(text(), "cmd"),
      working_dir: optional(named(text("Folder in the workspace"), "cwd")),
      timeout: optional(integer(`Seconds, default ${DEFAULT_TIMEOUT_S}`, { minimum: 1, maximum: LONGEST_TIMEOUT_S })),
      background: optional(named(flag("Start as a job"), "run_in_background")),
      needs: optional(oneOf(["network", "unsandboxed"])),
    },
    isReadOnly: false,
    asks: ({ command, working_dir, needs }) => [
      {
        category: "shell",
        resources: [command],
        summary: commandSummary(command) + inFolder(world, working_dir),
        cwd: placeOf(world, working_dir),
        ...(needs === undefined ? {} : { needs: { [needs]: true } }),
      },
    ],
    async run({ command, working_dir, timeout = DEFAULT_TIMEOUT_S, background }, context) {
      const directory = workingDirectory(world, working_dir);
      if ("message" in directory) return failedOutput(directory.message);
      const refused = await world.beforeShell?.();
      if (refused !== undefined) return failedOutput(refused.message);
      const stale = context.recheck?.();
      if (stale !== undefined) return failedOutput(`Not run: ${stale}.`);
      const { grant = {} } = context;
      if (background) return startJob(jobs, { command, cwd: directory.path, grant });
      return runCommand(world, { command, cwd: directory.path, grant, timeout }, context);
    },
  });
}

/** Where the command would run; a folder that is not one is refused before it does. */
function placeOf(world: ToolWorld, folder = "."): string {
  const place = resolvePath(world, folder);
  return place.ok ? place.path : world.root;
}

function inFolder(world: ToolWorld, folder = "."): string {
  const place = resolvePath(world, folder);
  return !place.ok || place.shown === "." ? "" : ` (in ${place.shown})`;
}

function workingDirectory(world: ToolWorld, folder = "."): { path: string } | { message: string } {
  const place = resolvePath(world, folder);
  if (!place.ok) return place;
  if (!place.isInside) {
    return {
      message: `working_dir ${folder} is outside the workspace. Give a folder in ${world.root}, or leave it out.`,
    };
  }
  return place.kind === "directory" ? place : { message: `working_dir ${folder} is not a directory.` };
}

interface Command {
  command: string;
  cwd: string;
  grant: CommandNeeds;
  timeout: number;
}

async function runCommand(world: ToolWorld, { timeout, ...wanted }: Command, context: ToolContext) {
  const wrapped = await confined(world, wanted);
  if (!wrapped.ok) return failedOutput(wrapped.message);
  const name = `${world.artifactPrefix ?? ""}shell-${crypto.randomUUID()}.txt`;
  const artifact = outputArtifact({ folder: world.artifacts, name, spillAfter: SHOWN_BYTES });
  const updates = outputUpdates(world.clock, context.update);
  const { result } = runProcess({
    ...wrapped,
    cwd: wanted.cwd,
    openableStreams: true,
    capBytes: SHOWN_BYTES,
    deadlineMs: timeout * 1000,
    signal: context.signal,
    onOutput: (piece) => {
      artifact.add(piece.bytes);
      updates.add(piece);
    },
  });
  const finished = await result;
  updates.close();
  const printed = endOf(finished.stdout, finished.stderr);
  return commandReport(finished, artifact.close(), wrapped.remarks(finished.outcome, printed));
}

async function startJob(jobs: Jobs, command: Omit<Command, "timeout">): Promise<ToolOutput> {
  const started = await jobs.start(command);
  if (!started.ok) return failedOutput(started.message);
  const { id, pid, log } = started.job;
  return textOutput(
    `Started ${id} (pid ${pid}). Its output goes to ${log}; read it with job_output, end it with job_kill.`,
    {
      job_id: id,
      pid: pid ?? null,
      log,
    },
  );
}
