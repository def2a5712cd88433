import type { AgentEnding, LoopEntry } from "../../../protocol/loop-entries.ts";
import type { CheckResult } from "../../../protocol/receipts.ts";
import { counted, cut, type Signs, shownTime } from "./signs.ts";
import { type SummaryView, summaryLines } from "./summary-lines.ts";

type EntryOf<Type extends LoopEntry["type"]> = Extract<LoopEntry, { type: Type }>;

const REASON_LENGTH = 300;
const SHOWN_TAIL_LINES = 12;

/** What a person reads of an entry; nothing where others say it better. */
export function entryLines(entry: LoopEntry, view: SummaryView): string[] {
  const { signs } = view;
  switch (entry.type) {
    case "run-started":
      return runStarted(entry, signs);
    case "run-resumed":
      return [resumed(entry)];
    case "iteration-started":
      return iterationStarted(entry, signs);
    case "agent-ended":
      return agentEnded(entry.ending, signs);
    case "checks-ended":
      return entry.results.flatMap((result) => checkLines(result, signs));
    case "cheat":
      return [`${signs.warning} ${entry.kind}: ${cut(entry.detail, REASON_LENGTH)}`];
    case "story-passed":
      return [storyPassed(entry, signs)];
    case "story-reopened":
      return [`${signs.failed} ${entry.story} is open again: ${cut(entry.reason, REASON_LENGTH)}`];
    case "rechecked":
      if (entry.stories.length === 0) return [];
      return [
        `${signs.passed} ${counted(entry.stories.length, "story", "stories")} checked once more on ${short(entry.commit)}`,
      ];
    case "injected":
      return [`${signs.dot} For the next iteration: ${cut(entry.prompt, REASON_LENGTH)}`];
    case "interactive":
      return [entry.enabled ? `${signs.dot} A person took over.` : `${signs.dot} The person left; the loop goes on.`];
    case "waiting":
      return [`${signs.dot} Waiting until ${entry.until}: ${cut(entry.reason, REASON_LENGTH)}`];
    case "failover":
      return [`${signs.warning} ${entry.from} hands over to ${entry.to}: ${cut(entry.reason, REASON_LENGTH)}`];
    case "guard":
      return [`${signs.warning} Outside of the allowed paths: ${entry.paths.join(", ")} (${entry.action})`];
    case "notice":
      return [`${entry.level === "warning" ? signs.warning : signs.dot} ${entry.message}`];
    case "run-undone":
      return [`${signs.dot} The run ${entry.run} was taken back to ${short(entry.to)}.`];
    case "stop-requested":
      return [`${signs.dot} Asked to ${entry.how === "stop" ? "stop" : "pause after this iteration"}.`];
    case "verdict":
      return summaryLines(entry, view);
    default:
      return [];
  }
}

function runStarted({ task, runners, branch, worktree, limits }: EntryOf<"run-started">, { dot }: Signs): string[] {
  const parts = [
    `ralph run ${task}`,
    runners.join(" then "),
    ...(branch === undefined ? [] : [`branch ${branch}`]),
    ...(worktree === undefined ? [] : [`worktree ${worktree}`]),
    `at most ${counted(limits.iterations, "iteration")}, ${counted(limits.minutes, "minute")}`,
    ...(limits.costUsd === undefined ? [] : [`${limits.costUsd} USD`]),
  ];
  return [parts.join(` ${dot} `)];
}

function resumed({ iteration, reaped }: EntryOf<"run-resumed">): string {
  const ended =
    reaped.length === 0
      ? ""
      : ` ${counted(reaped.length, "process", "processes")} it left running ${reaped.length === 1 ? "was" : "were"} ended.`;
  return `Going on with a run that was cut off after ${counted(iteration, "iteration")}.${ended}`;
}

function iterationStarted(
  { iteration, story, title, runner }: EntryOf<"iteration-started">,
  { rule }: Signs,
): string[] {
  const what = story === undefined ? "" : ` ${story}${title === undefined ? "" : ` ${title}`}`;
  return ["", `${rule} ${iteration}${what} (${runner})`];
}

function agentEnded(ending: AgentEnding, { failed }: Signs): string[] {
  switch (ending.type) {
    case "finished":
    case "stopped":
    case "taken-over":
      return [];
    case "idle":
      return [`${failed} The agent was ended: no output for ${ending.afterSeconds} seconds.`];
    case "timed-out":
      return [`${failed} The agent was ended: not finished after ${ending.afterSeconds} seconds.`];
    case "lost":
      return [`${failed} The agent was lost when the loop was killed.`];
    default:
      return [`${failed} ${cut(ending.message, REASON_LENGTH)}`];
  }
}

function checkLines({ command, exit, durationMs, tail, passesWithout }: CheckResult, signs: Signs): string[] {
  const passes = exit === 0;
  const head = `${passes ? signs.passed : signs.failed} check ${cut(command, 100)} ${signs.dot} ${passes ? "passes" : `exit ${exit}`} ${signs.dot} ${shownTime(durationMs)}`;
  if (passes && passesWithout === true) return [`${head} ${signs.dot} also without the change: it proves nothing`];
  if (passes) return [head];
  const lines = tail.trimEnd().split("\n").slice(-SHOWN_TAIL_LINES);
  return [head, ...lines.filter((line) => line.trim() !== "").map((line) => `    ${line}`)];
}

function storyPassed({ story, verified, commit }: EntryOf<"story-passed">, { passed }: Signs): string {
  const where = commit === undefined ? "" : `, commit ${short(commit)}`;
  return `${passed} ${story} ${verified ? "is proven by its checks" : "passes, unverified: no check proves it"}${where}`;
}

export function short(commit: string): string {
  return commit.slice(0, 9);
}
