import type { ToolOutput } from "../protocol/tool-runs.ts";
import type { ProcessOutcome, ProcessResult } from "../system/run-process.ts";
import type { ArtifactState } from "./output-artifact.ts";
import { readableOutput, shareBudget } from "./readable-output.ts";

/** About 16,000 tokens. */
export const SHOWN_BYTES = 64 * 1024;

/** What a finished command was, for the model and for programs. `remarks` are sentences about it. Pure. */
export function commandReport(
  result: ProcessResult,
  artifact: ArtifactState | undefined,
  remarks: readonly string[] = [],
): ToolOutput {
  const [stdout, stderr] = shareBudget(result.stdout, result.stderr, SHOWN_BYTES).map(readableOutput);
  const { outcome } = result;
  const exitCode = outcome.type === "exited" ? outcome.code : null;
  const ending = [endingInWords(outcome), ...leftBehind(result), ...artifactInWords(artifact), ...remarks].join("\n");
  return {
    content: [{ type: "text", text: `${shownStreams(stdout ?? "", stderr ?? "")}${ending}` }],
    details: {
      stdout,
      stderr,
      exit_code: exitCode,
      ...(outcome.type === "signalled" ? { signal: outcome.signal } : {}),
      execution_time: result.durationMs / 1000,
      timed_out: outcome.type === "timed-out",
      aborted: outcome.type === "aborted",
      truncated: artifact !== undefined,
      ...(artifact === undefined ? {} : { artifact: artifact.path }),
    },
    ...(exitCode === 0 ? {} : { isError: true }),
  };
}

export function endingInWords(outcome: ProcessOutcome): string {
  switch (outcome.type) {
    case "exited":
      return `Exit code ${outcome.code}.`;
    case "signalled":
      return `The command was ended by ${outcome.signal}.`;
    case "timed-out":
      return `The command was ended with all its processes: it ran longer than its limit of ${outcome.afterMs / 1000} s. Give a longer timeout (at most 600), or background true.`;
    case "aborted":
      return "The command was stopped, with all its processes, before it was done.";
    case "not-started":
      return `The command did not start: ${outcome.message}`;
  }
}

function shownStreams(stdout: string, stderr: string): string {
  const out = withNewline(stdout);
  if (stderr === "") return out;
  return `${out}${out === "" ? "" : "\n"}stderr:\n${withNewline(stderr)}\n`;
}

function withNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function leftBehind({ leftover, survivors }: ProcessResult): string[] {
  const lines: string[] = [];
  if (leftover) lines.push("It left processes running; they were ended. Use background true for what should go on.");
  if (survivors.length > 0) lines.push(`These processes could not be ended: ${survivors.join(", ")}.`);
  return lines;
}

function artifactInWords(artifact: ArtifactState | undefined): string[] {
  if (artifact === undefined) return [];
  if (artifact.problem !== undefined)
    return [`Only part of the output was kept, in ${artifact.path}: ${artifact.problem}`];
  return [`The whole output (${artifact.bytes} bytes, both streams as they came) is in ${artifact.path}`];
}
