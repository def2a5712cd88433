import { rmSync } from "node:fs";
import { join, relative } from "node:path";
import type { Story } from "../../protocol/loop-tasks.ts";
import type { InvokeOptions, RunnerName } from "../runners/runner.ts";
import { iterationLog } from "../state/loop-folder.ts";
import { readAgentsFiles } from "../tasks/agents-files.ts";
import { renderPrompt } from "../tasks/render-prompt.ts";
import { ADAPTERS } from "../transcripts/adapters.ts";
import { isInWorktree, type LiveRun } from "./live-run.ts";
import { lendOwnFiles } from "./own-files.ts";
import { type WatchedAgent, watchAgent } from "./watch-agent.ts";

export interface AgentJob {
  story: Story;
  runner: RunnerName;
  iteration: number;
  injected: readonly string[];
}

/** Gives a story to an agent and stays with it to the end. */
export async function employAgent(run: LiveRun, job: AgentJob): Promise<WatchedAgent> {
  const { request, world, steering, journal, root } = run;
  const runner = request.runners[job.runner];
  if (runner === undefined) throw new Error(`There is no runner ${job.runner}.`);
  const options = invokeOptions(run, job);
  const invocation = runner.invoke(options);
  if (invocation.finalMessageFile !== undefined) rmSync(invocation.finalMessageFile, { force: true });
  run.latest = { runner, options };
  if (isInWorktree(run)) lendOwnFiles(run.own, root);
  const { result, cause } = await steering.interruptible((signal) =>
    watchAgent({
      invocation,
      adapter: ADAPTERS[request.transcript ?? invocation.transcript],
      iteration: job.iteration,
      prompt: options.prompt,
      echo: request.echo,
      prices: request.prices,
      tell: world.tell,
      room: world.room,
      root,
      environment: agentEnvironment(run, job.story),
      logFile: iterationLog(run.folder, job.iteration),
      signalFile: join(run.runFolder, "agent.signal"),
      idleMs: request.idleSeconds * 1000,
      deadlineMs: request.iterationSeconds * 1000,
      signal,
      onStarted: async ({ pid, started }) => {
        const entry = { iteration: job.iteration, pid, mark: run.id, ...(started && { started }) };
        await journal.append({ type: "agent-started", ...entry }).catch(() => steering.stop());
      },
      now: () => world.clock.now(),
    }),
  );
  run.latest = { runner, options, ...(result.session !== undefined && { session: result.session }) };
  return cause === undefined ? result : { ...result, ending: { type: cause } };
}

export function invokeOptions(run: LiveRun, { story, runner, iteration, injected }: AgentJob): InvokeOptions {
  const { request, root, runFolder, own } = run;
  const inWorktree = (path: string, way: string | undefined) => (isInWorktree(run) && way ? join(root, way) : path);
  const feedback = run.feedback.get(story.id);
  const { task } = run.trusted;
  const instructions = readAgentsFiles({ root, task: placeInWorktree(run, task.directory) });
  const prompt = renderPrompt({
    template: request.template,
    task: {
      ...task,
      directory: placeInWorktree(run, task.directory),
      file: inWorktree(task.file, own.prdInRoot),
      branchName: run.journal.state().run?.branch,
    },
    instructions: instructions.filter(
      ({ path }) => !(request.runners[runner]?.readsAgentsFile && path === "AGENTS.md"),
    ),
    ...(request.kind === "run"
      ? { story }
      : { mapFile: join(placeInWorktree(run, task.directory), "codebase_map.md") }),
    progressFile: inWorktree(own.progress, own.progressInRoot),
    agent: runner,
    iteration,
    injected,
    ...(feedback && { feedback }),
  });
  const model = request.model ?? story.model ?? task.model;
  return {
    prompt,
    root,
    isRepository: run.isRepository,
    ...(model !== undefined && { model }),
    ...(request.effort !== undefined && { effort: request.effort }),
    yolo: request.yolo,
    checkCommands: story.checks.flatMap((check) => (check.type === "run" ? [check.run] : [])),
    finalMessageFile: join(runFolder, "final-message.txt"),
    promptFile: join(runFolder, "prompt.md"),
  };
}

/** Where the agent finds a folder of the repository. */
function placeInWorktree({ request, root }: LiveRun, folder: string): string {
  const way = relative(request.root, folder);
  return way.startsWith("..") ? folder : join(root, way);
}

function agentEnvironment(run: LiveRun, story: Story): Record<string, string | undefined> {
  const { world, id, trusted } = run;
  return {
    ...world.environment,
    RALPH_LOOP_MARK: id,
    RALPH_TASK_DIR: placeInWorktree(run, trusted.task.directory),
    RALPH_STORY: story.id,
  };
}
