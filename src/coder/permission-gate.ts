import type { ToolVerdict } from "../agent/run-tools.ts";
import type { PolicySources } from "../permissions/gate/build-policy.ts";
import type { GateOptions, PermissionGate, PersonAnswer } from "../permissions/gate/create-gate.ts";
import type { AgentEvent } from "../protocol/agent-events.ts";
import type { Ask } from "../protocol/asks.ts";
import type { AskDraft, Tool } from "../protocol/tool-runs.ts";
import type { Clock } from "../system/clock.ts";

export type Gate = (asks: AskDraft[], tool: Tool) => Promise<ToolVerdict>;

export interface CoderGateOptions {
  /** Absolute, links resolved. */
  workspace: string;
  home: string;
  /** Ralph's own folders, which no tool gets at. */
  own: { config: string; data: string };
  /** The file of answers people gave for good. */
  rememberedPath: string;
  sources: Omit<PolicySources, "remembered" | "isSandboxed">;
  yolo: boolean;
  clock: Clock;
  /** Undefined where nobody can be asked. */
  askPerson(ask: Omit<Ask, "id">): Promise<PersonAnswer | undefined>;
  tell(event: AgentEvent): void;
}

export interface CoderGate {
  gate: Gate;
  /** Whether what is in a file may be shown to the model. Nothing may before the first ask: a search asks first. */
  mayRead(path: string): boolean;
}

/** Decides what tools want to do. Everything is loaded when the first of them wants something. */
export function createCoderGate(options: CoderGateOptions): CoderGate {
  let opening: Promise<OpenGate> | undefined;
  let opened: OpenGate | undefined;
  return {
    async gate(asks, tool) {
      try {
        opening ??= openGate(options);
        opened = await opening;
        return await decideAll(opened, asks, tool.name);
      } catch (error) {
        // A gate that breaks is closed.
        return denied(`the permission gate failed (${error instanceof Error ? error.message : String(error)})`);
      }
    },
    mayRead: (path) => opened?.mayRead(path) ?? false,
  };
}

interface OpenGate {
  gate: PermissionGate;
  /** Why nothing but looking is allowed: a rule that was meant to stop something cannot be read. */
  problem: string | undefined;
  mayRead(path: string): boolean;
}

async function openGate(options: CoderGateOptions): Promise<OpenGate> {
  const { buildPolicy } = await import("../permissions/gate/build-policy.ts");
  const { createPermissionGate } = await import("../permissions/gate/create-gate.ts");
  const { createBackOff } = await import("../permissions/gate/back-off.ts");
  const { createPathClassifier } = await import("../permissions/paths/classify-path.ts");
  const { createReadFilter } = await import("./read-filter.ts");
  const { readRememberedRules, rememberRule } = await import("../permissions/gate/remembered-rules.ts");
  const { workspace, home, own, clock, rememberedPath, tell } = options;
  const remembered = readRememberedRules(rememberedPath, workspace);
  const built = await buildPolicy({ ...options.sources, remembered, isSandboxed: false });
  const problems = [...built.problems, ...(remembered.problem === undefined ? [] : [remembered.problem])];
  for (const text of problems) tell({ type: "notice", level: "warning", text });
  const classify = createPathClassifier({ home, own, now: () => clock.now() });
  const gateOptions: GateOptions = {
    policy: built.policy,
    world: { workspace, home, classify },
    yolo: options.yolo,
    backOff: createBackOff(() => clock.monotonic()),
    askPerson: options.askPerson,
    remember: (effect, rule) => rememberRule(rememberedPath, { workspace, effect, rule }),
    decided: ({ tool, summary }, decision) => tell({ type: "decided", tool, summary, decision }),
  };
  const isClosed = !built.isWhole || remembered.problem !== undefined;
  return {
    gate: createPermissionGate(gateOptions),
    problem: isClosed ? problems[0] : undefined,
    mayRead: createReadFilter(workspace, classify),
  };
}

async function decideAll({ gate, problem }: OpenGate, asks: readonly AskDraft[], tool: string): Promise<ToolVerdict> {
  for (const ask of asks) {
    if (problem !== undefined && ask.category !== "file_read" && ask.category !== "memory")
      return denied(`a rule that may deny it cannot be read: ${problem}. Correct it first`);
    const { effect, reason } = await gate.decide(ask, tool);
    if (effect !== "allow") return denied(reason);
  }
  return { type: "allow" };
}

function denied(reason: string): ToolVerdict {
  return { type: "deny", reason };
}
