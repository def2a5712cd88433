import * as z from "zod";
import { checkResult, receipt } from "./receipts.ts";
import { verdictName } from "./verdicts.ts";

// What the loop writes down, one entry a line, before anybody sees it. The same objects are the lines of `ralph run --json`.

export const agentUsage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  /** Only where the price is known. */
  costUsd: z.number().optional(),
});

/** How the agent's process came to its end, read from the process and from its structured output; never from prose. */
export const agentEnding = z.discriminatedUnion("type", [
  z.object({ type: z.literal("finished") }),
  z.object({ type: z.literal("failed"), message: z.string(), exit: z.int().optional() }),
  z.object({ type: z.literal("not-started"), message: z.string() }),
  z.object({ type: z.literal("refused"), message: z.string() }),
  z.object({ type: z.literal("quota"), message: z.string(), until: z.string().optional() }),
  z.object({ type: z.literal("idle"), afterSeconds: z.number() }),
  z.object({ type: z.literal("timed-out"), afterSeconds: z.number() }),
  z.object({ type: z.literal("stopped") }),
  z.object({ type: z.literal("taken-over") }),
  z.object({ type: z.literal("lost") }),
]);

export const CHEATS = [
  "verdict-edited",
  "checks-edited",
  "sealed-file-edited",
  "script-edited",
  "control-files-touched",
  "premature-marker",
  "empty-claim",
  "proves-nothing",
  "link-outside",
] as const;

export const cheat = z.object({ kind: z.enum(CHEATS), detail: z.string() });

/** One iteration as the stop rules see it. */
export const iterationRecord = z.object({
  iteration: z.int(),
  story: z.string().optional(),
  runner: z.string(),
  startedAt: z.string(),
  endedAt: z.string(),
  ending: agentEnding,
  /** The tree of the workspace after the iteration, without the files of the task itself. */
  tree: z.string(),
  /** Whether the agent changed anything besides the files of the task. */
  changed: z.boolean(),
  /** Commands of the story's checks that failed, sorted. */
  failing: z.array(z.string()),
  /** Ids of the stories that do not pass. */
  open: z.array(z.string()),
  /** Ids of the receipts it brought. */
  receipts: z.array(z.string()),
  /** The marker stood in the last line of what the assistant said. */
  marker: z.boolean(),
  /** What the agent said it needs from a person. */
  question: z.string().optional(),
  /** Denials of the agent's own permission gate. */
  denied: z.array(z.string()).optional(),
  /** Why the checks could not be run at all here. */
  environment: z.string().optional(),
  /** Paths outside of what the run may change. */
  outside: z.array(z.string()).optional(),
  cheats: z.array(cheat),
  usage: agentUsage.optional(),
});

export const limits = z.object({
  iterations: z.int(),
  minutes: z.number(),
  tokens: z.number().optional(),
  costUsd: z.number().optional(),
  /** The longest wait for a quota. */
  waitMinutes: z.number(),
  /** How long after the last runner failed one more try is made. */
  coolDownSeconds: z.number(),
});

const at = { time: z.string() };

export const loopEntry = z.discriminatedUnion("type", [
  z.object({
    ...at,
    type: z.literal("run-started"),
    version: z.literal(1),
    run: z.string(),
    task: z.string(),
    directory: z.string(),
    root: z.string(),
    runners: z.array(z.string()),
    limits,
    /** Of the stories' checks, sealed files and scripts; absent where no story has checks. */
    seal: z.string().optional(),
    branch: z.string().optional(),
    /** What was current before, where the run made the branch. */
    cameFrom: z.string().optional(),
    /** Where the work began. Absent outside of git. */
    base: z.string().optional(),
    /** What the checks are sealed at, where that is not `base`: without what agents of the run before committed and nobody proved. */
    sealedAt: z.string().optional(),
    /** What `ralph run --undo` goes back to. */
    tag: z.string().optional(),
    worktree: z.string().optional(),
  }),
  z.object({
    ...at,
    type: z.literal("run-resumed"),
    run: z.string(),
    iteration: z.int(),
    reaped: z.array(z.int()),
  }),
  z.object({
    ...at,
    type: z.literal("iteration-started"),
    iteration: z.int(),
    story: z.string().optional(),
    title: z.string().optional(),
    runner: z.string(),
    injected: z.array(z.string()),
    /** What the branch named, and the tree of the workspace, when it began. */
    since: z.string().optional(),
    tree: z.string(),
  }),
  z.object({
    ...at,
    type: z.literal("agent-started"),
    iteration: z.int(),
    pid: z.int(),
    /** With the pid it names the process for ever. */
    started: z.string().optional(),
    mark: z.string(),
  }),
  z.object({
    ...at,
    type: z.literal("agent-ended"),
    iteration: z.int(),
    ending: agentEnding,
    finalMessage: z.string(),
    /** The conversation a person can take over. */
    session: z.string().optional(),
    usage: agentUsage.optional(),
  }),
  z.object({
    ...at,
    type: z.literal("checks-started"),
    iteration: z.int(),
    story: z.string(),
    commit: z.string(),
    commands: z.array(z.string()),
  }),
  z.object({
    ...at,
    type: z.literal("checks-ended"),
    iteration: z.int(),
    story: z.string(),
    commit: z.string(),
    tree: z.string(),
    results: z.array(checkResult),
  }),
  z.object({ ...at, type: z.literal("cheat"), iteration: z.int(), story: z.string().optional(), ...cheat.shape }),
  z.object({ ...at, type: z.literal("receipt"), receipt }),
  /** A story that no check proves is about to land. One that is proven has its receipt for that. */
  z.object({ ...at, type: z.literal("landing"), iteration: z.int(), story: z.string(), commit: z.string() }),
  z.object({
    ...at,
    type: z.literal("story-passed"),
    iteration: z.int(),
    story: z.string(),
    verified: z.boolean(),
    receipt: z.string().optional(),
    commit: z.string().optional(),
  }),
  /** A story that passed does not any more: a later change broke it, or a claim was not true. */
  z.object({
    ...at,
    type: z.literal("story-reopened"),
    iteration: z.int(),
    story: z.string(),
    reason: z.string(),
    failing: z.array(z.string()),
  }),
  /** What passed was checked once more on one commit. */
  z.object({ ...at, type: z.literal("rechecked"), commit: z.string(), tree: z.string(), stories: z.array(z.string()) }),
  z.object({ ...at, type: z.literal("iteration-ended"), record: iterationRecord }),
  z.object({ ...at, type: z.literal("injected"), prompt: z.string() }),
  z.object({ ...at, type: z.literal("interactive"), enabled: z.boolean() }),
  z.object({ ...at, type: z.literal("waiting"), until: z.string(), reason: z.string() }),
  z.object({ ...at, type: z.literal("failover"), from: z.string(), to: z.string(), reason: z.string() }),
  z.object({
    ...at,
    type: z.literal("breaker"),
    state: z.enum(["open", "half-open", "closed"]),
    reason: z.string(),
  }),
  z.object({
    ...at,
    type: z.literal("guard"),
    iteration: z.int(),
    paths: z.array(z.string()),
    action: z.string(),
  }),
  z.object({ ...at, type: z.literal("notice"), level: z.enum(["info", "warning"]), message: z.string() }),
  /** What the run did was taken back. */
  z.object({ ...at, type: z.literal("run-undone"), run: z.string(), to: z.string() }),
  z.object({ ...at, type: z.literal("stop-requested"), how: z.enum(["stop", "checkpoint"]) }),
  z.object({
    ...at,
    type: z.literal("verdict"),
    verdict: verdictName,
    reason: z.string(),
    until: z.string().optional(),
    stories: z.array(
      z.object({ id: z.string(), passes: z.boolean(), verified: z.boolean(), receipt: receipt.optional() }),
    ),
    iterations: z.int(),
    usage: agentUsage,
  }),
]);

export type AgentUsage = z.infer<typeof agentUsage>;
export type AgentEnding = z.infer<typeof agentEnding>;
export type Cheat = z.infer<typeof cheat>;
export type IterationRecord = z.infer<typeof iterationRecord>;
export type LoopLimits = z.infer<typeof limits>;
export type LoopEntry = z.infer<typeof loopEntry>;
/** An entry before the journal dates it. */
export type LoopEvent = LoopEntry extends infer Entry ? (Entry extends LoopEntry ? Omit<Entry, "time"> : never) : never;
