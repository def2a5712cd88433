import type { Task } from "../../protocol/loop-tasks.ts";
import {
  type ControlOutcome,
  type LoopControls,
  type LoopStatusName,
  type StoryState,
  statusOfVerdict,
} from "../control/loop-controls.ts";
import type { LoopJournal } from "../state/loop-journal.ts";
import { JournalFailure } from "../state/loop-journal.ts";
import type { Steering } from "./steering.ts";
import type { PersonAtWork } from "./take-over.ts";

export interface ControlledRun {
  task: () => Task;
  journal: LoopJournal;
  steering: Steering;
  person: PersonAtWork;
  maxIterations: number;
  /** Wall clock, milliseconds. */
  startedAt: number;
  now: () => number;
}

/** What the control socket may ask of a run. */
export function createControls(run: ControlledRun): LoopControls {
  const { journal, steering, person } = run;
  return {
    status: () => statusOf(run),
    stop: () => obeyed(() => steering.stop()),
    checkpoint: () => obeyed(() => steering.checkpoint()),
    inject: (prompt) => obeyed(() => steering.inject(prompt)),
    setInteractive: (enabled) => person.turn(enabled),
    writePty: (data) => person.write(data),
    resizePty: (size) => person.resize(size),
    screen: () => person.screen(),
    receipts: () => journal.state().receipts,
    stories: () => storiesOf(run),
  };
}

function statusOf({
  task,
  journal,
  person,
  maxIterations,
  startedAt,
  now,
}: ControlledRun): ReturnType<LoopControls["status"]> {
  const { iteration, records, verdict, run } = journal.state();
  const { name, directory } = task();
  const status: LoopStatusName = verdict === undefined ? "running" : statusOfVerdict(verdict.verdict);
  return {
    taskName: name,
    taskDirectory: directory,
    iteration: iteration?.iteration ?? records.length,
    maxIterations,
    currentStory: iteration?.story,
    agent: iteration?.runner ?? records.at(-1)?.runner ?? run?.runners[0] ?? "",
    status,
    interactive: person.isOn,
    startedAt,
    updatedAt: now(),
  };
}

function storiesOf({ task, journal }: ControlledRun): StoryState[] {
  const { passed } = journal.state();
  return task().stories.map(({ id, title }) => {
    const known = passed.get(id);
    return {
      id,
      title,
      passes: known !== undefined,
      verified: known?.verified ?? false,
      ...(known?.receipt !== undefined && { receipt: known.receipt.id }),
    };
  });
}

async function obeyed(wish: () => Promise<void>): Promise<ControlOutcome> {
  try {
    await wish();
    return { ok: true };
  } catch (error) {
    if (!(error instanceof JournalFailure)) throw error;
    return { ok: false, message: `It could not be stored: ${error.message}` };
  }
}
