import type { Ask, Decision } from "../../protocol/asks.ts";
import type { AskDraft } from "../../protocol/tool-runs.ts";
import type { BackOff } from "./back-off.ts";
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
  | { type: "never"; rules: readonly string[] };

export interface GateOptions {
  policy: GatePolicy;
  world: GateWorld;
  /** Every ask is answered with yes. What is denied stays denied. */
  yolo: boolean;
  backOff: BackOff;
  /** Undefined where nobody can be asked. */
  askPerson(ask: Omit<Ask, "id">): Promise<PersonAnswer | undefined>;
  /** Keeps a rule for later runs in this workspace. A message says why it could not be kept. */
  remember(effect: "allow" | "deny", rule: string): Promise<string | undefined>;
  /** Every decision, with the rule that made it. */
  decided(ask: Omit<Ask, "id">, decision: Decision): void;
}

export interface PermissionGate {
  /** Without asking anybody. */
  explain(ask: AskOfTool): Promise<GateVerdict>;
  /** Decides, asks where it has to, and says what counts in the end: allow or deny. */
  decide(ask: AskDraft, tool: string): Promise<Decision>;
}

export interface GateVerdict extends Decision {
  /** Of a command, its parts. */
  segments: readonly SegmentVerdict[];
  /** What a person may keep. */
  rules: readonly string[];
}

export function createPermissionGate(options: GateOptions): PermissionGate {
  const kept: PermissionRule[] = [];
  const explain = (ask: AskOfTool) => explainAsk(ask, options, kept);
  return {
    explain,
    async decide(ask, tool) {
      const verdict = await explain({ ...ask, tool });
      const decision = await concluded({ ask, tool, verdict, options, kept });
      options.decided({ ...ask, tool }, decision);
      return decision;
    },
  };
}

async function explainAsk(ask: AskOfTool, options: GateOptions, kept: readonly PermissionRule[]): Promise<GateVerdict> {
  const { world } = options;
  const policy = { ...options.policy, rules: [...options.policy.rules, ...kept] };
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
  return (policy) => decideCommand({ command, cwd: ask.cwd ?? world.workspace }, policy, world);
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
}

async function concluded({ ask, tool, verdict, options, kept }: Asking): Promise<Decision> {
  const { segments: _, rules, ...explained } = verdict;
  const isWarned = ask.warning !== undefined && explained.effect === "allow";
  const decision: Decision = isWarned ? { effect: "ask", tier: "category", reason: ask.warning ?? "" } : explained;
  if (decision.effect !== "ask") return decision;
  if (options.yolo) return { ...decision, effect: "allow", reason: `--yolo: ${decision.reason}` };
  const waitMs = options.backOff.waitMs(tool);
  if (waitMs > 0) return { effect: "deny", tier: "back-off", reason: backOffReason(tool, waitMs) };
  // A warning is about this content, so the answer to it is not kept for other content.
  const offered = ask.warning === undefined ? rules : [];
  const answer = await options.askPerson({ ...ask, tool, ...(offered.length === 0 ? {} : { rules: [...offered] }) });
  if (answer === undefined)
    return { effect: "deny", tier: "headless", reason: headlessReason(ask, { ...decision, rules: offered }) };
  const isYes = answer.type === "once" || answer.type === "session" || answer.type === "always";
  if (isYes) options.backOff.allowed(tool);
  else options.backOff.denied(tool);
  const problem = "rules" in answer ? await keep(answer, { options, kept }) : undefined;
  const said = isYes ? "the person said yes" : `the person said no to: ${ask.summary}`;
  const reason = problem === undefined ? said : `${said}; ${problem}`;
  return { effect: isYes ? "allow" : "deny", tier: "person", reason };
}

function backOffReason(tool: string, waitMs: number): string {
  return `${tool} was denied several times; it may ask again in ${Math.ceil(waitMs / 1000)} s. Find another way, or say what you need`;
}

/** Names what would allow it. */
function headlessReason({ summary }: AskDraft, { reason, rules }: Decision & Pick<GateVerdict, "rules">): string {
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
