import type { Ask, CommandNeeds, Decision } from "../../protocol/asks.ts";
import type { AskDraft } from "../../protocol/tool-runs.ts";
import type { BackOff } from "./back-off.ts";
import { type ActionWorld, type BoundAction, bindAction } from "./bind-action.ts";
import { type AskOfTool, decideResources } from "./decide.ts";
import type { SegmentVerdict } from "./decide-command.ts";
import { type PermissionRule, readPermissionRule } from "./permission-rule.ts";
import type { GatePolicy, GateWorld } from "./policy.ts";
import { suggestRules } from "./suggest-rules.ts";

/** What a person says to an ask. `rules` are kept as they were shown, or as the person changed them. */
export type PersonAnswer =
  | { type: "once" }
  | { type: "session"; rules: readonly string[] }
  | { type: "always"; rules: readonly string[] }
  | { type: "no" }
  | { type: "never"; rules: readonly string[] }
  /** Nobody said anything in time. */
  | { type: "expired"; afterMs: number };

/** An ask as it is put to a person. Who keeps it gives it its id, and the moment it expires. */
export type PutAsk = Omit<Ask, "id" | "expiresAt">;

export interface GateOptions {
  policy: GatePolicy;
  world: GateWorld;
  /** Whether commands are confined, looked up with the first one; where it is missing the policy says. */
  isSandboxed?(): Promise<boolean>;
  /** Every ask is answered with yes. What is denied stays denied, and no command leaves the sandbox that way. */
  yolo: boolean;
  backOff: BackOff;
  /** Undefined where nobody can be asked. */
  askPerson(ask: PutAsk): Promise<PersonAnswer | undefined>;
  /** What reaches a command; where it is missing, nothing does. */
  environment?(): Readonly<Record<string, string | undefined>>;
  /** Keeps a rule for later runs in this workspace. A message says why it could not be kept. */
  remember(effect: "allow" | "deny", rule: string): Promise<string | undefined>;
  /** Every decision, with the rule that made it. */
  decided(ask: AskOfTool, decision: Decision): void;
}

export interface PermissionGate {
  /** Without asking anybody. */
  explain(ask: AskOfTool): Promise<GateVerdict>;
  /** Decides, asks where it has to, and says what counts in the end: allow or deny. */
  decide(ask: AskDraft, tool: string): Promise<GateAnswer>;
}

export interface GateAnswer extends Decision {
  /** What a command that is allowed gets beyond the sandbox. */
  grant?: CommandNeeds;
  /** What was decided about and is no longer as it was. */
  changes(): string[];
}

export interface GateVerdict extends Decision {
  /** Of a command, its parts. */
  segments: readonly SegmentVerdict[];
  /** What a person may keep. */
  rules: readonly string[];
  needs?: CommandNeeds;
}

export function createPermissionGate(options: GateOptions): PermissionGate {
  const kept: PermissionRule[] = [];
  const explain = (ask: AskOfTool) => explainAsk(ask, options, kept);
  return {
    explain,
    async decide(ask, tool) {
      const bound = [await bindAction(ask, actionWorld(options), "quick")];
      const verdict = await explain({ ...ask, tool });
      const decision = await concluded({ ask, tool, verdict, options, kept, bound });
      options.decided({ ...ask, tool }, decision);
      const grant = decision.effect === "allow" ? grantFor(verdict, decision, options) : undefined;
      const changes = () => [...new Set(bound.flatMap((action) => action.changes()))];
      return { ...decision, ...(grant === undefined ? {} : { grant }), changes };
    },
  };
}

function actionWorld({ world: { workspace, home }, environment = () => ({}) }: GateOptions): ActionWorld {
  return { workspace, home, environment };
}

async function explainAsk(ask: AskOfTool, options: GateOptions, kept: readonly PermissionRule[]): Promise<GateVerdict> {
  const { world } = options;
  const isSandboxed = ask.category === "shell" ? await options.isSandboxed?.() : undefined;
  const rulesNow = [...options.policy.rules, ...kept];
  const policy = { ...options.policy, rules: rulesNow, isSandboxed: isSandboxed ?? options.policy.isSandboxed };
  const decideWith = await decider(ask, world);
  const verdict = decideWith(policy);
  const rules = verdict.effect === "ask" ? suggestRules(ask, verdict.segments, world.workspace) : [];
  // What would be asked about again, in spite of the rules, is not worth keeping.
  const isAnswered = rules.length > 0 && decideWith(withAllowed(policy, rules)).effect === "allow";
  return { ...verdict, rules: isAnswered ? rules : [] };
}

type Decider = (policy: GatePolicy) => Omit<GateVerdict, "rules">;

async function decider(ask: AskOfTool, world: GateWorld): Promise<Decider> {
  if (ask.category !== "shell") return (policy) => ({ ...decideResources(ask, policy, world), segments: [] });
  // The parser is loaded with the first command.
  const { decideCommand } = await import("./decide-command.ts");
  const [command = ""] = ask.resources;
  return (policy) => decideCommand({ command, cwd: ask.cwd ?? world.workspace, wish: ask.needs }, policy, world);
}

function withAllowed(policy: GatePolicy, rules: readonly string[]): GatePolicy {
  const readings = rules.map((rule) => readPermissionRule(rule, "allow", "this session"));
  return { ...policy, rules: [...policy.rules, ...readings.flatMap((reading) => (reading.ok ? [reading.rule] : []))] };
}

interface Asking {
  ask: AskDraft;
  tool: string;
  verdict: GateVerdict;
  options: GateOptions;
  kept: PermissionRule[];
  /** What the decision is about; what a person is asked about is added. */
  bound: BoundAction[];
}

async function concluded({ ask, tool, verdict, options, kept, bound }: Asking): Promise<Decision> {
  const { segments: _, rules, needs, ...explained } = verdict;
  const isWarned = ask.warning !== undefined && explained.effect === "allow";
  const decision: Decision = isWarned ? { effect: "ask", tier: "category", reason: ask.warning ?? "" } : explained;
  if (decision.effect !== "ask") return decision;
  if (options.yolo && ask.needs?.unsandboxed !== true)
    return { ...decision, effect: "allow", reason: `--yolo: ${decision.reason}` };
  const waitMs = options.backOff.waitMs(tool);
  if (waitMs > 0) return { effect: "deny", tier: "back-off", reason: backOffReason(tool, waitMs) };
  // A warning is about this content, so the answer to it is not kept for other content.
  const offered = ask.warning === undefined ? rules : [];
  const action = await bindAction(ask, actionWorld(options), "whole");
  bound.push(action);
  const answer = await options.askPerson(askToPut({ ask, tool, needs, offered, action, reason: decision.reason }));
  if (answer === undefined)
    return { effect: "deny", tier: "headless", reason: headlessReason(ask, { ...decision, rules: offered }) };
  if (answer.type === "expired") return { effect: "deny", tier: "person", reason: expiredReason(ask, answer.afterMs) };
  const isYes = answer.type === "once" || answer.type === "session" || answer.type === "always";
  if (isYes) options.backOff.allowed(tool);
  else options.backOff.denied(tool);
  const problem = "rules" in answer ? await keep(answer, { options, kept }) : undefined;
  const said = isYes ? "the person said yes" : `the person said no to: ${ask.summary}`;
  const reason = problem === undefined ? said : `${said}; ${problem}`;
  return { effect: isYes ? "allow" : "deny", tier: "person", reason };
}

interface Putting extends Pick<Asking, "ask" | "tool"> {
  needs: CommandNeeds | undefined;
  offered: readonly string[];
  action: BoundAction;
  reason: string;
}

function askToPut({ ask, tool, needs, offered, action, reason }: Putting): PutAsk {
  const { needs: _wish, ...plain } = ask;
  return {
    ...plain,
    tool,
    reason,
    digest: action.digest(),
    boundTo: action.parts,
    options: offered.length === 0 ? ["yes", "no"] : ["yes", "session", "always", "no", "never"],
    ...(offered.length === 0 ? {} : { rules: [...offered] }),
    ...(needs === undefined ? {} : { needs }),
  };
}

function expiredReason({ summary }: AskDraft, afterMs: number): string {
  return `nobody answered within ${Math.round(afterMs / 60_000)} minutes: ${summary}. Ask again when somebody is there`;
}

/** A person, or a rule about this very command, opens all of it; what answers for many commands does not let one out. */
function grantFor(verdict: GateVerdict, { tier }: Decision, { yolo, policy }: GateOptions): CommandNeeds | undefined {
  if (verdict.needs === undefined || tier === "person" || tier === "grant") return verdict.needs;
  const { unsandboxed: _, ...rest } = verdict.needs;
  const isOpen = yolo || policy.actions.shell === "allow" || policy.actions.network === "allow";
  return isOpen && Object.keys(rest).length > 0 ? rest : undefined;
}

function backOffReason(tool: string, waitMs: number): string {
  return `${tool} was denied several times; it may ask again in ${Math.ceil(waitMs / 1000)} s. Find another way, or say what you need`;
}

/** Names what would allow it. */
function headlessReason(
  { summary, needs }: AskDraft,
  { reason, rules }: Decision & Pick<GateVerdict, "rules">,
): string {
  if (needs?.unsandboxed)
    return `${summary} needs a yes (${reason}), and nobody can be asked. Run it yourself, or start with --sandbox off and --yolo`;
  const flags = rules.map((rule) => `--allow '${rule}'`).join(" ");
  const way = flags === "" ? "Start with --yolo to allow it" : `Start with ${flags}, or with --yolo, to allow it`;
  return `${summary} needs a yes (${reason}), and nobody can be asked. ${way}`;
}

type Kept = Extract<PersonAnswer, { rules: readonly string[] }>;

/** What cannot be read as a rule, or not be stored, is told and not kept. */
async function keep(
  { type, rules }: Kept,
  { options, kept }: Pick<Asking, "options" | "kept">,
): Promise<string | undefined> {
  const effect = type === "never" ? "deny" : "allow";
  const problems: string[] = [];
  for (const text of rules) {
    const read = readPermissionRule(text, effect, "this session");
    if (!read.ok) {
      problems.push(read.message);
      continue;
    }
    kept.push(read.rule);
    const problem = type === "session" ? undefined : await options.remember(effect, text);
    if (problem !== undefined) problems.push(problem);
  }
  return problems.length === 0 ? undefined : problems.join("; ");
}
