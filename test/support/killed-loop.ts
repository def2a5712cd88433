import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import { loopFolder } from "../../src/loop/state/loop-folder.ts";
import { type LoopEntry, loopEntry } from "../../src/protocol/loop-entries.ts";
import { type LoopWorld, linesText, loopWorld, TASK } from "./loop-world.ts";
import { type LiveRalph, startRalph } from "./run-ralph.ts";

// `ralph run` on a small task, to be killed with -9 somewhere and run again; and everything that has to be true afterwards.

export interface KilledLoop {
  world: LoopWorld;
  start(environment?: Record<string, string>): LiveRalph;
  /** What the journal holds now; the lines that are whole. */
  entries(): LoopEntry[];
  /** Calls back when something is written in the loop's folder, the task's or the repository's own. Returns its stop. */
  onChange(listener: () => void): () => void;
  /** What is not as it has to be after a run that went on to its end. */
  problems(): string[];
  [Symbol.dispose](): void;
}

const AGENT = [
  "cat >/dev/null",
  'echo "working on $RALPH_STORY"',
  "sleep 0.03",
  'echo "$RALPH_STORY" >"feature-$RALPH_STORY.txt"',
  "sleep 0.03",
  "echo '<promise>COMPLETE</promise>'",
  "",
].join("\n");

/** The first story is proven by a check; the second has none and passes by the agent's word and its change. */
export function killedLoop(): KilledLoop {
  const world = loopWorld({
    stories: [{ checks: ["sh check.sh S-1"] }, {}],
    files: { "check.sh": 'grep -q "$1" "feature-$1.txt"\n', "mine.txt": "as committed\n" },
  });
  const { workspace, project } = world;
  world.write("mine.txt", "changed by the person\n");
  world.write("notes.txt", "new, of the person\n");
  world.write("staged.txt", "staged by the person\n");
  world.git("add", "staged.txt");
  const before = personsFiles(world);
  const loops = join(workspace.home, "data/loops");
  const folder = loopFolder(loops, { name: "demo", directory: join(project, TASK) });
  mkdirSync(folder, { recursive: true });
  const journal = join(folder, "journal.jsonl");
  const entries = () => (existsSync(journal) ? readEntries(readFileSync(journal, "utf8")) : []);
  const command = world.agent(AGENT);
  const flags = ["--json", "--sleep", "0", "--cool-down", "0.05", "--agent-cmd", command, "--max-iterations", "9"];
  return {
    world,
    start: (environment = {}) => startRalph(["run", TASK, ...flags], { workspace, environment, timeoutMs: 60_000 }),
    entries,
    onChange: (listener) => {
      const watchers = [folder, join(project, TASK), join(project, ".git")].map((place) => watch(place, listener));
      return () => {
        for (const watcher of watchers) watcher.close();
      };
    },
    problems: () => [
      ...journalProblems(entries()),
      ...proofProblems(world, entries()),
      ...leftovers(world, { folder, run: runOf(entries()) }),
      ...(Bun.deepEquals(personsFiles(world), before) ? [] : [`the person has ${JSON.stringify(personsFiles(world))}`]),
    ],
    [Symbol.dispose]: () => world[Symbol.dispose](),
  };
}

function readEntries(text: string): LoopEntry[] {
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .flatMap((line) => {
      try {
        return [loopEntry.parse(JSON.parse(line))];
      } catch {
        return [];
      }
    });
}

/** What git says of them, and what is in them. */
function personsFiles({ git, read }: LoopWorld): string[] {
  const paths = ["mine.txt", "notes.txt", "staged.txt"];
  return [
    ...linesText(git("status", "--porcelain", "--untracked-files=all", "--", ...paths)),
    ...paths.map((path) => read(path)),
  ];
}

function runOf(entries: readonly LoopEntry[]): string | undefined {
  return entries.find((entry) => entry.type === "run-started")?.run;
}

/** One run, its iterations without gaps or repeats, every story proven once. */
function journalProblems(entries: readonly LoopEntry[]): string[] {
  const count = (from: readonly unknown[]) => JSON.stringify(from);
  const runs = new Set(entries.flatMap((entry) => (entry.type.startsWith("run-") && "run" in entry ? entry.run : [])));
  const started = entries.flatMap((entry) => (entry.type === "iteration-started" ? entry.iteration : []));
  const ended = entries.flatMap((entry) => (entry.type === "iteration-ended" ? entry.record.iteration : []));
  const counted = started.map((_, at) => at + 1);
  const passed = entries.flatMap((entry) => (entry.type === "story-passed" ? entry.story : []));
  const receipts = entries.flatMap((entry) => (entry.type === "receipt" ? entry.receipt.story : []));
  const claimed = entries.flatMap((entry) =>
    entry.type === "agent-ended" && entry.ending.type === "finished" ? entry.iteration : [],
  );
  const cheats = entries.flatMap((entry) => (entry.type === "cheat" ? `${entry.kind}: ${entry.detail}` : []));
  const brought = entries.flatMap((entry) => (entry.type === "iteration-ended" ? entry.record.receipts : []));
  const proven = entries.flatMap((entry) => (entry.type === "receipt" ? entry.receipt.id : []));
  return [
    ...(runs.size === 1 ? [] : [`runs ${[...runs]}`]),
    ...(Bun.deepEquals(started, counted) ? [] : [`iterations began ${count(started)}`]),
    ...(Bun.deepEquals(ended, counted) ? [] : [`iterations ended ${count(ended)}`]),
    ...(Bun.deepEquals(passed, ["S-1", "S-2"]) ? [] : [`stories passed ${count(passed)}`]),
    ...(Bun.deepEquals(receipts, ["S-1"]) ? [] : [`receipts of ${count(receipts)}`]),
    ...(Bun.deepEquals(brought, proven) ? [] : [`records have receipts ${count(brought)}, there are ${count(proven)}`]),
    ...(claimed.length <= 2 ? [] : [`an agent that had finished was asked again: ${count(claimed)}`]),
    ...(cheats.length === 0 ? [] : [`an honest agent was called a cheat: ${cheats}`]),
    ...(entries.at(-1)?.type === "verdict" ? [] : ["no verdict came last"]),
  ];
}

function proofProblems(world: LoopWorld, entries: readonly LoopEntry[]): string[] {
  const onBranch = new Set(linesText(world.git("rev-list", "main")));
  const lost = entries.flatMap((entry) => {
    const commit =
      entry.type === "receipt" ? entry.receipt.commit : entry.type === "story-passed" ? entry.commit : undefined;
    return commit === undefined || onBranch.has(commit) ? [] : commit;
  });
  const subjects = world.subjects("main");
  const verdicts = world.prd().userStories.map(({ id, passes }) => `${id} ${passes}`);
  const committed = JSON.parse(world.git("show", `main:${TASK}/prd.json`)).userStories.map(
    ({ passes }: { passes: boolean }) => passes,
  );
  return [
    ...lost.map((commit) => `${commit} is proven but not on the branch`),
    ...(Bun.deepEquals(subjects, ["S-1: Story S-1", "S-2: Story S-2"]) ? [] : [`commits ${subjects}`]),
    ...(Bun.deepEquals(verdicts, ["S-1 true", "S-2 true"]) ? [] : [`prd.json says ${verdicts}`]),
    ...(Bun.deepEquals(committed, [true, true]) ? [] : [`the commit's prd.json says ${committed}`]),
  ];
}

/** Processes, checkouts, sockets, half-written files, locks. */
function leftovers(world: LoopWorld, { folder, run }: { folder: string; run: string | undefined }): string[] {
  const inData = ["checkouts", "scratch"].flatMap((name) => namesIn(join(folder, name)).map((one) => `${name}/${one}`));
  const sockets = namesIn(join(world.workspace.home, "data/sockets")).map((name) => `sockets/${name}`);
  const files = world.workspace.find("{project,ralph-home}/**/{.ralph-*.tmp,*.lock,lock,lock.*}");
  const dirty = world.status().filter((line) => !/(mine|notes|staged)\.txt$/.test(line));
  return [
    ...processesOf(run).map((line) => `still runs: ${line}`),
    ...[...inData, ...sockets, ...files].map((path) => `left behind: ${path}`),
    ...dirty.map((line) => `git status: ${line}`),
  ];
}

function namesIn(folder: string): string[] {
  return existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : [];
}

/** Every process with the mark of a run in its environment; those of all runs of a test where none is named. */
export function processesOf(run: string | undefined): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const marked = readFileSync(`/proc/${pid}/environ`, "latin1").includes(`RALPH_LOOP_MARK=${run ?? ""}\0`);
        return marked ? [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ")}`] : [];
      } catch {
        return [];
      }
    });
}
