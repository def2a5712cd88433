import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type LoopEntry, loopEntry } from "../../src/protocol/loop-entries.ts";
import { type Receipt, receipt } from "../../src/protocol/receipts.ts";
import { type AgentProgram, agentProgram } from "./agent-programs.ts";
import { type RalphExit, runRalph } from "./run-ralph.ts";
import { type TempWorkspace, tempWorkspace } from "./temp-workspace.ts";

// `ralph run --json` in a real repository with a task, and everything that can be seen of it afterwards.

export type EntryOf<Type extends LoopEntry["type"]> = Extract<LoopEntry, { type: Type }>;

export interface StoryInput {
  id?: string;
  checks?: unknown[];
  [key: string]: unknown;
}

export interface LoopWorldOptions {
  stories: StoryInput[];
  /** More keys of prd.json. */
  task?: Record<string, unknown>;
  /** Committed before the run, beside the task. */
  files?: Record<string, string>;
}

export interface LoopWorld {
  workspace: TempWorkspace;
  project: string;
  git(...words: string[]): string;
  write(path: string, text: string): void;
  read(path: string): string;
  /** A program of `sh` outside of the repository; the command line that starts it. */
  agent(script: string): string;
  run(agent: AgentProgram | { script: string }, options?: LoopRunOptions): Promise<LoopRun>;
  receipts(): Promise<Receipt[]>;
  prd(): { userStories: Record<string, unknown>[] } & Record<string, unknown>;
  /** Subjects of the commits since the beginning, oldest first. */
  subjects(branch?: string): string[];
  /** The lines of git status, without the loop's own progress.txt. */
  status(): string[];
  [Symbol.dispose](): void;
}

export interface LoopRunOptions {
  flags?: string[];
  environment?: Record<string, string | undefined>;
  timeoutMs?: number;
  throughShell?: string;
}

export interface LoopRun {
  exit: RalphExit;
  /** How it ended, in few words: compare it whole. */
  outcome: {
    code: number | null;
    verdict: string;
    reason: string;
    iterations: number;
    stories: Record<string, "open" | "verified" | "unverified">;
  };
  entries: LoopEntry[];
  transcript: unknown[];
  verdict: EntryOf<"verdict">;
  /** `kind: detail`, in the order they were named. */
  cheats: string[];
  notices: string[];
  records: EntryOf<"iteration-ended">["record"][];
  of<Type extends LoopEntry["type"]>(type: Type): EntryOf<Type>[];
}

export const TASK = "tasks/demo";

export function loopWorld({ stories, task = {}, files = {} }: LoopWorldOptions): LoopWorld {
  const workspace = tempWorkspace();
  const { project } = workspace;
  workspace.write("user/.gitconfig", "[user]\n\tname = Person\n\temail = person@example.com\n");
  const git = (...words: string[]) =>
    execFileSync("git", words, { cwd: project, env: workspace.environment, encoding: "utf8", stdio: "pipe" });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  };
  const read = (path: string) => readFileSync(join(project, path), "utf8");
  let agents = 0;
  const agent = (script: string) => `sh ${workspace.write(`agents/agent-${agents++}.sh`, script)}`;
  git("init", "--quiet", "--initial-branch=main");
  write(
    `${TASK}/prd.json`,
    `${JSON.stringify({ schemaVersion: "2.0", ...task, userStories: stories.map(storyOf) }, null, 2)}\n`,
  );
  for (const [path, text] of Object.entries({ "README.md": "demo\n", ...files })) write(path, text);
  git("add", "--all");
  git("commit", "--quiet", "--message", "base");
  const base = git("rev-parse", "HEAD").trim();
  return {
    workspace,
    project,
    git,
    write,
    read,
    agent,
    async run(program, { flags = [], environment, timeoutMs = 60_000, throughShell } = {}) {
      const command = typeof program === "string" ? `sh ${agentProgram(program)}` : agent(program.script);
      const always = ["--json", "--sleep", "0", "--cool-down", "0.05", "--agent-cmd", command];
      const exit = await inTurn(() =>
        runRalph(["run", TASK, ...always, ...flags], {
          workspace,
          timeoutMs,
          ...(environment && { environment }),
          ...(throughShell !== undefined && { throughShell }),
        }),
      );
      const run = readRun(exit);
      const problems = [...problemsOf(run), ...journalProblems(run, workspace)];
      if (problems.length > 0) throw new Error(`${problems.join("\n")}\n${exit.stderr}`);
      return run;
    },
    async receipts() {
      const { stdout } = await runRalph(["receipts", "demo", "--json"], { workspace });
      return linesOf(stdout).map((line) => receipt.parse(line));
    },
    prd: () => JSON.parse(read(`${TASK}/prd.json`)),
    subjects: (branch = "HEAD") => linesText(git("log", "--reverse", "--format=%s", `${base}..${branch}`)),
    status: () =>
      linesText(git("status", "--porcelain", "--untracked-files=all")).filter(
        (line) => !line.endsWith("/progress.txt"),
      ),
    [Symbol.dispose]: () => workspace.stop(),
  };
}

const MOST_AT_ONCE = 3;
const waiting: (() => void)[] = [];
let working = 0;

/** Tests may be concurrent; the machine has few cores, and a run that starves says nothing about Ralph. */
async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (working >= MOST_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else working++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) working--;
    else next();
  }
}

function storyOf(story: StoryInput, index: number) {
  const id = `S-${index + 1}`;
  return {
    id,
    title: `Story ${story.id ?? id}`,
    acceptanceCriteria: [],
    priority: index + 1,
    passes: false,
    notes: "",
    ...story,
  };
}

function readRun(exit: RalphExit): LoopRun {
  const lines = linesOf(exit.stdout);
  const transcript = lines.filter(({ type }) => type === "transcript");
  const entries = lines.filter(({ type }) => type !== "transcript").map((line) => loopEntry.parse(line));
  const verdict = entries.at(-1);
  if (verdict?.type !== "verdict")
    throw new Error(`No verdict came last.\n${exit.stdout.slice(-2000)}\n${exit.stderr}`);
  const of = <Type extends LoopEntry["type"]>(type: Type) =>
    entries.filter((entry): entry is EntryOf<Type> => entry.type === type);
  const stories = verdict.stories.map(({ id, passes, verified }) => {
    return [id, passes ? (verified ? "verified" : "unverified") : "open"] as const;
  });
  return {
    exit,
    outcome: {
      code: exit.code,
      verdict: verdict.verdict,
      reason: verdict.reason,
      iterations: verdict.iterations,
      stories: Object.fromEntries(stories),
    },
    entries,
    transcript,
    verdict,
    cheats: of("cheat").map(({ kind, detail }) => `${kind}: ${detail}`),
    notices: of("notice").map(({ message }) => message),
    records: of("iteration-ended").map(({ record }) => record),
    of,
  };
}

/** What has to be true of the lines of every run, whatever happened in it. */
function problemsOf({ exit, entries, verdict }: LoopRun): string[] {
  const problems: string[] = [];
  const lines = linesOf(exit.stdout);
  const foreign = lines.filter(
    (line) => line.type !== "transcript" && !Bun.deepEquals(loopEntry.safeParse(line).data, line),
  );
  for (const line of foreign) problems.push(`not an entry of the journal: ${JSON.stringify(line)}`);
  if (!Bun.deepEquals(lines.at(-1), verdict)) problems.push("the verdict is not the last line");
  const times = entries.map(({ time }) => Date.parse(time));
  if (times.some((time, at) => time < (times[at - 1] ?? 0))) problems.push("times go back");
  if ((exit.code === 0) !== (verdict.verdict === "done")) problems.push(`exit ${exit.code} after ${verdict.verdict}`);
  const known = new Set<string>();
  const passed = new Map<string, string | undefined>();
  for (const entry of entries) {
    if (entry.type === "receipt") known.add(entry.receipt.id);
    if (entry.type === "story-reopened") passed.delete(entry.story);
    if (entry.type !== "story-passed") continue;
    passed.set(entry.story, entry.receipt);
    if (entry.verified !== (entry.receipt !== undefined && known.has(entry.receipt)))
      problems.push(`${entry.story} passed without its receipt before it`);
  }
  for (const { id, passes, verified, receipt: proof } of verdict.stories) {
    if (passes !== passed.has(id) || verified !== (proof !== undefined) || proof?.id !== passed.get(id))
      problems.push(`the verdict says something else of ${id} than the events`);
  }
  return problems;
}

/** Everything that was printed is in the journal, in the same order and last. */
function journalProblems({ entries }: LoopRun, workspace: TempWorkspace): string[] {
  const [path] = workspace.find("ralph-home/data/loops/*/journal.jsonl");
  const kept = path === undefined ? [] : linesOf(workspace.read(path));
  const newest = kept.slice(-entries.length);
  return Bun.deepEquals(newest, entries) ? [] : ["the journal has something else than what was printed"];
}

export function linesText(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

function linesOf(text: string): Record<string, unknown>[] {
  return linesText(text).map((line) => JSON.parse(line));
}
