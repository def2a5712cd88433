import { realpathSync } from "node:fs";
import type { AgentResult } from "../../agent/run-turns.ts";
import { createTools } from "../../coder/all-tools.ts";
import { createCoder } from "../../coder/create-coder.ts";
import { createPlainGate } from "../../coder/plain-gate.ts";
import { createToolbox } from "../../coder/toolbox.ts";
import type { ResolvedModel } from "../../models/resolve-model.ts";
import type { AgentEvent } from "../../protocol/agent-events.ts";
import type { UserMessage } from "../../protocol/messages.ts";
import type { StreamModel } from "../../protocol/model-request.ts";
import type { Session } from "../../sessions/journal.ts";
import { createSeenFiles } from "../../tools/tool-world.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";
import { confirmInTerminal } from "./confirm.ts";
import type { RunLimits } from "./limits.ts";

export interface Work {
  chosen: Extract<ResolvedModel, { ok: true }>;
  streamModel: StreamModel;
  session: Session;
  message: UserMessage;
  system: { base: string; dynamic: string };
  limits: RunLimits;
  maxOutputTokens?: number;
  signal: AbortSignal;
  emit: (event: AgentEvent) => void;
  mayRestart: () => boolean;
}

/** One prompt, worked on with tools until there is nothing more to do. */
export async function work(context: RunContext, task: Work): Promise<AgentResult> {
  const root = realpathSync(context.cwd);
  const { clock, environment, paths, settings } = context;
  const world = {
    root,
    clock,
    environment,
    artifacts: paths.artifacts,
    seen: createSeenFiles(),
    beforeChange: async () => {},
  };
  const kit = createTools(world);
  const gate = createPlainGate({ root, yolo: hasFlag(context, "yolo"), ...confirmInTerminal() });
  const toolbox = createToolbox({ ...kit, ...chosenTools(context, kit), gate });
  const { chosen, system, limits } = task;
  const { cacheRetention } = settings.values;
  const coder = createCoder({
    ...task,
    ...toolbox,
    model: chosen.model,
    effort: chosen.effort,
    clock,
    stream: !hasFlag(context, "no-stream"),
    systemPrompt: system.base,
    dynamic: () => [system.dynamic, toolbox.standing()].filter((text) => text !== "").join("\n\n"),
    maxTurns: limits.maxTurns,
    limitReached: limits.reached(clock),
    ...(cacheRetention === undefined ? {} : { cacheRetention }),
  });
  const result = await coder.prompt(task.message, task.signal);
  await kit.stop();
  return result;
}

/** `--tools a,b` offers just these; `--tools none` offers none. */
function chosenTools(context: RunContext, { tools, core }: ReturnType<typeof createTools>) {
  const wanted = flagText(context, "tools")
    ?.split(",")
    .map((name) => name.trim());
  if (wanted === undefined) return { tools, core };
  const chosen = tools.filter((tool) => [tool.name, ...tool.aliases].some((name) => wanted.includes(name)));
  return { tools: chosen, core: chosen.map((tool) => tool.name) };
}
