import { join } from "node:path";
import { type RunResult, runLoop, type VerdictEntry } from "../../loop/run/run-loop.ts";
import type { RunRequest, RunWorld } from "../../loop/run/run-request.ts";
import { runProcess } from "../../system/run-process.ts";
import { commandEnvironment } from "../../tools/command-environment.ts";
import { EXIT } from "../exit-codes.ts";
import type { RunContext } from "../run-context.ts";
import { onStopSignal } from "../stop-signals.ts";
import { askBeforeIteration, askOnViolation } from "./ask-between.ts";
import { type EndAtOnce, endAtOnce } from "./end-at-once.ts";
import { OptionProblem, type RunOptions, runOptions } from "./run-options.ts";
import { readRunRequest, readUnderstandRequest } from "./run-request.ts";
import { type LoopFace, openLoopFace } from "./show/loop-face.ts";
import { undoRun } from "./undo-run.ts";

/** `ralph run [N] [TASK]`: until the harness decides that it is over. */
export async function run(context: RunContext): Promise<number> {
  const options = runOptions(context);
  return told(context, async () => {
    if (options.isOn("undo")) return undoRun(context, options);
    return work(context, options, await readRunRequest(context, options));
  });
}

/** `ralph understand [N]`: a map of the project, and nothing else is changed. */
export async function understand(context: RunContext): Promise<number> {
  const options = runOptions(context);
  return told(context, async () => work(context, options, await readUnderstandRequest(context, options)));
}

async function told(context: RunContext, action: () => Promise<number>): Promise<number> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof OptionProblem)) throw error;
    context.note(error.message);
    return EXIT.usage;
  }
}

async function work(context: RunContext, options: RunOptions, request: RunRequest): Promise<number> {
  const face = await openLoopFace(context, options, request);
  const interrupt = new AbortController();
  let isInterrupted = false;
  const atOnce = endAtOnce();
  const release = onStopSignal((signal) => {
    isInterrupted = signal === "SIGINT";
    interrupt.abort();
  }, atOnce.kill);
  const result = await runLoop(request, worldOf(context, options, { face, atOnce, signal: interrupt.signal }));
  release();
  await face.close();
  if (!result.ok) {
    context.note(result.message);
    return EXIT.failed;
  }
  await announce(context, options, { request, verdict: result.verdict });
  return exitCode(result, isInterrupted);
}

function exitCode({ verdict }: Extract<RunResult, { ok: true }>, isInterrupted: boolean): number {
  if (verdict.verdict === "done") return EXIT.done;
  return isInterrupted && verdict.verdict === "stopped" ? EXIT.interrupted : EXIT.failed;
}

interface Watching {
  face: LoopFace;
  atOnce: EndAtOnce;
  signal: AbortSignal;
}

function worldOf(context: RunContext, options: RunOptions, { face, atOnce, signal }: Watching): RunWorld {
  const { clock, paths, environment, settings } = context;
  const asks = options.isOn("interactive") && process.stdin.isTTY === true;
  if (options.isOn("interactive") && !asks) context.note("-i asks in a terminal only; here nobody is asked.");
  return {
    clock,
    paths: { ...paths, signals: join(paths.data, "signals") },
    environment,
    checkEnvironment: commandEnvironment(environment, settings.values["shell.environment"]),
    tell: (news) => {
      atOnce.tell(news);
      face.tell(news);
    },
    ...(face.room && { room: face.room }),
    signal,
    ...(asks && { pause: askBeforeIteration(), onViolation: askOnViolation }),
  };
}

interface Ended {
  request: RunRequest;
  verdict: VerdictEntry;
}

const HOOK_SECONDS = 60;

/** A bell for whoever sits before the terminal, and the person's own command. */
async function announce(
  { environment, cwd, note }: RunContext,
  options: RunOptions,
  { request, verdict }: Ended,
): Promise<void> {
  if (process.stderr.isTTY && !options.isOn("json")) process.stderr.write("\u0007");
  const command = options.text("on-verdict");
  if (command === undefined) return;
  const { outcome } = await runProcess({
    argv: ["bash", "-c", command],
    cwd,
    environment: {
      ...environment,
      RALPH_TASK: request.task.name,
      RALPH_VERDICT: verdict.verdict,
      RALPH_REASON: verdict.reason,
    },
    onOutput: ({ bytes }) => process.stderr.write(bytes),
    deadlineMs: HOOK_SECONDS * 1000,
  }).result;
  if (outcome.type === "exited" && outcome.code === 0) return;
  note(`--on-verdict: the command did not succeed within ${HOOK_SECONDS} seconds.`);
}
