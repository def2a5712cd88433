import { realpathSync } from "node:fs";
import type { AgentResult } from "../../agent/run-turns.ts";
import type { ToolKit } from "../../coder/all-tools.ts";
import { createCoder } from "../../coder/create-coder.ts";
import type { Toolbox } from "../../coder/toolbox.ts";
import type { ResolvedModel } from "../../models/resolve-model.ts";
import type { AgentEvent } from "../../protocol/agent-events.ts";
import type { UserMessage } from "../../protocol/messages.ts";
import type { StreamModel } from "../../protocol/model-request.ts";
import type { Session } from "../../sessions/session.ts";
import { flagText, hasFlag, type RunContext } from "../run-context.ts";
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
  const { clock, settings } = context;
  const { chosen, system, limits } = task;
  const { cacheRetention } = settings.values;
  const { toolbox, stop } = flagText(context, "tools") === "none" ? NO_TOOLS : await openToolbox(context);
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
  await stop();
  return result;
}

interface OpenToolbox {
  toolbox: Toolbox;
  /** Ends what tools left running. */
  stop(): Promise<void>;
}

const NO_TOOLS: OpenToolbox = {
  toolbox: {
    advertised: () => [],
    findTool: () => undefined,
    unknownTool: () => "no tools are offered in this run",
    gate: async () => ({ type: "deny", reason: "no tools are offered in this run" }),
    standing: () => "",
  },
  stop: async () => {},
};

/** `--tools a,b` offers just these. */
async function openToolbox(context: RunContext): Promise<OpenToolbox> {
  const { createTools } = await import("../../coder/all-tools.ts");
  const { createToolbox } = await import("../../coder/toolbox.ts");
  const { createPlainGate } = await import("../../coder/plain-gate.ts");
  const { confirmInTerminal } = await import("./confirm.ts");
  const { createSeenFiles } = await import("../../tools/tool-world.ts");
  const { clock, environment, paths, cwd } = context;
  const root = realpathSync(cwd);
  const kit = createTools({
    root,
    clock,
    environment,
    artifacts: paths.artifacts,
    seen: createSeenFiles(),
    beforeChange: async () => {},
  });
  const gate = createPlainGate({ root, yolo: hasFlag(context, "yolo"), confirm: confirmInTerminal() });
  return { toolbox: createToolbox({ ...kit, ...chosenTools(context, kit), gate }), stop: kit.stop };
}

function chosenTools(context: RunContext, { tools, core }: ToolKit): Pick<ToolKit, "tools" | "core"> {
  const wanted = flagText(context, "tools")
    ?.split(",")
    .map((name) => name.trim());
  if (wanted === undefined) return { tools, core };
  const chosen = tools.filter((tool) => [tool.name, ...tool.aliases].some((name) => wanted.includes(name)));
  return { tools: chosen, core: chosen.map((tool) => tool.name) };
}
