import type { ToolVerdict } from "../agent/run-tools.ts";
import type { GateOptions, PermissionGate, PersonAnswer, PutAsk } from "../permissions/gate/create-gate.ts";
import type { ConfiguredPolicy } from "../permissions/gate/open-policy.ts";
import type { PermissionRule } from "../permissions/gate/permission-rule.ts";
import type { AgentEvent } from "../protocol/agent-events.ts";
import type { CommandNeeds } from "../protocol/asks.ts";
import type { AskDraft, Tool, ToolApproval } from "../protocol/tool-runs.ts";
import type { Clock } from "../system/clock.ts";
import { createGateDeadline } from "./gate-deadline.ts";

export type Gate = (asks: AskDraft[], tool: Tool) => Promise<ToolVerdict>;

export interface CoderGateOptions {
  /** Absolute, links resolved. */
  workspace: string;
  home: string;
  /** Ralph's own folders, which no tool gets at. */
  own: { config: string; data: string };
  /** The file of answers people gave for good. */
  rememberedPath: string;
  sources: ConfiguredPolicy;
  yolo: boolean;
  /** Whether commands are confined. Asked with the first command. */
  isSandboxed(): Promise<boolean>;
  clock: Clock;
  /** Undefined where nobody can be asked. */
  askPerson(ask: PutAsk): Promise<PersonAnswer | undefined>;
  /** What reaches a command; where it is missing, nothing does. */
  environment?(): Readonly<Record<string, string | undefined>>;
  tell(event: AgentEvent): void;
}

export interface CoderGate {
  gate: Gate;
  /** Whether what is in a file may be shown to the model. Nothing may before the first ask: a search asks first. */
  mayRead(path: string): boolean;
  /** Whether a file of this name may be made or changed, by its absolute path. The same goes for what was not asked yet. */
  mayWrite(path: string): boolean;
  /** Places outside the workspace that rules let all commands reach, as far as they name a whole folder. */
  commandPlaces(): readonly string[];
}

/** Longer than any decision takes, on a machine that does other things too. */
const GATE_MS = 30_000;

/** Decides what tools want to do. Everything is loaded when the first of them wants something. */
export function createCoderGate(options: CoderGateOptions): CoderGate {
  let opening: Promise<OpenGate> | undefined;
  let opened: OpenGate | undefined;
  const deadline = createGateDeadline(options.clock, GATE_MS);
  const askPerson: CoderGateOptions["askPerson"] = (ask) => deadline.waitFor(options.askPerson(ask));
  const decided = async (asks: readonly AskDraft[], tool: string) => {
    opening ??= openGate({ ...options, askPerson });
    opened = await opening;
    return decideAll(opened, asks, tool);
  };
  return {
    async gate(asks, tool) {
      try {
        return await deadline.within(decided(asks, tool.name));
      } catch (error) {
        // A gate that breaks, or does not come to an end, is closed.
        return denied(`the permission gate failed (${error instanceof Error ? error.message : String(error)})`);
      }
    },
    mayRead: (path) => opened?.mayRead(path) ?? false,
    mayWrite: (path) => opened?.mayWrite(path) ?? false,
    commandPlaces: () => opened?.commandPlaces ?? [],
  };
}

interface OpenGate {
  gate: PermissionGate;
  /** Why nothing but looking is allowed: a rule that was meant to stop something cannot be read. */
  problem: string | undefined;
  mayRead(path: string): boolean;
  mayWrite(path: string): boolean;
  commandPlaces: readonly string[];
}

async function openGate(options: CoderGateOptions): Promise<OpenGate> {
  const { openPolicy } = await import("../permissions/gate/open-policy.ts");
  const { createPermissionGate } = await import("../permissions/gate/create-gate.ts");
  const { createBackOff } = await import("../permissions/gate/back-off.ts");
  const { createReadFilter } = await import("./read-filter.ts");
  const { createLinkedSecrets } = await import("./linked-secrets.ts");
  const { createFileProtection } = await import("./protected-files.ts");
  const { rememberRule } = await import("../permissions/gate/remembered-rules.ts");
  const { workspace, home, clock, rememberedPath, tell } = options;
  const { policy, world, problems, closed } = await openPolicy(options.sources, { ...options, now: () => clock.now() });
  for (const text of problems) tell({ type: "notice", level: "warning", text });
  const gateOptions: GateOptions = {
    policy,
    world,
    yolo: options.yolo,
    isSandboxed: options.isSandboxed,
    backOff: createBackOff(() => clock.monotonic()),
    askPerson: options.askPerson,
    ...(options.environment === undefined ? {} : { environment: options.environment }),
    remember: (effect, rule) => rememberRule(rememberedPath, { workspace, effect, rule }),
    decided: ({ tool, summary }, decision) => tell({ type: "decided", tool, summary, decision }),
  };
  const protectionOf = createFileProtection(options.own);
  return {
    gate: createPermissionGate(gateOptions),
    problem: closed,
    mayRead: createReadFilter({
      workspace,
      classify: world.classify,
      protectionOf,
      isSecret: createLinkedSecrets({ workspace, home, own: options.own, now: () => clock.now() }),
    }),
    mayWrite: (path) => protectionOf(path, { access: "write", root: workspace }) === undefined,
    commandPlaces: foldersOf(policy.rules, home),
  };
}

/** `Bash(/place/**)`: the folder in front of the stars. */
function foldersOf(rules: readonly PermissionRule[], home: string): string[] {
  return rules.flatMap(({ effect, body }) => {
    if (effect !== "allow" || body.type !== "path" || body.scope !== "Bash") return [];
    const folder = /^(?<folder>[/~][^*?[\\]*)\/\*\*$/.exec(body.glob)?.groups?.folder;
    return folder === undefined ? [] : [folder.replace(/^~(?=\/|$)/, home)];
  });
}

async function decideAll({ gate, problem }: OpenGate, asks: readonly AskDraft[], tool: string): Promise<ToolVerdict> {
  let given: CommandNeeds | undefined;
  const changes: (() => string[])[] = [];
  for (const ask of asks) {
    if (problem !== undefined && ask.category !== "file_read" && ask.category !== "memory")
      return denied(`a rule that may deny it cannot be read: ${problem}. Correct it first`);
    const { effect, reason, grant, changes: changed } = await gate.decide(ask, tool);
    if (effect !== "allow") return denied(reason);
    given ??= grant;
    changes.push(changed);
  }
  const approval = approvalOf(() => [...new Set(changes.flatMap((look) => look()))]);
  return { type: "allow", approval, ...(given === undefined ? {} : { grant: given }) };
}

/** For one call, as long as everything it was given for is as it was. */
function approvalOf(changes: () => string[]): ToolApproval {
  let isUsed = false;
  const recheck = () => {
    const names = changes();
    const be = names.length === 1 ? "is" : "are";
    return names.length === 0
      ? undefined
      : `${names.join(", ")} ${be} no longer what was allowed. Call it again, and it is decided anew`;
  };
  return {
    recheck,
    use() {
      if (isUsed) return "what was allowed was allowed once, and that was used. Call it again, and it is decided anew";
      isUsed = true;
      return recheck();
    },
  };
}

function denied(reason: string): ToolVerdict {
  return { type: "deny", reason };
}
