import { join } from "node:path";
import * as z from "zod";
import { MAX_PROMPT_CHARACTERS } from "../../loop/control/methods.ts";
import type { RegisteredLoop } from "../../loop/state/registry.ts";
import { type ServedTool, serveTool, type ToolHints } from "../../mcp/server/served-tools.ts";
import { asArray } from "../../protocol/json.ts";
import checkpointText from "./descriptions/checkpoint.md" with { type: "text" };
import injectText from "./descriptions/inject.md" with { type: "text" };
import runText from "./descriptions/run.md" with { type: "text" };
import statusText from "./descriptions/status.md" with { type: "text" };
import stopText from "./descriptions/stop.md" with { type: "text" };
import understandText from "./descriptions/understand.md" with { type: "text" };
import waitText from "./descriptions/wait.md" with { type: "text" };
import { mostIterations, runFlagsOf, understandFlagsOf } from "./run-flags-of.ts";
import { folderWord, outside, servedFolder, taskFolder } from "./served-folders.ts";
import { findServedLoop, loopId, type McpWorld, servedLoops } from "./served-loops.ts";
import { startLoop } from "./start-loop.ts";
import { tellLoop } from "./tell-loop.ts";
import { waitForLoop } from "./wait-for-loop.ts";

/** Starts, watches and steers loops. */
export function loopTools(world: McpWorld): ServedTool[] {
  return [
    runTool(world),
    understandTool(world),
    statusTool(world),
    waitTool(world),
    stopTool(world),
    checkpointTool(world),
    injectTool(world),
  ];
}

export const READS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const STEERS: ToolHints = { ...READS, readOnlyHint: false };
const STARTS: ToolHints = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

export const taskWord = z.string().min(1).max(4096).describe("Id, name or folder of the task");

const loopView = z.strictObject({
  id: z.string(),
  task: z.string(),
  folder: z.string().describe("Of the task"),
  status: z.enum(["running", "stopped", "completed", "failed", "checkpointed"]),
  verdict: z.string().optional(),
  reason: z.string().optional(),
  iteration: z.number(),
  max_iterations: z.number(),
  story: z.string().optional(),
  agent: z.string(),
  started_at: z.string(),
  updated_at: z.string(),
});

function viewOf(loop: RegisteredLoop): z.infer<typeof loopView> {
  const { verdict, reason, currentStory } = loop;
  return {
    id: loopId(loop),
    task: loop.taskName,
    folder: loop.taskDirectory,
    status: loop.status,
    ...(verdict === undefined ? {} : { verdict }),
    ...(reason === undefined ? {} : { reason }),
    iteration: loop.iteration,
    max_iterations: loop.maxIterations,
    ...(currentStory === undefined ? {} : { story: currentStory }),
    agent: loop.agent,
    started_at: new Date(loop.startedAt).toISOString(),
    updated_at: new Date(loop.updatedAt).toISOString(),
  };
}

function runTool(world: McpWorld): ServedTool {
  const most = mostIterations(world.context);
  return serveTool({
    name: "ralph_run",
    title: "Start a loop",
    description: runText.trim(),
    hints: STARTS,
    input: z.strictObject({
      task: folderWord.describe("Folder of the task, absolute or in the first served folder"),
      max_iterations: z.int().min(1).max(most).optional().describe(`At most ${most}`),
    }),
    output: z.strictObject({ loop: loopView }),
    async run({ task, max_iterations }, { signal }) {
      const directory = taskFolder(world, task);
      if (!directory.ok) return directory;
      const words = ["run", directory.value, ...runFlagsOf(world.context, max_iterations)];
      const started = await startLoop(world, { directory: directory.value, words, signal });
      return started.ok ? { ok: true, value: { loop: viewOf(started.value) } } : started;
    },
  });
}

function understandTool(world: McpWorld): ServedTool {
  const most = mostIterations(world.context);
  return serveTool({
    name: "ralph_understand",
    title: "Map a project",
    description: understandText.trim(),
    hints: STARTS,
    input: z.strictObject({
      folder: folderWord
        .optional()
        .describe("Of the project, absolute or in the first served folder, which it is where absent"),
      max_iterations: z.int().min(1).max(most).optional().describe(`At most ${most}`),
    }),
    output: z.strictObject({ loop: loopView }),
    async run({ folder = ".", max_iterations }, { signal }) {
      const project = servedFolder(world, folder);
      if (!project.ok) return project;
      const directory = world.roots.place(join(project.value, "scripts", "ralph"));
      if (directory === undefined) return outside(world, join(folder, "scripts", "ralph"));
      const words = ["understand", `--root=${project.value}`, ...understandFlagsOf(world.context, max_iterations)];
      const started = await startLoop(world, { directory, words, signal });
      return started.ok ? { ok: true, value: { loop: viewOf(started.value) } } : started;
    },
  });
}

const MOST_LINES = 200;
const MOST_LOOPS = 100;

function statusTool(world: McpWorld): ServedTool {
  return serveTool({
    name: "ralph_status",
    title: "Look at loops",
    description: statusText.trim(),
    hints: READS,
    input: z.strictObject({
      task: taskWord.optional(),
      output_lines: z.int().min(0).max(MOST_LINES).optional().describe("Of a running loop (20)"),
    }),
    output: z.strictObject({ loops: z.array(loopView), recent_output: z.array(z.string()).optional() }),
    async run({ task, output_lines = 20 }) {
      if (task === undefined) {
        const listed = await servedLoops(world);
        return listed.ok ? { ok: true, value: { loops: listed.value.slice(0, MOST_LOOPS).map(viewOf) } } : listed;
      }
      const found = await findServedLoop(world, task);
      if (!found.ok) return found;
      const told = await tellLoop(world.context, found.value, { method: "get_status" });
      const lines = told.ok
        ? asArray(told.value.recent_output)
            .map(String)
            .slice(-output_lines || MOST_LINES)
        : [];
      const recent = output_lines === 0 || lines.length === 0 ? {} : { recent_output: lines };
      return { ok: true, value: { loops: [viewOf(found.value)], ...recent } };
    },
  });
}

const LONGEST_WAIT_S = 600;

function waitTool(world: McpWorld): ServedTool {
  return serveTool({
    name: "ralph_wait",
    title: "Wait for a loop",
    description: waitText.trim(),
    hints: READS,
    input: z.strictObject({
      task: taskWord,
      timeout_seconds: z.number().min(0).max(LONGEST_WAIT_S).optional().describe(`At most ${LONGEST_WAIT_S} (50)`),
    }),
    output: z.strictObject({ loop: loopView, timed_out: z.boolean() }),
    async run({ task, timeout_seconds = 50 }, { signal, progress }) {
      const found = await findServedLoop(world, task);
      if (!found.ok) return found;
      const wait = { loop: found.value, timeoutMs: timeout_seconds * 1000, signal, progress };
      const waited = await waitForLoop(world, wait);
      if (!waited.ok) return waited;
      return { ok: true, value: { loop: viewOf(waited.value.loop), timed_out: waited.value.isTimedOut } };
    },
  });
}

function stopTool(world: McpWorld): ServedTool {
  const described = { name: "ralph_stop", title: "Stop a loop", description: stopText.trim() };
  return endTool(world, { ...described, method: "stop" });
}

function checkpointTool(world: McpWorld): ServedTool {
  const described = { name: "ralph_checkpoint", title: "Pause a loop", description: checkpointText.trim() };
  return endTool(world, { ...described, method: "checkpoint" });
}

interface EndRow {
  name: string;
  title: string;
  description: string;
  method: "stop" | "checkpoint";
}

function endTool(world: McpWorld, { method, ...row }: EndRow): ServedTool {
  return serveTool({
    ...row,
    hints: { ...STEERS, destructiveHint: method === "stop" },
    input: z.strictObject({ task: taskWord }),
    output: z.strictObject({ id: z.string(), status: z.string() }),
    async run({ task }) {
      const found = await findServedLoop(world, task);
      if (!found.ok) return found;
      const told = await tellLoop(world.context, found.value, { method });
      return told.ok ? { ok: true, value: { id: loopId(found.value), status: String(told.value.status) } } : told;
    },
  });
}

function injectTool(world: McpWorld): ServedTool {
  return serveTool({
    name: "ralph_inject",
    title: "Tell the next agent",
    description: injectText.trim(),
    hints: { ...STEERS, idempotentHint: false },
    input: z.strictObject({ task: taskWord, text: z.string().trim().min(1).max(MAX_PROMPT_CHARACTERS) }),
    output: z.strictObject({ id: z.string(), status: z.string() }),
    async run({ task, text }) {
      const found = await findServedLoop(world, task);
      if (!found.ok) return found;
      const order = { method: "inject_prompt", params: { prompt: text } } as const;
      const told = await tellLoop(world.context, found.value, order);
      return told.ok ? { ok: true, value: { id: loopId(found.value), status: String(told.value.status) } } : told;
    },
  });
}
