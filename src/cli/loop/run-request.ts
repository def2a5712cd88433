import { resolve } from "node:path";
import type { RunRequest } from "../../loop/run/run-request.ts";
import {
  chooseRunners,
  type InstalledAgents,
  installedAgents,
  type RunnerOrder,
} from "../../loop/runners/choose-runner.ts";
import { createRunners } from "../../loop/runners/runners.ts";
import { findTask, repositoryAbove } from "../../loop/tasks/find-task.ts";
import type { JsonDocument } from "../../loop/tasks/json-document.ts";
import { findTemplate } from "../../loop/tasks/prompt-template.ts";
import { describeProblems, readTask } from "../../loop/tasks/read-task.ts";
import type { LoopLimits } from "../../protocol/loop-entries.ts";
import type { Story, Task } from "../../protocol/loop-tasks.ts";
import type { RunContext } from "../run-context.ts";
import { readPrices } from "./pricing-file.ts";
import { REASONING_LEVELS, TRANSCRIPTS } from "./run-flags.ts";
import { OptionProblem, type RunOptions } from "./run-options.ts";

export interface AskedTask {
  task: Task;
  document: JsonDocument | undefined;
  root: string;
  iterations: number | undefined;
  /** The person named a folder, and not only a number or nothing. */
  isNamed: boolean;
}

/** The request of `ralph run`. Throws an OptionProblem for what the person has to say otherwise. */
export async function readRunRequest(context: RunContext, options: RunOptions): Promise<RunRequest> {
  const asked = readAskedTask(context, options);
  const branch = options.text("branch") ?? asked.task.branchName;
  return {
    ...(await sharedRequest(context, options, asked)),
    kind: "run",
    template: template(context, options, { kind: "run", asked }),
    branch: branch === "" ? undefined : branch,
    ...(options.text("base-branch") !== undefined && { baseBranch: options.text("base-branch") }),
    worktree: options.isOn("worktree"),
    allowedPaths: pathList(options.text("allowed-paths")),
  };
}

/** The request of `ralph understand`: one story of its own, which is a map of the project and nothing else. */
export async function readUnderstandRequest(context: RunContext, options: RunOptions): Promise<RunRequest> {
  const asked = mappingTask(context, options);
  const branch = options.text("branch") ?? "ralph/understanding";
  return {
    ...(await sharedRequest(context, options, asked)),
    kind: "understand",
    template: template(context, options, { kind: "understand", asked }),
    branch: branch === "" ? undefined : branch,
    worktree: false,
    allowedPaths: pathList(options.text("allowed-paths") ?? "scripts/ralph/codebase_map.md"),
  };
}

type Shared = Omit<RunRequest, "kind" | "template" | "branch" | "worktree" | "allowedPaths">;

async function sharedRequest(context: RunContext, options: RunOptions, asked: AskedTask): Promise<Shared> {
  const { task, document, root } = asked;
  const agentCommand = options.text("agent-cmd");
  const installed = await agentsHere(context, options, asked);
  const model = options.text("model");
  const effort = options.oneOf("reasoning", REASONING_LEVELS);
  const progressEvery = options.number("ai-prompt-progress-every", 0);
  const transcript = options.oneOf("transcript", TRANSCRIPTS);
  const pricing = options.text("pricing");
  const runnersFor = (story: Story) => orderFor(options, { story, task, installed });
  refuseUnusable(task.stories.map(runnersFor));
  return {
    task,
    document,
    root,
    limits: readLimits(options, asked),
    idleSeconds: options.number("idle-timeout", 1) ?? 900,
    iterationSeconds: options.number("iteration-timeout", 1) ?? 7200,
    sleepSeconds: options.number("sleep", 0) ?? 2,
    runnersFor,
    runners: createRunners({ ralph: context.selfCommand, ...(agentCommand && { agentCommand }) }),
    ...(model && { model }),
    ...(effort && { effort: effort === "none" ? "off" : effort }),
    yolo: options.isOn("yolo"),
    ...(transcript !== undefined && transcript !== "auto" && { transcript }),
    echo: {
      showPrompt: options.isOn("ai-show-prompt"),
      ...(progressEvery !== undefined && { promptProgressEvery: progressEvery }),
    },
    ...(pricing && { prices: readPrices(resolve(context.cwd, pricing)) }),
    fresh: options.isOn("fresh"),
  };
}

function readLimits(options: RunOptions, { iterations, isNamed }: AskedTask): LoopLimits {
  const tokens = options.number("max-tokens", 1);
  const costUsd = options.number("max-cost", 0);
  return {
    iterations: Math.floor(iterations ?? options.number("max-iterations", 0) ?? (isNamed ? 50 : 10)),
    minutes: options.number("max-minutes", 0) ?? 600,
    ...(tokens !== undefined && { tokens }),
    ...(costUsd !== undefined && { costUsd }),
    waitMinutes: options.number("max-wait", 0) ?? 360,
    coolDownSeconds: options.number("cool-down", 0) ?? 60,
  };
}

export function readAskedTask(context: RunContext, options: RunOptions): AskedTask {
  const words = context.arguments.words;
  const [prd, name, root] = ["prd", "name", "root"].map((flag) => options.text(flag));
  const found = findTask({
    cwd: context.cwd,
    words,
    ...(prd && { prd }),
    ...(name && { name }),
    ...(root && { root }),
  });
  if (!found.ok) throw new OptionProblem(found.message);
  const read = readTask(found.place);
  if (!read.ok) throw new OptionProblem(describeProblems(found.place.file, read.problems).join("\n"));
  const isNamed = words.some((word) => !/^-?\d+$/.test(word)) || prd !== undefined;
  return { task: read.task, document: read.document, root: found.root, iterations: found.iterations, isNamed };
}

function mappingTask(context: RunContext, options: RunOptions): AskedTask {
  const given = options.text("root");
  const root = given === undefined ? (repositoryAbove(context.cwd) ?? context.cwd) : resolve(context.cwd, given);
  const [word] = context.arguments.words;
  const iterations = word === undefined ? undefined : Number(word);
  if (iterations !== undefined && !(Number.isInteger(iterations) && iterations >= 0)) {
    throw new OptionProblem(`"${word}" should be how many iterations there may be: a whole number from 0 on.`);
  }
  const directory = resolve(root, "scripts", "ralph");
  const story: Story = {
    id: "understanding",
    title: "Map the codebase",
    description: "",
    acceptanceCriteria: [],
    priority: 1,
    passes: false,
    notes: "",
    dependsOn: [],
    checks: [],
    sealed: [],
  };
  const task: Task = {
    name: options.text("name") ?? "understanding",
    directory,
    file: resolve(directory, "prd.json"),
    dialect: "v1",
    branchName: undefined,
    description: "",
    agent: undefined,
    failoverThreshold: 3,
    setup: undefined,
    stories: [story],
  };
  return { task, document: undefined, root, iterations, isNamed: false };
}

interface TemplateWish {
  kind: "run" | "understand";
  asked: AskedTask;
}

function template({ paths, cwd }: RunContext, options: RunOptions, { kind, asked }: TemplateWish): string {
  const given = options.text("prompt");
  const found = findTemplate(kind, {
    task: asked.task.directory,
    config: paths.config,
    data: paths.data,
    root: asked.root,
    ...(given && { given: resolve(cwd, given) }),
  });
  if (!found.ok) throw new OptionProblem(found.message);
  return found.text;
}

/** Whether Ralph itself has a model is asked only where it matters. */
async function agentsHere(context: RunContext, options: RunOptions, { task }: AskedTask): Promise<InstalledAgents> {
  const found = installedAgents(context.environment.PATH, false);
  const isChosen = [options.text("agent"), options.text("agent-cmd"), task.agent].some(Boolean);
  if (isChosen || found.codex || found.claude) return found;
  const { chooseModel } = await import("../model-choice.ts");
  return { ...found, ralph: (await chooseModel(context)).ok };
}

interface OrderWish {
  story: Story;
  task: Task;
  installed: InstalledAgents;
}

function orderFor(options: RunOptions, { story, task, installed }: OrderWish): RunnerOrder {
  const flag = options.text("agent");
  return chooseRunners(
    {
      hasAgentCommand: Boolean(options.text("agent-cmd")),
      ...(flag && { flag }),
      ...(story.agent && { story: story.agent }),
      ...(task.agent && { task: task.agent }),
    },
    installed,
  );
}

function refuseUnusable(orders: readonly RunnerOrder[]): void {
  const refused = orders.find((order) => !order.ok);
  if (refused?.ok === false) throw new OptionProblem(refused.message);
}

function pathList(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((path) => path.trim())
    .filter((path) => path !== "");
}
