import { collectOutput } from "../system/capped-output.ts";
import { type ProcessOutcome, runProcess } from "../system/run-process.ts";
import { commandEnvironment } from "./command-environment.ts";
import { endingInWords, SHOWN_BYTES } from "./command-report.ts";
import { outputArtifact } from "./output-artifact.ts";
import { readableOutput } from "./readable-output.ts";
import { shellProgram } from "./shell-program.ts";
import type { ToolWorld } from "./tool-world.ts";

/** What a command of the person did. Both streams as they came, head and tail of what is long. */
export interface PersonCommandResult {
  output: string;
  /** How it ended, in words. */
  ending: string;
  /** Absent where it did not end by itself. */
  exitCode?: number;
  isStopped: boolean;
  isTruncated: boolean;
  /** The file with everything it printed. */
  artifact?: string;
}

export interface PersonCommandOptions {
  world: Pick<ToolWorld, "root" | "environment" | "environmentNames" | "artifacts" | "artifactPrefix">;
  signal: AbortSignal;
  deadlineMs?: number;
}

const DEADLINE_MS = 60 * 60_000;

/**
 * Runs a command the person gave, with their own rights: nobody is asked and no sandbox confines it. It gets the environment
 * commands of the model get, because the model is told what it printed.
 */
export async function runPersonCommand(
  command: string,
  { world, signal, deadlineMs = DEADLINE_MS }: PersonCommandOptions,
): Promise<PersonCommandResult> {
  const environment = commandEnvironment(world.environment, world.environmentNames);
  const name = `${world.artifactPrefix ?? ""}command-${crypto.randomUUID()}.txt`;
  const artifact = outputArtifact({ folder: world.artifacts, name, spillAfter: SHOWN_BYTES });
  const printed = collectOutput(SHOWN_BYTES);
  const { result } = runProcess({
    argv: shellProgram(command, environment),
    environment,
    cwd: world.root,
    openableStreams: true,
    capBytes: 0,
    deadlineMs,
    signal,
    onOutput: ({ bytes }) => {
      artifact.add(bytes);
      printed.add(bytes);
    },
  });
  const { outcome, leftover } = await result;
  const kept = artifact.close();
  const output = printed.output();
  return {
    output: readableOutput(output),
    ending: `${endOf(outcome)}${leftover ? " It left processes running; they were ended." : ""}`,
    ...(outcome.type === "exited" ? { exitCode: outcome.code } : {}),
    isStopped: outcome.type === "aborted",
    isTruncated: output.droppedBytes > 0,
    ...(kept === undefined ? {} : { artifact: kept.path }),
  };
}

function endOf(outcome: ProcessOutcome): string {
  return outcome.type === "timed-out"
    ? `The command was ended with all its processes: it ran longer than ${outcome.afterMs / 1000} s.`
    : endingInWords(outcome);
}
