import { embedContext } from "../cli/embed-context.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { proxyFor } from "../cli/proxy.ts";
import type { RunContext } from "../cli/run-context.ts";
import type { Tool } from "../protocol/tool-runs.ts";
import { preconnect } from "../system/preconnect.ts";
import { AgentSession } from "./agent-session.ts";
import { createAnswerCallbacks, type ToolUIContext } from "./answer-callbacks.ts";
import { AuthStorage } from "./auth-storage.ts";
import { chosenSelector } from "./chosen-model.ts";
import { buildSystemPrompt, contextFilesIn } from "./context-files.ts";
import { readCustomTools } from "./custom-tools.ts";
import { EventBus } from "./event-bus.ts";
import { EventFeed } from "./event-feed.ts";
import { ModelRegistry } from "./model-registry.ts";
import type { PromptTemplate } from "./prompt-templates.ts";
import { RalphError } from "./ralph-error.ts";
import { SessionManager } from "./session-manager.ts";
import { type CreateAgentSessionOptions, refusalOf } from "./session-options.ts";
import { toolChoice } from "./tool-choice.ts";
import { createYieldTool, type YieldTool } from "./yield-tool.ts";

export interface CreateAgentSessionResult {
  session: AgentSession;
  /** Who is asked from now on, in place of the callbacks of the options. Without `hasUI` nobody is. */
  setToolUIContext(context: ToolUIContext, hasUI: boolean): void;
  /** Why the session does not go on with the model it had, or why no model can be asked yet. */
  modelFallbackMessage?: string;
  /** Absent: no language server is started. */
  lspServers?: { name: string; status: "ready" | "error"; fileTypes: string[]; error?: string }[];
  eventBus: EventBus;
}

/** An agent in this process. Everything that is left out is found as the command line finds it. */
export async function createAgentSession(options: CreateAgentSessionOptions = {}): Promise<CreateAgentSessionResult> {
  const refusal = refusalOf(options);
  if (refusal !== undefined) throw new RalphError("invalid", refusal);
  const eventBus = options.eventBus ?? new EventBus();
  const notes = createNotes();
  const registry = registryFor(options);
  const { context, version } = await contextFor(options, registry, notes.note);
  (await import("../cli/commands/config.ts")).tellProblems(context);
  const answers = createAnswerCallbacks(options, options.hasUI !== false);
  const { tools, yields } = await toolsFor(options, context, eventBus);
  const systemPrompt = await systemPromptFor(options, context);
  const templates = await templatesFor(options, context);
  const { openAgentPort } = await import("../cli/agents/agent-port.ts");
  const opened = await openAgentPort(context, {
    version,
    own: {
      hasPerson: answers.hasPerson,
      modelChosen: ({ baseUrl }) => warmUp(baseUrl, context),
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
    },
    tools,
    isFinished: () => yields?.last() !== undefined,
  });
  if (!opened.ok) throw new RalphError(opened.code === EXIT.usage ? "invalid" : "failed", opened.message);
  const { port, current } = opened;
  const feed = new EventFeed(eventBus, () => current().session.header.id);
  port.subscribe((event) => {
    if (event.type === "agent-start") yields?.begin();
    answers.note(event, port);
    feed.note(event);
  });
  const session = new AgentSession({
    port,
    current,
    feed,
    templates,
    modelRegistry: registry,
    selectorOf: (model) => chosenSelector(model, registry),
    yields,
    needsYield: options.requireYieldTool === true || options.outputSchema !== undefined,
  });
  session.notices.push(...notes.tellInstead((message) => feed.tell({ type: "notice", level: "info", message })));
  if (options.modelRegistry === undefined) void registry.load().catch(() => undefined);
  const { modelFallback, whyWithoutModel } = current();
  const modelFallbackMessage = modelFallback ?? whyWithoutModel;
  return {
    session,
    setToolUIContext: answers.use,
    ...(modelFallbackMessage === undefined ? {} : { modelFallbackMessage }),
    eventBus,
  };
}

/** Lines for the person are gathered until somebody can hear them. */
function createNotes() {
  const early: string[] = [];
  let tell = (line: string): void => void early.push(line);
  return {
    note: (line: string) => tell(line),
    tellInstead(listener: (line: string) => void): string[] {
      tell = listener;
      return early;
    },
  };
}

function registryFor(options: CreateAgentSessionOptions): ModelRegistry {
  const { agentDir, environment, settings, modelRegistry, authStorage, sessionManager } = options;
  if (modelRegistry !== undefined) return modelRegistry;
  const cwd = options.cwd ?? sessionManager?.cwd;
  const auth = authStorage ?? new AuthStorage({ agentDir, environment });
  return new ModelRegistry(auth, { cwd, agentDir, environment, settings });
}

async function contextFor(options: CreateAgentSessionOptions, registry: ModelRegistry, note: (line: string) => void) {
  const { agentDir, environment, settings, parentTaskPrefix, thinkingLevel } = options;
  const manager = options.sessionManager ?? SessionManager.create(options.cwd);
  const wish = options.model ?? options.modelPattern;
  const selector = wish === undefined ? undefined : await chosenSelector(wish, registry);
  const { names } = toolChoice(options);
  const flags = new Map<string, string | true>(manager.flags);
  if (selector !== undefined) flags.set("model", selector);
  if (thinkingLevel !== undefined) flags.set("effort", thinkingLevel);
  if (names !== undefined) flags.set("tools", names.length === 0 ? "none" : names.join(","));
  const opened = await embedContext({
    cwd: options.cwd ?? manager.cwd,
    agentDir,
    environment,
    settings: settings?.inForce,
    flags,
    places: manager.places,
    embedded: {
      ...(await registry.embedded()),
      ...(parentTaskPrefix === undefined ? {} : { artifactPrefix: parentTaskPrefix }),
    },
    note,
  });
  if (!opened.ok) throw new RalphError("invalid", opened.message);
  return opened;
}

async function toolsFor(
  options: CreateAgentSessionOptions,
  { cwd }: RunContext,
  eventBus: EventBus,
): Promise<{ tools: Tool[]; yields: YieldTool | undefined }> {
  const { outputSchema, taskDepth = 0, parentTaskPrefix } = options;
  const { custom, hasYield } = toolChoice(options);
  const task = {
    cwd,
    eventBus,
    taskDepth,
    ...(parentTaskPrefix === undefined ? {} : { parentTaskPrefix }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
  const tools = await readCustomTools(custom, task);
  const yields = hasYield ? await createYieldTool(outputSchema) : undefined;
  return { tools: yields === undefined ? tools : [...tools, yields.tool], yields };
}

/** Undefined where everything is found as usual. */
async function systemPromptFor(options: CreateAgentSessionOptions, context: RunContext): Promise<string | undefined> {
  const { systemPrompt: wish, contextFiles } = options;
  if (wish === undefined && contextFiles === undefined) return undefined;
  if (typeof wish === "string") return buildSystemPrompt({ instructions: wish, contextFiles: contextFiles ?? [] });
  const built = await buildSystemPrompt({ contextFiles: contextFiles ?? (await contextFilesIn(context)) });
  return wish === undefined ? built : wish(built);
}

async function templatesFor(
  { promptTemplates }: CreateAgentSessionOptions,
  context: RunContext,
): Promise<readonly PromptTemplate[]> {
  if (promptTemplates !== undefined) return promptTemplates;
  const { customCommands } = await import("../cli/interactive/services/custom-commands.ts");
  return customCommands(context);
}

function warmUp(baseUrl: string, { environment }: RunContext): void {
  if (proxyFor(baseUrl, environment) === undefined) preconnect(baseUrl);
}
