import type { Effort } from "../protocol/effort.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { Model } from "../protocol/models.ts";
import type { ToolUIContext } from "./answer-callbacks.ts";
import type { AuthStorage } from "./auth-storage.ts";
import type { BuiltinTool } from "./builtin-tools.ts";
import type { ContextFile } from "./context-files.ts";
import type { CustomTool } from "./custom-tools.ts";
import type { EventBus } from "./event-bus.ts";
import type { ModelRegistry } from "./model-registry.ts";
import type { PromptTemplate } from "./prompt-templates.ts";
import type { SessionManager } from "./session-manager.ts";
import type { Settings } from "./settings.ts";

/** Provide to override, omit to discover. What cannot be done is refused, never ignored. */
export interface CreateAgentSessionOptions extends ToolUIContext {
  /** The folder to work in; that of the process where it is absent. */
  cwd?: string;
  /** Holds `config/` and `data/`; Ralph's usual homes where it is absent. */
  agentDir?: string;
  /** In place of the environment of the process, whole. */
  environment?: Readonly<Record<string, string | undefined>>;
  authStorage?: AuthStorage;
  modelRegistry?: ModelRegistry;
  settings?: Settings;
  /** A new conversation in a file where it is absent. */
  sessionManager?: SessionManager;

  /** One of the registry's. */
  model?: Model;
  /** A model by its selector, as `--model` takes it. */
  modelPattern?: string;
  /** How hard the model thinks; one it does not take is refused. */
  thinkingLevel?: Effort;

  /** In place of Ralph's own words and the context files; or what becomes of both. Context files that are given follow a text. */
  systemPrompt?: string | ((built: string) => string);
  /** In place of those that would be found. */
  contextFiles?: readonly ContextFile[];
  /** In place of those that would be found. */
  promptTemplates?: readonly PromptTemplate[];

  /** Only these of Ralph's own tools. `yield` among them offers it without asking for it. */
  toolNames?: readonly string[];
  /** All the tools there are: Ralph's own, from `createTools`, and the program's. */
  tools?: readonly (BuiltinTool | CustomTool)[];
  /** Tools of the program beside Ralph's own. */
  customTools?: readonly CustomTool[];

  /** What the result has to fit. It is handed in with the tool `yield`, which ends the work. */
  outputSchema?: JsonObject;
  /** The work is to end with a call of `yield`. */
  requireYieldTool?: boolean;
  /** How many agents stand above this one, for the program's tools. */
  taskDepth?: number;
  /** What the names of files with long output begin with; for the program's tools, too. */
  parentTaskPrefix?: string;

  /** Ralph has no language servers yet: only `false` is taken. */
  enableLsp?: boolean;
  /** Whether somebody sits in front of the program. `false`: nobody is asked, whatever callbacks there are. */
  hasUI?: boolean;
  eventBus?: EventBus;
}

/** Ralph's own stop rule for agents that start agents. */
const DEEPEST = 32;
const PREFIX = /^[A-Za-z0-9._-]{1,64}$/;

/** What cannot be done with these options; undefined where all of it can. */
export function refusalOf(options: CreateAgentSessionOptions): string | undefined {
  const { taskDepth = 0, parentTaskPrefix } = options;
  return [
    options.enableLsp === true && "enableLsp: Ralph has no language servers yet. Leave it out, or say false.",
    options.model !== undefined && options.modelPattern !== undefined && "Give model or modelPattern, not both.",
    options.tools !== undefined &&
      (options.toolNames ?? options.customTools) !== undefined &&
      "tools are all the tools there are: leave out toolNames and customTools, or tools.",
    options.authStorage !== undefined &&
      options.modelRegistry !== undefined &&
      options.modelRegistry.authStorage !== options.authStorage &&
      "The model registry was made with another authStorage. Give the one it has, or leave authStorage out.",
    !(Number.isInteger(taskDepth) && taskDepth >= 0 && taskDepth <= DEEPEST) &&
      `taskDepth has to be a whole number from 0 to ${DEEPEST}.`,
    parentTaskPrefix !== undefined &&
      !PREFIX.test(parentTaskPrefix) &&
      "parentTaskPrefix becomes part of file names: letters, digits, dot, _ and -, at most 64.",
    folderRefusal(options),
  ].find((refusal) => typeof refusal === "string");
}

function folderRefusal({ cwd, sessionManager }: CreateAgentSessionOptions): string | undefined {
  const isSame = cwd === undefined || sessionManager?.cwd === undefined || cwd === sessionManager.cwd;
  return isSame ? undefined : `cwd is ${cwd}, and the session manager was made for ${sessionManager?.cwd}. Give one.`;
}
